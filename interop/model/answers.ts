/** What is compared of an answer, and commands once it is settled which token, tag and nonce they mean. */
import type { ApiCommand, RoleChange, TagWish } from './commands.js';
import type { Boot, InstanceIndex, RoleName } from './model-state.js';

/** `ok` or the code of the error, and what the answer tells; only the members that the command has. */
export interface Answer {
  readonly code: string;
  readonly policies?: readonly string[];
  readonly lease?: number;
  readonly renewable?: boolean;
  readonly type?: string;
  readonly uses?: number;
  readonly ttl?: number;
  /** A nonce was made and returned. */
  readonly generated?: boolean;
  /** A sweep was started. */
  readonly started?: boolean;
}

export type ResolvedCommand =
  | { readonly op: 'role.write'; readonly role: RoleName; readonly change: RoleChange }
  | { readonly op: 'role.delete'; readonly role: RoleName }
  | { readonly op: 'role.tag'; readonly role: RoleName; readonly wish: TagWish }
  | {
      readonly op: 'login';
      readonly role: RoleName;
      readonly instance: InstanceIndex;
      readonly boot: Boot;
      /** In the words of the model. */
      readonly nonce: string | undefined;
    }
  | { readonly op: 'deny' | 'allow'; readonly tag: string }
  | { readonly op: 'forget'; readonly instance: InstanceIndex }
  | { readonly op: 'tidy'; readonly list: 'access' | 'deny'; readonly buffer: number; readonly keep: boolean }
  | {
      readonly op: 'token';
      readonly act: Extract<ApiCommand, { op: 'token' }>['act'];
      readonly token: string;
      readonly increment: number;
    };

export function refused(code: string): Answer {
  return { code };
}

/** What was made so far, by label, in order: what numbers in commands count. */
export interface Made {
  readonly tokens: readonly string[];
  readonly tags: readonly string[];
  /** The nonce that an instance was last given, in the words of the model. */
  readonly ownNonce: Readonly<Partial<Record<InstanceIndex, string>>>;
}

/** Names nothing. */
export const UNKNOWN = 'unknown';

export function nthFromLast(labels: readonly string[], nth: number): string {
  return labels.length === 0 ? UNKNOWN : (labels[labels.length - 1 - (nth % labels.length)] ?? UNKNOWN);
}

export function resolveCommand(command: ApiCommand, made: Made): ResolvedCommand {
  switch (command.op) {
    case 'login':
      return { ...command, nonce: nonceText(command, made) };
    case 'deny':
    case 'allow':
      return { ...command, tag: nthFromLast(made.tags, command.tag) };
    case 'token':
      return { ...command, token: nthFromLast(made.tokens, command.token) };
    default:
      return command;
  }
}

function nonceText({ nonce, instance }: Extract<ApiCommand, { op: 'login' }>, made: Made): string | undefined {
  switch (nonce) {
    case 'absent':
      return undefined;
    case 'empty':
      return '';
    case 'sentinel':
      return 'reauthentication-disabled-nonce';
    case 'long':
      return 'x'.repeat(129);
    case 'own':
      return made.ownNonce[instance] ?? 'A';
    default:
      return nonce;
  }
}
