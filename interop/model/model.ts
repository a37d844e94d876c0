/**
 * The model as a machine: what each command may do to a state and say about it, in steps that nothing comes between.
 * A command of two steps (a use of a token is spent, then the token is acted on) may have others in between.
 */
import { type Answer, type ResolvedCommand, refused } from './answers.js';
import type { Branch } from './branch.js';
import { lifetime } from './model-lifetime.js';
import { entryEnd, modelLogin } from './model-login.js';
import { modelDeny, modelRoleWrite, modelTag } from './model-roles.js';
import { IMAGE_ID, type ModelRole, type ModelState, type ModelToken, without } from './model-state.js';

/** @param carried what the step before read. */
export type Step = (state: ModelState, carried: ModelRole | undefined) => readonly Branch[];

/** @param rivals whether another sweep of the same list goes on at the same time. */
export function stepsOf(command: ResolvedCommand, label: string, rivals: boolean): readonly Step[] {
  switch (command.op) {
    case 'role.write':
      return [(state) => [modelRoleWrite(state, command, label)]];
    case 'role.delete':
      return [
        (state) => [{ state: { ...state, roles: without(state.roles, command.role) }, answer: ok(), wrote: true }],
      ];
    case 'role.tag':
      return [(state) => [modelTag(state, command, label)]];
    case 'login':
      return [
        (state) => [{ state, carry: state.roles[command.role] }],
        (state, role) => [loginStep(state, command, label, role)],
      ];
    case 'deny':
      return [(state) => [modelDeny(state, command.tag)]];
    case 'allow':
      return [
        (state) => [{ state: { ...state, denied: without(state.denied, command.tag) }, answer: ok(), wrote: true }],
      ];
    case 'forget':
      return [
        (state) => [
          { state: { ...state, entries: without(state.entries, command.instance) }, answer: ok(), wrote: true },
        ],
      ];
    case 'tidy':
      return [
        (state) => [
          { state: tidied(state, command), answer: { code: 'ok', started: true }, wrote: true, recovers: 'both' },
          ...(rivals ? [{ state, answer: { code: 'ok', started: false } }] : []),
        ],
      ];
    case 'token':
      return tokenSteps(command);
  }
}

/** A login that was decided on a role that has changed meanwhile is decided again; one that was refused is refused. */
function loginStep(
  state: ModelState,
  command: Extract<ResolvedCommand, { op: 'login' }>,
  label: string,
  role: ModelRole | undefined,
): Branch {
  const login = { ...command, label };
  let verdict = modelLogin(state, login, role);
  const current = state.roles[command.role];
  if (verdict.code === 'ok' && JSON.stringify(current) !== JSON.stringify(role)) {
    verdict = modelLogin(state, login, current);
  }
  if (!('token' in verdict)) return { state, answer: refused(verdict.code) };
  const { token, generated } = verdict;
  return {
    state: verdict.state,
    wrote: true,
    ...(token.type === 'service' ? { recovers: 'applied' as const } : {}),
    answer: {
      code: 'ok',
      policies: token.policies,
      lease: token.ttl,
      renewable: token.type === 'service',
      type: token.type,
      uses: token.usesLeft ?? 0,
      generated,
    },
  };
}

/** Both instances exist, running or not (TIDY-10): of the access list, all goes only where it is not asked. */
function tidied(state: ModelState, { list, buffer, keep }: Extract<ResolvedCommand, { op: 'tidy' }>): ModelState {
  const goes = (record: { readonly expiresAt: number }) => record.expiresAt + buffer * 1000 < state.now;
  const kept = <T extends { readonly expiresAt: number }>(records: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(records).filter(([, record]) => !goes(record)));
  if (list === 'access' && keep) return state;
  return list === 'access' ? { ...state, entries: kept(state.entries) } : { ...state, denied: kept(state.denied) };
}

type TokenCommand = Extract<ResolvedCommand, { op: 'token' }>;

