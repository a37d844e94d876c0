/** A slip in what is passed is named at creation, with what to pass instead. */
import { expect, it } from 'vitest';
import { type PortShape, requirePorts } from './require-ports.js';

const SHAPES: readonly PortShape[] = [
  { port: 'storage', methods: ['get'], pass: 'a storage' },
  { port: 'cloud', methods: ['describeInstance'], pass: 'a cloud' },
  { port: 'cloud.accessKeys', methods: ['create'], pass: 'keys', optional: true },
];

const storage = { get: () => undefined };
const describeInstance = () => undefined;

it.each([
  ['a port left out', { storage }, 'create: cloud is missing; pass a cloud'],
  ['null in its place', { storage: null }, 'create: storage is missing; pass a storage'],
  ['one without a method', { storage, cloud: {} }, 'create: cloud.describeInstance is missing; pass a cloud'],
  [
    'a method that is no function',
    { storage, cloud: { describeInstance: 'x' } },
    'create: cloud.describeInstance is not a function; pass a cloud',
  ],
  ['text where an object is expected', { storage: 'x' }, 'create: storage.get is missing; pass a storage'],
  [
    'an optional part without its method',
    { storage, cloud: { describeInstance, accessKeys: {} } },
    'create: cloud.accessKeys.create is missing; pass keys',
  ],
])('names %s', (_case, ports, message) => {
  expect(() => requirePorts('create', ports, SHAPES)).toThrow(new TypeError(message));
});

it('takes methods of a class, and leaves an optional port out', () => {
  class Cloud {
    describeInstance(): undefined {
      return undefined;
    }
  }
  expect(() => requirePorts('create', { storage, cloud: new Cloud() }, SHAPES)).not.toThrow();
});
