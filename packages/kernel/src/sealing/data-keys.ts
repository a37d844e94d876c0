/**
 * The data keys of an installation (STORE-4): one stored ring, each key wrapped by a `KeyWrapper`. The last seals, all open.
 * Keys are never removed: a record sealed under one may be committed at any moment by a process that read the ring before.
 */
import type { CallOptions, Cipher, KeyWrapper, Operation, RandomSource, Storage, StoredRecord } from '@postern/ports';
import { decodeBase64Url, encodeBase64Url, encodeHex } from '../encoding/bytes.js';
import { encodeRecord, type OnUnreadable, parseRecord } from '../record-format.js';
import { createOptimisticRunner, unchanged } from '../store.js';

const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
/** The ring is of the first format for ever: it comes before every sealed record. */
const RING_FORMAT = 1;

/**
 * `unreadable`: no configured wrapper opens the key, or what it sealed was altered. `contended`: too many others changed the ring.
 */
export type SealFailure = 'unreadable' | 'contended';

/** Makes the error of a failure; `what` names a key, a record or a wrapper, never a secret. */
export type OnSealFailure = (why: SealFailure, what: string) => Error;

export interface SealingPorts {
  readonly storage: Storage;
  readonly crypto: Cipher & RandomSource;
  /** The first wraps new keys; the others unwrap what they wrapped before a change. Empty: nothing is sealed. */
  readonly wrappers: readonly KeyWrapper[];
  readonly onUnreadable: OnUnreadable;
  readonly onFailure: OnSealFailure;
}

/** What may be shown of a data key. */
export interface DataKeyFacts {
  readonly id: string;
  /** `KeyWrapper.id` */
  readonly wrapper: string;
}

interface WrappedKey extends DataKeyFacts {
  /** Base64url. */
  readonly wrapped: string;
}

interface StoredRing {
  readonly keys: readonly WrappedKey[];
  readonly stored: StoredRecord | undefined;
}

export interface DataKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** Commits what changes the ring, with whatever belongs into the same commit. Default: the storage's own. */
export type CommitRing = (operations: readonly Operation[]) => Promise<unknown>;

export interface DataKeys {
  /** The key that seals now, as stored: read each time, so that a rotation counts at once in every process. */
  current(options?: CallOptions): Promise<DataKey>;
  find(id: string, options?: CallOptions): Promise<DataKey>;
  /** A new key that seals from here on. */
  rotate(options?: CallOptions, commit?: CommitRing): Promise<void>;
  /** Wraps all keys by the first wrapper. @returns how many were wrapped by another. */
  rewrap(options?: CallOptions, commit?: CommitRing): Promise<number>;
  /** Oldest first. */
  list(options?: CallOptions): Promise<readonly DataKeyFacts[]>;
}

/** @param ringKey where the ring is stored. */
export function createDataKeys(ports: SealingPorts, ringKey: string): DataKeys {
  const { storage, crypto, wrappers, onFailure, onUnreadable } = ports;
  /** By id; keys never change. One call of the wrapper a key, however many ask at once. */
  const known = new Map<string, Promise<DataKey>>();

  const runOptimistic = createOptimisticRunner(() => onFailure('contended', ringKey));

  const contextOf = (id: string) => `${ringKey}/${id}`;

  async function readRing(options?: CallOptions): Promise<StoredRing> {
    const stored = await storage.get(ringKey, options);
    if (stored === undefined) return { keys: [], stored };
    const { keys, ...others } = parseRecord(ringKey, stored.value, onUnreadable);
    if (Object.keys(others).length > 0) throw onUnreadable(ringKey, 'newer');
    if (!Array.isArray(keys) || !keys.every(isWrappedKey)) throw onUnreadable(ringKey, 'corrupt');
    return { keys, stored };
  }

  function change(
    decide: (keys: readonly WrappedKey[]) => Promise<readonly WrappedKey[] | undefined>,
    options: CallOptions | undefined,
    commit: CommitRing = (operations) => storage.commit(operations, options),
  ): Promise<readonly WrappedKey[]> {
    return runOptimistic(async () => {
      const ring = await readRing(options);
      const keys = await decide(ring.keys);
      if (keys === undefined) return ring.keys;
      const value = encodeRecord({ keys }, RING_FORMAT);
      await commit([{ type: 'put', key: ringKey, value, if: unchanged(ring.stored) }]);
      return keys;
    });
  }

  function firstWrapper(): KeyWrapper {
    const [wrapper] = wrappers;
    if (wrapper === undefined) throw onFailure('unreadable', 'no key wrapper is configured');
    return wrapper;
  }

  async function wrapKey(id: string, key: Uint8Array, options?: CallOptions): Promise<WrappedKey> {
    const wrapper = firstWrapper();
    const wrapped = await wrapper.wrap(key, contextOf(id), options);
    return { id, wrapper: wrapper.id, wrapped: encodeBase64Url(wrapped) };
  }

  function makeKey(options?: CallOptions): Promise<WrappedKey> {
    return wrapKey(encodeHex(crypto.bytes(KEY_ID_BYTES)), crypto.bytes(KEY_BYTES), options);
  }

  /** Not cut short by the abort of one caller: others may wait for it. */
  function open(stored: WrappedKey): Promise<DataKey> {
    const before = known.get(stored.id);
    if (before !== undefined) return before;
    const opening = unwrap(stored);
    known.set(stored.id, opening);
    opening.catch(() => known.delete(stored.id));
    return opening;
  }

  async function unwrap({ id, wrapper: name, wrapped }: WrappedKey): Promise<DataKey> {
    const wrapper = wrappers.find((each) => each.id === name);
    if (wrapper === undefined) throw onFailure('unreadable', `data key ${id} was wrapped by ${name}`);
    const bytes = decodeBase64Url(wrapped);
    const key = bytes === undefined ? undefined : await wrapper.unwrap(bytes, contextOf(id));
    if (key?.length !== KEY_BYTES) throw onFailure('unreadable', `${name} does not open data key ${id}`);
    return { id, key };
  }

  return {
    async current(options) {
      const keys = await change(async (stored) => (stored.length > 0 ? undefined : [await makeKey(options)]), options);
      const last = keys.at(-1);
      if (last === undefined) throw onFailure('unreadable', ringKey);
      return open(last);
    },
    async find(id, options) {
      const before = known.get(id);
      if (before !== undefined) return before;
      const stored = (await readRing(options)).keys.find((key) => key.id === id);
      if (stored === undefined) throw onFailure('unreadable', `data key ${id} is missing`);
      return open(stored);
    },
    async rotate(options, commit) {
      await change(async (stored) => [...stored, await makeKey(options)], options, commit);
    },
    async rewrap(options, commit) {
      let rewrapped = 0;
      const wrapper = firstWrapper();
      await change(
        async (stored) => {
          const others = stored.filter((key) => key.wrapper !== wrapper.id);
          rewrapped = others.length;
          if (rewrapped === 0) return undefined;
          return Promise.all(
            stored.map(async (key) => (others.includes(key) ? wrapKey(key.id, (await open(key)).key, options) : key)),
          );
        },
        options,
        commit,
      );
      return rewrapped;
    },
    async list(options) {
      return (await readRing(options)).keys.map(({ id, wrapper }) => ({ id, wrapper }));
    },
  };
}

function isWrappedKey(value: unknown): value is WrappedKey {
  if (typeof value !== 'object' || value === null) return false;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return ['id', 'wrapper', 'wrapped'].every((name) => typeof members[name] === 'string');
}
