/**
 * The states of a module version and what each command does in each of them (REG-1): one total table. Every
 * pair is an entry; a state or command added without its entries does not compile.
 */
import type { ModuleVersionState } from '@postern/ports';

export const STATES = ['active', 'deprecated', 'revoked'] as const satisfies readonly ModuleVersionState[];

export const COMMANDS = ['deprecate', 'reinstate', 'revoke', 'unrevoke'] as const;
export type Command = (typeof COMMANDS)[number];

/** Codes with which the table refuses. */
export type RefusalCode = 'revoke_not_deprecated' | 'reinstate_revoked';

export const REFUSALS: Readonly<Record<RefusalCode, string>> = {
  revoke_not_deprecated: 'only a deprecated version can be revoked: deprecate it first',
  reinstate_revoked: 'the version is revoked: unrevoke it before reinstating it',
};

/**
 * `move`: to another state. `revise`: the state stays, the notice is replaced. `stay`: already so, nothing happens.
 * `refuse`: a conflict with the state.
 */
export type Transition =
  | { readonly kind: 'move'; readonly to: ModuleVersionState }
  | { readonly kind: 'revise' }
  | { readonly kind: 'stay' }
  | { readonly kind: 'refuse'; readonly code: RefusalCode };

const stay: Transition = { kind: 'stay' };
const revise: Transition = { kind: 'revise' };

/**
 * A revoked version is a deprecated one whose downloads are blocked (REG-3). Deprecating it revises the deprecation and keeps the
 * block; reinstating it is refused, so that a block is only ever lifted explicitly.
 */
export const TRANSITIONS: Readonly<Record<ModuleVersionState, Readonly<Record<Command, Transition>>>> = {
  active: {
    deprecate: { kind: 'move', to: 'deprecated' },
    reinstate: stay,
    revoke: { kind: 'refuse', code: 'revoke_not_deprecated' },
    unrevoke: stay,
  },
  deprecated: {
    deprecate: revise,
    reinstate: { kind: 'move', to: 'active' },
    revoke: { kind: 'move', to: 'revoked' },
    unrevoke: stay,
  },
  revoked: {
    deprecate: revise,
    reinstate: { kind: 'refuse', code: 'reinstate_revoked' },
    revoke: revise,
    unrevoke: { kind: 'move', to: 'deprecated' },
  },
};
