/**
 * The types of the typed face, derived from the catalogue: an operation's id gives the name of its method, its path the
 * leading arguments, its schemas the fields and the answer.
 */
import type { CallContext } from '../call.js';
import type { Access, OperationOf } from '../operation.js';
import type { createOperations } from '../operations.js';
import type { AuthView } from '../tokens/auth-view.js';

type Catalogue = ReturnType<typeof createOperations>[number];

/** Parameters in a path, in order: `role/:role/tag` has `['role']`. */
type ParamNames<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? [...ParamNames<Segment>, ...ParamNames<Rest>]
  : Path extends `:${infer Name}*`
    ? [Name]
    : Path extends `:${infer Name}`
      ? [Name]
      : [];

interface Signature {
  readonly access: Access;
  readonly params: readonly string[];
  readonly fields: object;
  readonly data: object | undefined;
  readonly auth: object | undefined;
}

type SignatureOf<O> =
  O extends OperationOf<string, infer Path, infer A, infer Fields, infer Data, infer Auth>
    ? { access: A; params: ParamNames<Path>; fields: Fields; data: Data; auth: Auth }
    : never;

/** What each operation takes and answers, by its id. */
export type Signatures = { readonly [O in Catalogue as O['id']]: SignatureOf<O> };

export type OperationId = keyof Signatures;

/** Ids of the operations that a caller with such access may name. */
export type IdsOf<A extends Access> = {
  [Id in OperationId]: Signatures[Id]['access'] extends A ? Id : never;
}[OperationId];

/** Path parameters by name: `{ role: 'web' }`. */
export type ParamsOf<Id extends OperationId> = Readonly<Record<Signatures[Id]['params'][number], string>>;

/** Members of the body by their wire names. */
export type FieldsOf<Id extends OperationId> = Readonly<Signatures[Id]['fields']>;

/** `Outcome` with the answer of one operation: `auth` is there after a login, `data.keys` after a list. */
export type OutcomeOf<Id extends OperationId> = (Signatures[Id]['data'] extends undefined
  ? { readonly data?: undefined }
  : { readonly data: Signatures[Id]['data'] }) &
  (Signatures[Id]['auth'] extends undefined ? { readonly auth?: undefined } : { readonly auth: AuthView }) & {
    readonly warnings?: readonly string[] | undefined;
    readonly accepted?: boolean | undefined;
  };

/** What a typed call may say of its surroundings. `requestId` is drawn at random where it is left out. */
export type FaceOptions = Partial<Pick<CallContext, 'requestId' | 'peerAddress' | 'signal'>>;

type Texts<Names extends readonly string[]> = { [At in keyof Names]: string };

/** An empty schema parses to `Record<string, never>`. */
type HasNone<Fields> = string extends keyof Fields ? true : false;

type Arguments<S extends Signature> = [
  ...params: Texts<S['params']>,
  ...rest: HasNone<S['fields']> extends true
    ? [options?: FaceOptions]
    : [fields?: Readonly<S['fields']>, options?: FaceOptions],
];

type MethodOf<Id extends OperationId> = (...args: Arguments<Signatures[Id]>) => Promise<OutcomeOf<Id>>;

/** Groups that have a name of their own; all others are called as their ids are, in camel case. */
export const GROUP_NAMES = {
  role: 'roles',
  token: 'tokens',
  policy: 'policies',
  'config.certificate': 'certificates',
  'config.sts': 'sts',
} as const;

type Grouped<Id extends string> = {
  [Prefix in keyof typeof GROUP_NAMES]: Id extends `${Prefix}.${infer Rest}`
    ? `${(typeof GROUP_NAMES)[Prefix]}.${Rest}`
    : never;
}[keyof typeof GROUP_NAMES];

/** `config.sts.write` is found at `sts.write`. */
type PlaceOf<Id extends string> = [Grouped<Id>] extends [never] ? Id : Grouped<Id>;

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Text;

/** Operations by where they are found. */
type Places<Ids extends OperationId> = { [Id in Ids as CamelCase<PlaceOf<Id>>]: MethodOf<Id> };

type HeadOf<Place> = Place extends `${infer Head}.${string}` ? Head : Place;

type Below<Tree, Head extends string> = {
  [Place in keyof Tree as Place extends `${Head}.${infer Rest}` ? Rest : never]: Tree[Place];
};

type Nested<Tree> = {
  readonly [Head in HeadOf<keyof Tree> & string]: Head extends keyof Tree ? Tree[Head] : Nested<Below<Tree, Head>>;
};

/** The methods of the face: `login`, `roles.write`, `config.tidy.roletagDenylist.read` … */
export type MethodsOf<Ids extends OperationId> = Nested<Places<Ids>>;

/** One door for all operations, with the same types. */
export type CallOf<Ids extends OperationId> = <Id extends Ids>(
  operation: Id,
  params: ParamsOf<Id>,
  fields?: FieldsOf<Id>,
  options?: FaceOptions,
) => Promise<OutcomeOf<Id>>;

/** A face without the operations that ask for the caller's own token. */
export type HostFace = MethodsOf<IdsOf<'public' | 'management'>> & {
  readonly call: CallOf<IdsOf<'public' | 'management'>>;
};

/** The face as the holder of a token has it: `tokens.renewSelf` among them. */
export type TokenFace = MethodsOf<OperationId> & { readonly call: CallOf<OperationId> };
