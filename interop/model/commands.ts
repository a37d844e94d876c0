/** What a run may do: commands as fast-check makes them, with tokens and tags by number, so that they shrink well. */
import fc from 'fast-check';
import { type Boot, IMAGE_ID, type InstanceIndex, ROLE_NAMES, type RoleName, TAG_KEY } from './model-state.js';

/** The first commit or read that follows suffers it. */
export type Fault =
  | 'unavailable'
  | 'lost_unknown'
  | 'applied_unknown'
  | 'conflict'
  | 'duplicate'
  | 'read unavailable'
  | 'read stale';

/** Members of a role write, in the names of the model. What is left out is not sent. */
export interface RoleChange {
  readonly imageId?: string;
  readonly migration?: boolean;
  readonly disallow?: boolean;
  readonly tagKey?: string;
  readonly ttl?: number;
  readonly maxTtl?: number;
  readonly explicitMaxTtl?: number;
  readonly period?: number;
  readonly uses?: number;
  readonly type?: 'service' | 'batch' | 'default';
  readonly policies?: readonly string[];
}

export interface TagWish {
  readonly policies?: readonly string[];
  readonly maxTtl?: number;
  readonly migration?: boolean;
  readonly disallow?: boolean;
  readonly instance?: InstanceIndex;
}

/** `own`: the nonce that the instance was last given. */
export type NonceChoice = 'absent' | 'empty' | 'A' | 'B' | 'sentinel' | 'long' | 'own';

export const TOKEN_OPERATIONS = [
  'lookup-self',
  'renew-self',
  'revoke-self',
  'lookup',
  'renew',
  'revoke',
  'lookup-accessor',
  'revoke-accessor',
] as const;

/** A call of the method. Numbers count tokens and tags as they were made, from the latest. */
export type ApiCommand =
  | { readonly op: 'role.write'; readonly role: RoleName; readonly change: RoleChange }
  | { readonly op: 'role.delete'; readonly role: RoleName }
  | { readonly op: 'role.tag'; readonly role: RoleName; readonly wish: TagWish }
  | {
      readonly op: 'login';
      readonly role: RoleName;
      readonly instance: InstanceIndex;
      readonly boot: Boot;
      readonly nonce: NonceChoice;
    }
  | { readonly op: 'deny' | 'allow'; readonly tag: number }
  | { readonly op: 'forget'; readonly instance: InstanceIndex }
  | { readonly op: 'tidy'; readonly list: 'access' | 'deny'; readonly buffer: number; readonly keep: boolean }
  | {
      readonly op: 'token';
      readonly act: (typeof TOKEN_OPERATIONS)[number];
      readonly token: number;
      readonly increment: number;
    };

/** What happens around the method. */
export type WorldCommand =
  | { readonly op: 'advance'; readonly seconds: number }
  | { readonly op: 'carry'; readonly instance: InstanceIndex; readonly tag: number | 'nothing' | 'garbage' }
  | { readonly op: 'power'; readonly instance: InstanceIndex; readonly running: boolean };

const role = fc.constantFrom(...ROLE_NAMES);
const instance = fc.constantFrom<InstanceIndex[]>(0, 0, 1);
const policies = fc.constantFrom<(readonly string[])[]>([], ['p'], ['p', 'q']);
const nth = fc.nat({ max: 3 });

const anyChange: fc.Arbitrary<RoleChange> = fc.record(
  {
    imageId: fc.constantFrom(IMAGE_ID, IMAGE_ID, IMAGE_ID, 'ami-2', ''),
    migration: fc.boolean(),
    disallow: fc.constantFrom(false, false, true),
    tagKey: fc.constantFrom('', '', TAG_KEY),
    ttl: fc.constantFrom(0, 600, 7200),
    maxTtl: fc.constantFrom(0, 600, 3600, 28_800),
    explicitMaxTtl: fc.constantFrom(0, 5400),
    period: fc.constantFrom(0, 0, 1200, 20_000),
    uses: fc.constantFrom(0, 0, 1, 2, 3),
    type: fc.constantFrom('default', 'service', 'service', 'batch'),
    policies,
  },
  { requiredKeys: [] },
);

const wish: fc.Arbitrary<TagWish> = fc.record(
  {
    policies,
    maxTtl: fc.constantFrom(0, 900, 3600, 20_000),
    migration: fc.boolean(),
    disallow: fc.constantFrom(false, false, true),
    instance,
  },
  { requiredKeys: [] },
);

