/** The shape of what applications are made of: a slip is a TypeError at creation, not status 500 at the first request. */
import { type PortShape, requirePorts } from '@postern/kernel';

const REGISTRY = 'what createRegistry(…) of @postern/core-registry returns';
const SIGNER = 'createUrlSigner([key]) of @postern/http/registry or your own UrlSigner';
const CRYPTO = 'createNodeCrypto() of @postern/crypto-node or createWebCrypto() of @postern/crypto-web';

/** Every application takes it. */
const PEER: PortShape = {
  port: 'options',
  methods: ['peerAddress'],
  pass: 'a function (request, info) that returns the IP address of the caller, or undefined where it is not known',
};

export const AUTH_SHAPES: readonly PortShape[] = [
  PEER,
  {
    port: 'options.method',
    methods: ['handle', 'recordRefusal'],
    pass: 'what createAuthMethod(…) of @postern/core-auth returns',
  },
  { port: 'options', methods: ['health'], pass: 'a function that returns { storageReachable, version, serverTime }' },
];

/** @param at where the registry's own options are. */
const registryShapes = (at: string): readonly PortShape[] => [
  { port: `${at}.registry`, methods: ['open', 'openArchive'], pass: REGISTRY },
  { port: `${at}.urlSigner`, methods: ['sign', 'verify'], pass: SIGNER },
];

export const REGISTRY_SHAPES: readonly PortShape[] = [PEER, ...registryShapes('options')];
/** Of the registry that `createHttpApp` serves as well. */
export const MOUNTED_REGISTRY_SHAPES = registryShapes('options.registry');
export const MOUNTED_PAGE_SHAPES: readonly PortShape[] = [
  {
    port: 'options.registryPage',
    methods: ['fetch'],
    pass: 'what createRegistryPage(…) of @postern/http/page returns',
    optional: true,
  },
];

export const PAGE_SHAPES: readonly PortShape[] = [
  PEER,
  { port: 'options.registry', methods: ['open'], pass: REGISTRY },
  { port: 'options.crypto', methods: ['seal', 'open', 'bytes'], pass: CRYPTO },
];

/** @throws TypeError that names the first missing or misshapen member and says what to pass. */
export function checkOptions(creator: string, options: object, shapes: readonly PortShape[]): void {
  requirePorts(creator, { options }, shapes);
}
