/**
 * Who rotates (ROTATE-4): one call at a time, in whatever process. The stored state is also the lease: each write
 * depends on the version that the holder read or wrote last, so one that was taken over can write nothing more.
 */

import { encodeHex, resolveUnknownCommit } from '@postern/kernel';
import { isConflict, type Operation, type Version } from '@postern/ports';
import type { CommitEffect, FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { runOptimistic, unchanged } from '../store/collection.js';
import type { RotationState, RotationStep } from './rotation-state.js';

/** Longer than the longest step takes: a crashed rotation can be taken over after it. Each step begins it anew. */
export const ROTATION_LEASE_MS = 300_000;

const ROTATION_ID = 'root';

/** A state that this call holds. */
export interface HeldRotation<State extends RotationStep = RotationStep> {
  readonly state: State;
  readonly version: Version;
}

export interface RotationLease {
  /** What is stored, or undefined. @throws AuthError `rotation_in_progress` while somebody holds it. */
  readInterrupted(): Promise<Interrupted | undefined>;
  /** @throws StorageError `conflict` where the state, or something checked alongside, is no longer as it was read. */
  take(
    interrupted: Interrupted | undefined,
    state: RotationStep,
    alongside: readonly Operation[],
  ): Promise<HeldRotation>;
  /**
   * To the next state, together with other writes.
   *
   * @throws AuthError `rotation_in_progress` where the lease was lost; StorageError `conflict` where something else is no
   *   longer as it was read.
   */
  advance<State extends RotationStep>(
    held: HeldRotation,
    state: State,
    alongside?: readonly Operation[],
  ): Promise<HeldRotation<State>>;
  /** Nothing is left to do. A call that took the lease over meanwhile finds the same. */
  end(held: HeldRotation): Promise<void>;
  /** Lets the next call go on at once. Best effort: the lease ends by itself. */
  release(held: HeldRotation): Promise<void>;
}

export interface Interrupted {
  readonly state: RotationState;
  readonly version: Version;
}

/** Writes are never given up halfway: what was done at the provider has to be written down. */
export function createRotationLease(
  { ports, collections }: Pick<MethodContext, 'ports' | 'collections'>,
  call: Pick<FlowCall, 'commit'>,
): RotationLease {
  const { rotations: states } = collections;
  const holder = encodeHex(ports.crypto.bytes(16));

  async function write<State extends RotationStep>(
    before: { readonly version: Version } | undefined,
    state: State,
    alongside: readonly Operation[],
    send: CommitEffect = (operations) => ports.storage.commit(operations),
  ): Promise<HeldRotation<State>> {
    const leaseEndsAt = ports.clock.now() + ROTATION_LEASE_MS;
    const put = await states.put(ROTATION_ID, { ...state, holder, leaseEndsAt }, unchanged(before));
    const commit = async () => (await send([put, ...alongside])).versions[0];
    const version = await resolveUnknownCommit(commit, async () => {
      const stored = await states.get(ROTATION_ID);
      const isApplied = stored?.value.holder === holder && stored.value.phase === state.phase;
      return isApplied && stored.version !== before?.version ? stored.version : undefined;
    });
    if (version === undefined) throw new AuthError('internal', 'a write was answered without its version');
    return { state, version };
  }

  return {
    async readInterrupted() {
      const stored = await states.get(ROTATION_ID);
      if (stored !== undefined && stored.value.leaseEndsAt > ports.clock.now()) throw inProgress();
      return stored === undefined ? undefined : { state: stored.value, version: stored.version };
    },
    // What begins is recorded before the first key is made (AUDIT-6).
    take: (interrupted, state, alongside) =>
      write(interrupted, state, alongside, (operations) => call.commit(operations, { intent: true })),
    async advance(held, state, alongside = []) {
      try {
        return await write(held, state, alongside);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const stored = await states.get(ROTATION_ID);
        throw stored?.version === held.version ? error : inProgress();
      }
    },
    async end(held) {
      await runOptimistic(async () => {
        const stored = await states.get(ROTATION_ID);
        if (stored?.version !== held.version) return;
        await ports.storage.commit([states.delete(ROTATION_ID, unchanged(stored))]);
      });
    },
    async release({ state, version }) {
      const isStarted = state.phase === 'started';
      const released = { ...state, holder, leaseEndsAt: 0 };
      try {
        const operation = isStarted
          ? states.delete(ROTATION_ID, { version })
          : await states.put(ROTATION_ID, released, { version });
        await ports.storage.commit([operation]);
      } catch {
        // The lease ends by itself.
      }
    },
  };
}

function inProgress(): AuthError {
  return new AuthError('rotation_in_progress', 'another rotation of the root key is under way');
}
