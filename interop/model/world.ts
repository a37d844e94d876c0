/** A method with its surroundings under the test's hand: clock, cloud, storage with faults, and documents that were signed once. */
import { type AuthMethod, createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { AuditEvent, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFakeCloud,
  createFaultStorage,
  createManualClock,
  type FakeInstance,
  type FaultStorage,
  type ManualClock,
  seededRandom,
} from '@postern/testkit';
import type { Made } from './answers.js';
import type { Fault } from './commands.js';
import { type Face, httpFace, inProcessFace } from './faces.js';
import { type Boot, IMAGE_ID, INSTANCES, type InstanceIndex, MOUNT_DEFAULT_TTL, MOUNT_MAX_TTL } from './model-state.js';

export const START = Date.UTC(2026, 10, 21, 9);
const SCRATCH = 'model/scratch';

const crypto = createNodeCrypto();
/** Signs for every world: instances are the same ones in all of them. */
const signer = createFakeCloud({ clock: createManualClock(START), seed: 'model' });
/** The one that its documents need: to parse a certificate costs more than a run. */
const certificates = signer.defaultCertificates([signer.region]).filter(({ pem }) => {
  return pem === signer.certificates().pkcs7Rsa2048;
});
const signed = INSTANCES.map((index) => {
  const instance = signer.launchInstance({ instanceId: instanceId(index), imageId: IMAGE_ID });
  return ([0, 1, 2] as const).map((boot) => instance.pkcs7({ fields: { pendingTime: pendingTime(boot) } }));
});

export function instanceId(index: InstanceIndex): string {
  return `i-${index}`;
}

export function documentOf(index: InstanceIndex, boot: Boot): string {
  const text = signed[index]?.[boot];
  if (text === undefined) throw new TypeError('every instance has three documents');
  return text;
}

export function pendingTime(boot: Boot): string {
  return new Date(START - 3_600_000 + boot * 1_000_000).toISOString().replace('.000Z', 'Z');
}

/** One way in: a face, the storage it works on, and the token of its operator. */
export interface Door {
  readonly face: Face;
  readonly method: AuthMethod;
  readonly root: string;
  /** Of the present run. */
  faults: FaultStorage;
}

export interface World {
  readonly clock: ManualClock;
  readonly instances: readonly FakeInstance[];
  readonly memory: Storage;
  /** How many commits the memory has seen. */
  readonly commits: () => number;
  readonly doors: readonly Door[];
  readonly events: AuditEvent[];
  /** What the labels of the model stand for here. */
  readonly names: Names;
  /** Keys that are there before a run begins. */
  readonly lasting: ReadonlySet<string>;
}

export interface Names {
  readonly tokens: Map<string, { readonly text: string; readonly accessor: string }>;
  readonly tags: Map<string, string>;
  /** From the word of the model to the text. */
  readonly nonces: Map<string, string>;
  readonly ownNonce: Map<InstanceIndex, string>;
}

export interface WorldOptions {
  /** One method for each. */
  readonly faces: readonly ('process' | 'http')[];
  readonly seed: string;
}

export async function createWorld({ faces, seed }: WorldOptions): Promise<World> {
  const clock = createManualClock(START);
  const memory = createMemoryStorage();
  const commit = memory.commit.bind(memory);
  let commits = 0;
  memory.commit = (...call) => {
    commits += 1;
    return commit(...call);
  };
  const cloud = createFakeCloud({ clock, seed, region: signer.region, ownAccountId: signer.ownAccountId });
  const instances = INSTANCES.map((index) =>
    cloud.launchInstance({ instanceId: instanceId(index), imageId: IMAGE_ID }),
  );
  const events: AuditEvent[] = [];
  const random = seededRandom(seed);
  const doors: Door[] = [];
  for (const kind of faces) {
    const slot = { faults: createFaultStorage(memory) };
    const method = createAuthMethod(
      {
        storage: storageOf(slot),
        clock,
        crypto: { ...crypto, ...random },
        cloud,
        audit: { record: (event) => void events.push(event) },
      },
      {
        builtInCertificates: certificates,
        defaultTtlSeconds: MOUNT_DEFAULT_TTL,
        maxTtlSeconds: MOUNT_MAX_TTL,
        // The model knows an instance as it is now.
        renewalAnswerSeconds: 0,
      },
    );
    const root = await method.createRootToken();
    const face = kind === 'http' ? httpFace(method, clock) : inProcessFace(method);
    doors.push(Object.assign(slot, { face, method, root }));
  }
  const names: Names = { tokens: new Map(), tags: new Map(), nonces: new Map(), ownNonce: new Map() };
  const lasting = new Set((await memory.list('', { limit: 1000 })).items.map(({ key }) => key));
  return { clock, instances, memory, commits: () => commits, doors, events, names, lasting };
}

/**
 * As it was when it was made, for the next run: to make a method costs more than a run. Versions go on counting, so that
 * nothing a method remembers of a record is mistaken for another.
 *
 * @param gate between a method and its storage.
 */
export async function resetWorld(world: World, gate = (inner: Storage): Storage => inner): Promise<void> {
  const { clock, instances, memory, doors, events, names, lasting } = world;
  clock.set(START);
  for (const instance of instances) {
    instance.setState('running');
    instance.setTags({});
  }
  for (const { key } of (await memory.list('', { limit: 1000 })).items) {
    if (!lasting.has(key)) await memory.commit([{ type: 'delete', key, if: 'present' }]);
  }
  events.length = 0;
  for (const known of Object.values(names)) known.clear();
  for (const door of doors) {
    door.faults = createFaultStorage(gate(memory));
    // Twice, so that a read of the past has something to show when a fault is drained.
    for (const value of ['1', '2']) await door.faults.commit([{ type: 'put', key: SCRATCH, value, if: 'any' }]);
  }
}

/** What a method holds: the storage of the present run. */
function storageOf(slot: { readonly faults: FaultStorage }): Storage {
  return {
    get: (...call) => slot.faults.get(...call),
    getMany: (...call) => slot.faults.getMany(...call),
    list: (...call) => slot.faults.list(...call),
    listExpired: (...call) => slot.faults.listExpired(...call),
    readLog: (...call) => slot.faults.readLog(...call),
    removeFromLog: (...call) => slot.faults.removeFromLog(...call),
    commit: (...call) => slot.faults.commit(...call),
    close: () => slot.faults.close(),
  };
}

export function madeIn({ names }: World): Made {
  return {
    tokens: [...names.tokens.keys()],
    tags: [...names.tags.keys()],
    ownNonce: Object.fromEntries(names.ownNonce),
  };
}

/** Runs `act` with a fault waiting for the first commit or read. @returns whether it struck. */
export async function underFault(
  faults: FaultStorage,
  fault: Fault | undefined,
  act: () => Promise<void>,
): Promise<boolean> {
  const struckBefore = struckCount(faults);
  if (fault === 'read unavailable') faults.failNextRead('unavailable');
  else if (fault === 'read stale') faults.failNextRead('stale');
  else if (fault !== undefined) faults.failNextCommit(fault);
  await act();
  const struck = struckCount(faults) > struckBefore;
  if (fault !== undefined && !struck) {
    const drain = fault.startsWith('read')
      ? faults.get(SCRATCH)
      : faults.commit([{ type: 'check', key: SCRATCH, if: 'present' }]);
    await drain.then(
      () => undefined,
      () => undefined,
    );
  }
  return struck;
}

function struckCount(faults: FaultStorage): number {
  return [...faults.faults().values()].reduce((sum, count) => sum + count, 0);
}
