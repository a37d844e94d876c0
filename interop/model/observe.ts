/** What a world holds, as an operator reads it, in the words of the model: compared with each state that explains the answers. */
import { isDeepStrictEqual } from 'node:util';
import { isAuthError } from '@postern/core-auth';
import type { Storage } from '@postern/ports';
import { isGenerated } from './model-login.js';
import type { Boot, InstanceIndex, ModelState } from './model-state.js';
import { instanceId, pendingTime, type World } from './world.js';

/** Request id of what only the test asks. */
export const OBSERVER = 'observer';

type Data = Readonly<Record<string, unknown>>;

/** Of the whole world, read through the operations themselves; and how many records of tokens there are. */
export interface Observation {
  readonly roles: Data;
  readonly entries: Data;
  readonly denied: Data;
  readonly tokens: Data;
  readonly tokenRecords: number;
}

export async function observe(world: World): Promise<Observation> {
  const { names, doors, memory } = world;
  const method = doors[0]?.method;
  const read = async (operation: string, params: Readonly<Record<string, string>>, fields: Data = {}) => {
    try {
      const call = { operation, params, fields, requestId: OBSERVER, peerAddress: undefined };
      return (await method?.handleAsHost(call))?.data;
    } catch (error) {
      if (isAuthError(error) && (error.code === 'not_found' || error.code === 'token_not_found')) return undefined;
      throw error;
    }
  };
  const keys = async (operation: string) => (await read(operation, {}))?.['keys'] as readonly string[];
  const collect = async (
    ids: Iterable<string>,
    one: (id: string) => Promise<readonly [string, unknown] | undefined>,
  ) => {
    const found = await Promise.all([...ids].map(one));
    return Object.fromEntries(found.filter((pair) => pair !== undefined));
  };
  const tagWords = new Map([...names.tags].map(([word, text]) => [text, word]));
  return {
    roles: await collect(await keys('role.list'), async (name) => [name, await read('role.read', { role: name })]),
    entries: await collect(await keys('access-list.list'), async (id) => {
      return [id, await read('access-list.read', { instance_id: id })];
    }),
    denied: await collect(await keys('deny-list.list'), async (text) => {
      return [tagWords.get(text) ?? text, await read('deny-list.read', { role_tag: text })];
    }),
    tokens: await collect(names.tokens.keys(), async (word) => {
      const accessor = names.tokens.get(word)?.accessor ?? '';
      const data = accessor === '' ? undefined : await read('token.lookup-accessor', {}, { accessor });
      return data === undefined ? undefined : [word, data];
    }),
    tokenRecords: await countTokens(memory),
  };
}

async function countTokens(memory: Storage): Promise<number> {
  return (await memory.list('postern/auth/tokens/', { limit: 1000 })).items.length;
}

/** Whether a state of the model is what an operator reads. Roles of the world's own operators are not in it. */
export function agrees(state: ModelState, seen: Observation, world: World): boolean {
  return isDeepStrictEqual(shapeOfSeen(seen, world), shapeOfState(state, world));
}

/** Only what the model has a word for. */
export function shapeOfSeen({ roles, entries, denied, tokens, tokenRecords }: Observation, world: World): unknown {
  const known = new Set(world.names.nonces.values());
  const pick = (records: Data, members: readonly string[]) =>
    Object.fromEntries(
      Object.entries(records).map(([name, record]) => [
        name,
        Object.fromEntries(members.map((member) => [member, (record as Data)[member]])),
      ]),
    );
  return {
    roles: pick(roles, ROLE_MEMBERS),
    entries: Object.fromEntries(
      Object.entries(pick(entries, ENTRY_MEMBERS)).map(([name, entry]) => {
        const nonce = String(entry['client_nonce']);
        return [name, { ...entry, client_nonce: UUID.test(nonce) && !known.has(nonce) ? NEVER_TOLD : nonce }];
      }),
    ),
    denied,
    tokens: pick(tokens, TOKEN_MEMBERS),
    tokenRecords,
  };
}

/** Of a nonce that was made and stored, and whose answer was lost. */
const NEVER_TOLD = 'made, and never told';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ROLE_MEMBERS = [
  'bound_ami_id',
  'allow_instance_migration',
  'disallow_reauthentication',
  'role_tag',
  'token_ttl',
  'token_max_ttl',
  'token_explicit_max_ttl',
  'token_period',
  'token_num_uses',
  'token_type',
  'token_policies',
];
const ENTRY_MEMBERS = [
  'role',
  'client_nonce',
  'disallow_reauthentication',
  'pending_time',
  'creation_time',
  'last_updated_time',
  'expiration_time',
];
const TOKEN_MEMBERS = ['ttl', 'num_uses', 'policies', 'period', 'explicit_max_ttl', 'type'];

export function shapeOfState(state: ModelState, { names, doors }: World): unknown {
  const map = <T>(
    records: Readonly<Record<string, T>>,
    make: (name: string, record: T) => readonly [string, unknown],
  ) => Object.fromEntries(Object.entries(records).map(([name, record]) => make(name, record)));
  const service = Object.entries(state.tokens).filter(([, { type }]) => type === 'service');
  return {
    roles: map(state.roles, (name, role) => [
      name,
      {
        bound_ami_id: role.imageId === '' ? [] : [role.imageId],
        allow_instance_migration: role.migration,
        disallow_reauthentication: role.disallow,
        role_tag: role.tagKey,
        token_ttl: role.ttl,
        token_max_ttl: role.maxTtl,
        token_explicit_max_ttl: role.explicitMaxTtl,
        token_period: role.period,
        token_num_uses: role.uses,
        token_type: role.type,
        token_policies: role.policies,
      },
    ]),
    entries: map(state.entries, (index, entry) => [
      // Keys of an object are text; these were indexes of instances.
      instanceId(Number(index) as InstanceIndex),
      {
        role: entry.role,
        client_nonce: names.nonces.get(entry.nonce) ?? (isGenerated(entry.nonce) ? NEVER_TOLD : entry.nonce),
        disallow_reauthentication: entry.disallow,
        pending_time: pendingTime(entry.boot as Boot),
        creation_time: time(entry.createdAt),
        last_updated_time: time(entry.updatedAt),
        expiration_time: time(entry.expiresAt),
      },
    ]),
    denied: map(state.denied, (label, { createdAt, expiresAt }) => [
      label,
      { creation_time: time(createdAt), expiration_time: time(expiresAt) },
    ]),
    tokens: Object.fromEntries(
      service
        .filter(([, { expiresAt }]) => expiresAt > state.now)
        .map(([label, token]) => [
          label,
          {
            ttl: Math.ceil((token.expiresAt - state.now) / 1000),
            num_uses: token.usesLeft ?? 0,
            policies: token.policies,
            period: token.period > 0 ? token.period : undefined,
            explicit_max_ttl: token.explicitMaxTtl,
            type: 'service',
          },
        ]),
    ),
    // Each door has its operator.
    tokenRecords: service.length + doors.length,
  };
}

/** As the wire spells instants. */
function time(epochMillis: number): string {
  return new Date(epochMillis).toISOString();
}