function tokenSteps(command: TokenCommand): readonly Step[] {
  const { act, token, increment } = command;
  const act2 = (state: ModelState): Branch => {
    const record = alive(state, token);
    switch (act) {
      case 'lookup':
        return { state, answer: record === undefined ? refused('token_not_found') : lookup(state, record) };
      case 'lookup-accessor': {
        const service = record?.type === 'service' ? record : undefined;
        return { state, answer: service === undefined ? refused('token_not_found') : lookup(state, service) };
      }
      case 'renew':
      case 'renew-self':
        return renewed(state, token, record, increment);
      case 'revoke-accessor':
        return record?.type === 'service' ? revoked(state, token) : { state, answer: ok() };
      case 'revoke':
        if (record === undefined) return { state, answer: ok() };
        return record.type === 'batch' ? { state, answer: refused('token_not_revocable') } : revoked(state, token);
      case 'revoke-self':
        return state.tokens[token]?.type === 'batch'
          ? { state, answer: refused('token_not_revocable') }
          : revoked(state, token);
      case 'lookup-self':
        throw new TypeError('a look-up of oneself is one step');
    }
  };
  switch (act) {
    case 'lookup-self':
      return [(state) => [spend(state, token, (after, record) => lookup(after, record))]];
    case 'renew-self':
    case 'revoke-self':
      return [(state) => [spend(state, token)], (state) => [act2(state)]];
    default:
      return [(state) => [act2(state)]];
  }
}

function alive(state: ModelState, token: string): ModelToken | undefined {
  const record = state.tokens[token];
  if (record === undefined || record.expiresAt <= state.now) return undefined;
  return record.type === 'batch' ? withinRole(state, record) : record;
}

/** BATCH-4: what the role grants now; nothing once it is gone. */
function withinRole(state: ModelState, record: ModelToken): ModelToken | undefined {
  const role = state.roles[record.role];
  if (role?.born !== record.roleBorn) return undefined;
  return { ...record, policies: record.policies.filter((name) => grants(role, name)) };
}

function grants(role: ModelRole, policy: string): boolean {
  return policy === 'default' || role.policies.includes(policy);
}

/** One use of a token; with its last one it is gone. */
function spend(state: ModelState, token: string, answer?: (state: ModelState, record: ModelToken) => Answer): Branch {
  const record = alive(state, token);
  if (record === undefined) return { state, answer: refused('permission_denied') };
  const { usesLeft } = record;
  if (usesLeft === undefined) return { state, ...(answer === undefined ? {} : { answer: answer(state, record) }) };
  const used = { ...record, usesLeft: usesLeft - 1 };
  const tokens = used.usesLeft === 0 ? without(state.tokens, token) : { ...state.tokens, [token]: used };
  const after = { ...state, tokens };
  return { state: after, wrote: true, ...(answer === undefined ? {} : { answer: answer(after, used) }) };
}

function lookup(state: ModelState, record: ModelToken): Answer {
  return {
    code: 'ok',
    ttl: Math.ceil((record.expiresAt - state.now) / 1000),
    uses: record.usesLeft ?? 0,
    policies: record.policies,
    type: record.type,
  };
}

function revoked(state: ModelState, token: string): Branch {
  return { state: { ...state, tokens: without(state.tokens, token) }, answer: ok(), wrote: true };
}

/** RENEW-2, RENEW-4, ACCESS-6: the instance runs, the entry stands, the role is the same one and grants what the token holds. */
function renewed(state: ModelState, token: string, record: ModelToken | undefined, increment: number): Branch {
  const no = (code: string): Branch => ({ state, answer: refused(code) });
  if (record === undefined) return no('token_not_found');
  if (record.type === 'batch') return no('token_not_renewable');
  if (!state.running[record.instance]) return no('instance_not_running');
  const entry = state.entries[record.instance];
  if (entry === undefined) return no('access_list_entry_missing');
  const role = state.roles[record.role];
  if (role?.born !== record.roleBorn) return no('role_not_found');
  if (role.imageId !== IMAGE_ID || !record.policies.every((name) => grants(role, name))) {
    return { ...revoked(state, token), answer: refused('role_narrowed') };
  }
  const { tagMaxTtl, explicitMaxTtl, issuedAt } = record;
  const ttl = lifetime({ role, tagMaxTtl, explicitMaxTtl, issuedAt, increment }, state.now);
  if (ttl === undefined) return no('token_lifetime_exhausted');
  const next = { ...record, ttl, period: role.period, expiresAt: state.now + ttl * 1000 };
  const kept = { ...entry, updatedAt: state.now, expiresAt: entryEnd(state.now, role, tagMaxTtl) };
  return {
    state: {
      ...state,
      tokens: { ...state.tokens, [token]: next },
      entries: { ...state.entries, [record.instance]: kept },
    },
    answer: { code: 'ok', lease: ttl, policies: record.policies },
    wrote: true,
  };
}

function ok(): Answer {
  return { code: 'ok' };
}
