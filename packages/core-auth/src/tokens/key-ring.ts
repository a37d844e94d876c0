/**
 * The keys that batch tokens are sealed with (BATCH-2). A key seals for a day or more by the Clock, then a new one
 * takes its place; it is kept until no token under it can live. All in one stored record, so that every process seals
 * and opens with the same keys, and keys that were forgotten open nothing anywhere any more.
 */
import { decodeBase64Url, encodeBase64Url, encodeHex } from '@postern/kernel';
import type { CallOptions, EpochMillis, RandomSource } from '@postern/ports';
import * as z from 'zod';
import type { CommitEffect, FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import { booleanField, described } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { runOptimistic, unchanged } from '../store/collection.js';
import type { StoredBatchKey } from '../store/key-records.js';

/** A key seals at most so many tokens as random nonces of 96 bits allow: days apart keep it far below 2^32. */
const SEALING_MS = 24 * 60 * 60 * 1000;
/** Of the greatest lifetime, where that is longer: bounds how many keys are alive. */
const GREATEST_LIFETIME_SHARE = 32;
/** More than rotation by the Clock ever keeps. Rotation on demand ends here, rotation by the Clock never does. */
export const MAX_KEYS_ON_DEMAND = 64;

export const KEY_ID_BYTES = 8;
const KEY_BYTES = 32;
const RING_ID = 'ring';

export interface RingKey {
  readonly id: string;
  readonly key: Uint8Array;
}

export interface KeyRing {
  /** The key for a token that ends at an instant; made if no stored one may seal it. @throws StorageError. */
  sealingKey(expiresAt: EpochMillis, options?: CallOptions): Promise<RingKey>;
  /** The key of that id, unless it is forgotten or its time is over. */
  find(id: string, options?: CallOptions): Promise<RingKey | undefined>;
  /**
   * A new key at once.
   *
   * @param forget drops all others: every batch token ends here and now.
   * @returns how many keys there are.
   * @throws AuthError `batch_key_limit`.
   */
  rotate(forget: boolean, call?: CallOptions & Partial<Pick<FlowCall, 'commit'>>): Promise<number>;
}

export function createKeyRing(context: MethodContext): KeyRing {
  const { storage, clock, crypto } = context.ports;
  const { batchKeys } = context.collections;
  const maxTtlMs = context.options.maxTtlSeconds * 1000;

  /** @param decide the keys from those that are alive; undefined leaves them as they are. */
  function update(
    decide: (alive: readonly StoredBatchKey[], now: EpochMillis) => readonly StoredBatchKey[] | undefined,
    options: CallOptions | undefined,
    commit: CommitEffect = (operations) => storage.commit(operations, options),
  ): Promise<readonly StoredBatchKey[]> {
    return runOptimistic(async () => {
      const entry = await batchKeys.get(RING_ID, options);
      const now = clock.now();
      const alive = (entry?.value.keys ?? []).filter(({ keepUntil }) => now < keepUntil);
      const keys = decide(alive, now);
      if (keys === undefined) return alive;
      await commit([await batchKeys.put(RING_ID, { keys }, unchanged(entry), undefined, options)]);
      return keys;
    });
  }

  return {
    async sealingKey(expiresAt, options) {
      const keys = await update((alive, now) => {
        const latest = alive.at(-1);
        const maySeal = latest !== undefined && now < latest.sealUntil && expiresAt <= latest.keepUntil;
        return maySeal ? undefined : [...alive, makeKey(crypto, now, maxTtlMs)];
      }, options);
      return readKey(keys.at(-1));
    },
    async find(id, options) {
      const entry = await batchKeys.get(RING_ID, options);
      const found = entry?.value.keys.find((key) => key.id === id);
      return found === undefined || found.keepUntil <= clock.now() ? undefined : readKey(found);
    },
    async rotate(forget, call) {
      const keys = await update(
        (alive, now) => {
          const kept = forget ? [] : alive;
          if (kept.length >= MAX_KEYS_ON_DEMAND) {
            throw new AuthError('batch_key_limit', 'too many keys are still in use; wait, or forget them');
          }
          return [...kept, makeKey(crypto, now, maxTtlMs)];
        },
        call,
        call?.commit,
      );
      return keys.length;
    },
  };
}

function makeKey(random: RandomSource, now: EpochMillis, maxTtlMs: number): StoredBatchKey {
  const sealUntil = now + Math.max(SEALING_MS, Math.ceil(maxTtlMs / GREATEST_LIFETIME_SHARE));
  return {
    id: encodeHex(random.bytes(KEY_ID_BYTES)),
    key: encodeBase64Url(random.bytes(KEY_BYTES)),
    createdAt: now,
    sealUntil,
    keepUntil: sealUntil + maxTtlMs,
  };
}

function readKey(stored: StoredBatchKey | undefined): RingKey {
  const key = stored === undefined ? undefined : decodeBase64Url(stored.key);
  if (stored !== undefined && key?.length === KEY_BYTES) return { id: stored.id, key };
  throw new AuthError('internal', 'a stored batch key cannot be read', { reason: 'record_corrupt' });
}

export function createBatchKeyOperation(context: MethodContext) {
  return defineOperation({
    id: 'batch-keys.rotate',
    summary: 'Make a new key for batch tokens; with forget, end every batch token that was issued',
    verb: 'write',
    scope: 'mount',
    path: 'batch-keys/rotate',
    access: 'management',
    fields: z.object({ forget: described(booleanField, 'Drop all other keys: batch tokens under them end at once.') }),
    output: z.object({ keys: z.int().positive() }),
    async handle(request) {
      const forget = request.fields.forget ?? false;
      request.annotate({ details: { forget: String(forget) } });
      return { data: { keys: await createKeyRing(context).rotate(forget, request) } };
    },
  });
}
