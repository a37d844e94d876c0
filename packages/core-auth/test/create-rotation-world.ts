/** A method whose client configuration has a static key, and the user at the provider whose key it is. */
import { type Storage, StorageError } from '@postern/ports';
import type { ClientConfig } from '../src/config/records.js';
import { CLIENT_CONFIG_ID } from '../src/store/collection.js';
import { createTestMethod, type TestMethod, type TestMethodOptions } from './create-test-method.js';
import { createFakeAccessKeys, type FakeAccessKeys, OLD_KEY } from './fake-access-keys.js';

/** No pause of a proof is as long. */
const OUTBOX_PAUSE_MS = 2_000;

export interface RotationWorld extends TestMethod {
  readonly keys: FakeAccessKeys;
  readonly slept: number[];
  readonly providerChanges: () => number;
  readonly rotate: () => Promise<unknown>;
  readonly config: () => Promise<ClientConfig | undefined>;
  /** What is configured works at the provider. */
  readonly isConfigUsable: () => Promise<boolean>;
  /** From now on nothing that this process does reaches the storage or the provider. */
  readonly die: () => void;
}

export interface RotationWorldOptions {
  /** Another process on the same storage, provider and clock. */
  readonly beside?: RotationWorld;
  /** Around the storage of this process. */
  readonly storage?: TestMethodOptions['storage'];
}

export function createRotationWorld(how: RotationWorldOptions = {}): RotationWorld {
  const keys = how.beside?.keys ?? createFakeAccessKeys();
  const slept: number[] = [];
  let isDead = false;
  let providerChanges = 0;

  const alive = async <T>(act: () => Promise<T>): Promise<T> => {
    if (isDead) throw new StorageError('unavailable', 'this process is dead');
    return act();
  };
  const mortal = (inner: Storage): Storage => ({
    get: (...call) => alive(() => inner.get(...call)),
    getMany: (...call) => alive(() => inner.getMany(...call)),
    list: (...call) => alive(() => inner.list(...call)),
    listExpired: (...call) => alive(() => inner.listExpired(...call)),
    readLog: (...call) => alive(() => inner.readLog(...call)),
    removeFromLog: (...call) => alive(() => inner.removeFromLog(...call)),
    commit: (...call) => alive(() => inner.commit(...call)),
    close: () => inner.close(),
  });

  const test = createTestMethod({
    ...(how.beside === undefined ? {} : { beside: how.beside }),
    storage: (inner) => mortal(how.storage?.(inner) ?? inner),
    ports: ({ clock }) => ({
      cloud: {
        accessKeys: {
          create: (...call) => alive(() => keys.create(...call)),
          prove: (...call) => alive(() => keys.prove(...call)),
          list: (...call) => alive(() => keys.list(...call)),
          delete: (...call) => alive(() => keys.delete(...call)),
        },
      },
      clock: {
        now: () => clock.now(),
        sleep: async (milliseconds) => {
          // The audit outbox sleeps too, before it removes what was recorded.
          if (milliseconds !== OUTBOX_PAUSE_MS) slept.push(milliseconds);
        },
      },
    }),
    options: { onProviderConfigChange: () => (providerChanges += 1) },
  });
  const config = async () => (await test.inside.collections.clientConfig.get(CLIENT_CONFIG_ID))?.value;

  return {
    ...test,
    keys,
    slept,
    providerChanges: () => providerChanges,
    rotate: async () => (await test.host('config.rotate-root')).data?.['access_key'],
    config,
    async isConfigUsable() {
      const stored = await config();
      return stored !== undefined && keys.secretOf(stored.accessKey) === stored.secretKey;
    },
    die: () => {
      isDead = true;
    },
  };
}

/** Configures the key that the provider knows. */
export async function configureOldKey(world: RotationWorld): Promise<void> {
  const { accessKeyId: access_key, secretAccessKey: secret_key } = OLD_KEY;
  await world.host('config.client.write', {}, { access_key, secret_key });
}
