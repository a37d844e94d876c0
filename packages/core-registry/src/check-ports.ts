/** The shape of what `createRegistry` takes: a slip is a TypeError there, not `internal` at the first request. */
import { AUDIT_SHAPE, CLOCK_SHAPE, type PortShape, requirePorts, STORAGE_SHAPE } from '@postern/kernel';
import type { RegistryPorts } from './context.js';

const PUBLISHER = 'an object with publish(…) and delete(…), such as createHostedCatalogue(…) of @postern/catalogue';

const SHAPES: readonly PortShape[] = [
  STORAGE_SHAPE,
  { ...CLOCK_SHAPE, pass: 'an object with now(), such as systemClock of @postern/ports', optional: false },
  {
    port: 'catalogue',
    methods: ['listModules', 'versions', 'hasVersion', 'details', 'archive'],
    pass: 'createHostedCatalogue(…) of @postern/catalogue or your own ModuleCatalogue',
  },
  { port: 'publisher', methods: ['publish', 'delete'], pass: PUBLISHER, optional: true },
  {
    port: 'authorizer',
    methods: ['identify', 'isAllowed', 'readableNamespaces'],
    pass: 'an object with identify(token), isAllowed(request) and readableNamespaces(caller)',
  },
  AUDIT_SHAPE,
  { port: 'events', methods: ['publish'], pass: 'an object with publish(event)', optional: true },
];

/** @throws TypeError that names the first missing or misshapen port. */
export function checkPorts(ports: RegistryPorts): void {
  requirePorts('createRegistry', ports, SHAPES);
}
