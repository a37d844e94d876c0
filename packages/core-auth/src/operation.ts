/** What an entry of the catalogue is: one operation of WIRE-1, written once, from which routes, documents and clients are made. */
import type * as z from 'zod';
import type { AuditFacts, CallContext, CommitEffect, Outcome } from './call.js';
import type { AuthView } from './tokens/auth-view.js';
import type { TokenRecord } from './tokens/token-record.js';

/** How a transport names the action. POST and PUT are both `write`. */
export type Verb = 'write' | 'read' | 'list' | 'delete';

/** `public`: no token. `token`: any valid token. `management`: the token's policies must grant path and capability. */
export type Access = 'public' | 'token' | 'management';

/** Where the path hangs: below the mount, below `auth/token`, below `sys`, or where the profile has its policies. */
export type Scope = 'mount' | 'token' | 'sys' | 'policies';

/** A checked call, as handlers see it. */
export interface OperationRequest<F> extends CallContext {
  readonly params: Readonly<Record<string, string>>;
  /** Only fields that were sent are present. */
  readonly fields: F;
  /** The caller's token and its record; absent on public operations. */
  readonly caller: { readonly token: string; readonly record: TokenRecord } | undefined;
  /** Tells the audit event what dispatch cannot know (AUDIT-1). Say it before what may fail. */
  readonly annotate: (facts: AuditFacts) => void;
  /** Every change that a handler makes goes through here. */
  readonly commit: CommitEffect;
}

export interface Operation<F extends z.ZodObject = z.ZodObject> {
  /** Stable: `role.write`, `login`, `token.lookup-self`. */
  readonly id: string;
  readonly summary: string;
  readonly verb: Verb;
  readonly scope: Scope;
  /** `:name` matches one segment, a last `:name*` the rest of the path. */
  readonly path: string;
  /** Deprecated paths (WIRE-8) of the same handler. */
  readonly aliases?: readonly string[];
  readonly access: Access;
  /** Fields by their wire names; every field is optional here, handlers say what they miss. */
  readonly fields: F;
  /** What `data` of an answer holds, by wire names; absent where an answer has none. Documents are made from it. */
  readonly output?: z.ZodObject;
  /** What `auth` of an answer holds, where it grants or renews a token. */
  readonly auth?: z.ZodObject;
  /** Starts something that goes on after the answer (202). */
  readonly background?: boolean;
  /** Present where a write means create or update: decides which capability it needs. */
  readonly exists?: (params: Readonly<Record<string, string>>, context: CallContext) => Promise<boolean>;
  readonly handle: (request: OperationRequest<z.infer<F>>) => Promise<Outcome>;
}

/** Keeps types with an operation; there is no such member at run time. */
declare const TYPES: unique symbol;

/** An operation with what the typed face derives from its definition: id, path, access, and the types of its schemas. */
export interface OperationOf<Id extends string, Path extends string, A extends Access, Fields, Data, Auth>
  extends Operation {
  readonly id: Id;
  readonly path: Path;
  readonly access: A;
  readonly [TYPES]?: { readonly fields: Fields; readonly data: Data; readonly auth: Auth };
}

/** What a schema parses to; undefined where an operation has no such schema. */
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler may have made of anything that it did not change. */
type DeepReadonly<T> = T extends readonly (infer Element)[]
  ? readonly DeepReadonly<Element>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** A value of a schema, as a function makes it that shows something: a misspelt, missing or further member does not compile. */
export type Shown<Output extends z.ZodType> = DeepReadonly<z.output<Output>>;

/** What a handler must answer: every member that its schemas declare. */
export type AnswerOf<Output, Auth = undefined> = (Output extends z.ZodType
  ? { readonly data: Shown<Output> }
  : { readonly data?: undefined }) &
  (Auth extends z.ZodType ? { readonly auth: AuthView } : { readonly auth?: undefined }) &
  Pick<Outcome, 'warnings' | 'accepted'>;

/** The answer of what grants or renews a token. */
export type GrantAnswer = AnswerOf<undefined, z.ZodObject>;

/** Types the handler by its fields and its answer by the schemas, and the typed face by all of the definition. */
export function defineOperation<
  Id extends string,
  Path extends string,
  A extends Access,
  F extends z.ZodObject,
  Output extends z.ZodObject | undefined = undefined,
  Auth extends z.ZodObject | undefined = undefined,
>(
  operation: Omit<Operation<F>, 'handle'> & {
    readonly handle: (request: OperationRequest<z.infer<F>>) => Promise<AnswerOf<Output, Auth>>;
    readonly id: Id;
    readonly path: Path;
    readonly access: A;
    readonly output?: Output;
    readonly auth?: Auth;
  },
): OperationOf<Id, Path, A, z.input<F>, Parsed<Output>, Parsed<Auth>> {
  // A handler is only ever called by `dispatch`, with what `operation.fields` parsed: the narrower parameter is safe.
  return operation as unknown as OperationOf<Id, Path, A, z.input<F>, Parsed<Output>, Parsed<Auth>>;
}
