/** The typed face at run time: a method for each operation of the catalogue, over the untyped door. */
import type { CallFields, OperationCall, Outcome } from '../call.js';
import type { Dispatch } from '../dispatch.js';
import type { Operation } from '../operation.js';
import { type FaceOptions, GROUP_NAMES, type HostFace, type TokenFace } from './face-types.js';

/** Runs a call that names operation, params and fields; the rest is the caller's. */
type RunCall = (
  call: Pick<OperationCall, 'operation' | 'params'> & { readonly fields: CallFields },
  options: FaceOptions,
) => Promise<Outcome>;

interface FaceParts {
  readonly operations: readonly Operation[];
  readonly dispatch: Dispatch;
  readonly createRequestId: () => string;
}

interface Branch {
  [name: string]: Branch | ((...args: unknown[]) => Promise<Outcome>);
}

/** Acts for the host; what is public (a login) is a caller's all the same, and is audited as theirs. */
export function createHostFace({ operations, dispatch, createRequestId }: FaceParts): HostFace {
  const publicIds = new Set(operations.filter(({ access }) => access === 'public').map(({ id }) => id));
  const run: RunCall = (call, { requestId = createRequestId(), peerAddress, signal }) => {
    const made = { ...call, requestId, peerAddress, signal, token: undefined };
    return publicIds.has(call.operation) ? dispatch.remote(made) : dispatch.host(made);
  };
  const own = operations.filter(({ access }) => access !== 'token');
  // Types and methods both come from ids, paths and schemas of the catalogue; typed-face.test.ts calls each of them.
  return createFace(own, run) as unknown as HostFace;
}

/** Acts with the rights of a token. */
export function createTokenFace(
  { operations, dispatch, createRequestId }: FaceParts,
  token: string,
  caller: Pick<FaceOptions, 'peerAddress'>,
): TokenFace {
  const run: RunCall = (call, { requestId = createRequestId(), peerAddress = caller.peerAddress, signal }) =>
    dispatch.remote({ ...call, requestId, peerAddress, signal, token });
  // As above.
  return createFace(operations, run) as unknown as TokenFace;
}

function createFace(operations: readonly Operation[], run: RunCall): Branch {
  const call = (
    operation: string,
    params: OperationCall['params'],
    fields: CallFields = {},
    options: FaceOptions = {},
  ) => run({ operation, params, fields }, options);
  // Its arguments are checked by `CallOf`; operations that do not exist are `not_found`.
  const face: Branch = { call: call as (...args: unknown[]) => Promise<Outcome> };
  for (const operation of operations) {
    const names = placeOf(operation.id).split('.').map(camelCase);
    const last = names.pop() ?? '';
    const branch = names.reduce<Branch>((at, name) => {
      // A name is that of a group or of an operation, never of both.
      const next = (at[name] ?? {}) as Branch;
      at[name] = next;
      return next;
    }, face);
    branch[last] = methodOf(operation, run);
  }
  return face;
}

function methodOf({ id, path, fields: { shape } }: Operation, run: RunCall): (...args: unknown[]) => Promise<Outcome> {
  const names = path
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1).replace(/\*$/, ''));
  const takesFields = Object.keys(shape).length > 0;
  return async (...args) => {
    const params = Object.fromEntries(names.map((name, at) => [name, String(args[at])]));
    const rest = args.slice(names.length);
    // Fields are checked by the operation; options are read member by member.
    const fields = (takesFields ? rest.shift() : undefined) as CallFields | undefined;
    return run({ operation: id, params, fields: fields ?? {} }, (rest[0] as FaceOptions | undefined) ?? {});
  };
}

function placeOf(id: string): string {
  for (const [prefix, name] of Object.entries(GROUP_NAMES)) {
    if (id.startsWith(`${prefix}.`)) return name + id.slice(prefix.length);
  }
  return id;
}

function camelCase(text: string): string {
  return text.replace(/-(.)/g, (_hyphen, letter: string) => letter.toUpperCase());
}