const nonce = fc.constantFrom<NonceChoice[]>('absent', 'own', 'own', 'A', 'A', 'B', 'empty', 'sentinel', 'long');
const login: fc.Arbitrary<ApiCommand> = fc.record({
  op: fc.constant('login' as const),
  role,
  instance,
  boot: fc.constantFrom<Boot[]>(0, 0, 1, 2),
  nonce,
});
/** Now and then a role grants less than its tokens have lived. */
const change = fc.oneof(
  { weight: 4, arbitrary: anyChange },
  { weight: 1, arbitrary: fc.constant<RoleChange>({ ttl: 300, maxTtl: 600 }) },
);

/** How a run begins: two sound roles, often with a tag of the first that both instances carry, and somebody logged in. */
export const beginning: fc.Arbitrary<readonly (ApiCommand | WorldCommand)[]> = fc
  .record({
    migration: fc.boolean(),
    tagged: fc.boolean(),
    // Batch tokens count no uses.
    kind: fc.constantFrom<{ uses: number; type: 'service' | 'batch' }[]>(
      { uses: 0, type: 'service' },
      { uses: 0, type: 'service' },
      { uses: 0, type: 'service' },
      { uses: 2, type: 'service' },
      { uses: 0, type: 'batch' },
    ),
    ttl: fc.constantFrom(0, 600),
    wish,
    logins: fc.array(login, { maxLength: 2 }),
  })
  .map(({ migration, tagged, kind, ttl, wish: wished, logins }) => {
    const sound = { imageId: IMAGE_ID, policies: ['p', 'q'], ...kind, ttl };
    const dev: ApiCommand = {
      op: 'role.write',
      role: 'dev',
      change: { ...sound, migration, tagKey: tagged ? TAG_KEY : '' },
    };
    const ops: ApiCommand = { op: 'role.write', role: 'ops', change: { ...sound, migration: !migration } };
    const tag: readonly (ApiCommand | WorldCommand)[] = [
      { op: 'role.tag', role: 'dev', wish: wished },
      { op: 'carry', instance: 0, tag: 0 },
      { op: 'carry', instance: 1, tag: 0 },
    ];
    return [dev, ops, ...(tagged ? tag : []), ...logins];
  });

export function isWorldCommand(command: ApiCommand | WorldCommand): command is WorldCommand {
  return command.op === 'advance' || command.op === 'carry' || command.op === 'power';
}

const tokenCommand: fc.Arbitrary<ApiCommand> = fc.record({
  op: fc.constant('token' as const),
  act: fc.constantFrom(...TOKEN_OPERATIONS),
  token: nth,
  increment: fc.constantFrom(0, 0, 300, 50_000),
});

export const apiCommand: fc.Arbitrary<ApiCommand> = fc.oneof(
  { weight: 8, arbitrary: login },
  { weight: 7, arbitrary: tokenCommand },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('role.write' as const), role, change }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('role.delete' as const), role }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('role.tag' as const), role, wish }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('deny' as const), tag: nth }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('allow' as const), tag: nth }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('forget' as const), instance }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('tidy' as const),
      list: fc.constantFrom('access' as const, 'deny' as const),
      buffer: fc.constantFrom(0, 600, 3600),
      keep: fc.boolean(),
    }),
  },
);

export const worldCommand: fc.Arbitrary<WorldCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('advance' as const),
      seconds: fc.constantFrom(1, 300, 600, 1200, 3600, 14_400, 30_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('carry' as const),
      instance,
      tag: fc.oneof(nth, nth, fc.constantFrom('nothing' as const, 'garbage' as const)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('power' as const), instance, running: fc.constantFrom(true, true, false) }),
  },
);

export const commitFault = fc.constantFrom<Fault[]>(
  'unavailable',
  'lost_unknown',
  'applied_unknown',
  'conflict',
  'duplicate',
);

/** Reads that lie are for what decides by a conditional commit: logins and renewals. */
export function faultFor(command: ApiCommand): fc.Arbitrary<Fault | undefined> {
  const judged = command.op === 'login' || (command.op === 'token' && command.act === 'renew-self');
  const faults = [commitFault, fc.constant<Fault>('read unavailable')];
  if (judged) faults.push(fc.constant<Fault>('read stale'));
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.oneof(...faults) });
}
