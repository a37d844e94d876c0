/** What a method needs, in memory, with a simulated cloud. */
import type { AuthPorts } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Clock } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import type { FakeCloud } from '@postern/testkit';

export function memoryPorts(cloud: FakeCloud, clock: Clock): AuthPorts {
  const crypto = createNodeCrypto();
  return {
    storage: createMemoryStorage(),
    clock,
    crypto,
    cloud,
    audit: { record: () => undefined },
  };
}
