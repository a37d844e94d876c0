/**
 * One call from beginning to end: operation, path, token, permission, fields, handler, audit event; in that order
 * (WIRE-5, TOKEN-5, POLICY-1, WIRE-20, AUDIT-1, WIRE-7, ERROR-1, WIRE-19). Transports and the host both come through here.
 */
import { nearestName } from '@postern/kernel';
import { authorize } from './authorize.js';
import type { CallFields, OpenTrail, OperationCall, Outcome, RefusedCall } from './call.js';
import { AuthError, toAuthError } from './errors.js';
import { isName, parseFields } from './fields/fields.js';
import type { MethodContext } from './method-context.js';
import type { Operation, OperationRequest } from './operation.js';
import { authenticate, holdsStill, permissionDenied } from './tokens/authenticate.js';

/** Who asks: a caller from outside, or the embedding service, which is trusted with everything. */
type Caller = 'remote' | 'host';

export interface Dispatch {
  readonly remote: (call: OperationCall) => Promise<Outcome>;
  /** Without a token: the host needs none. */
  readonly host: (call: OperationCall) => Promise<Outcome>;
  /** Tells of a call that never came here: the transport refused it (AUDIT-4). */
  readonly recordRefusal: (call: RefusedCall) => Promise<void>;
}

export function createDispatch(
  context: MethodContext,
  operations: readonly Operation[],
  openTrail: OpenTrail,
): Dispatch {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));

  const requireOperation = (id: string): Operation => {
    const operation = byId.get(id);
    if (operation === undefined) throw new AuthError('not_found', 'unknown operation');
    return operation;
  };

  const dispatch = async (call: OperationCall, caller: Caller): Promise<Outcome> => {
    const operation = requireOperation(call.operation);
    const trail = openTrail(operation.id, call);
    if (operation.path.includes(':')) trail.annotate({ details: pathDetails(operation, call.params) });
    if (caller === 'host') trail.annotate({ principal: 'host' });
    let outcome: Outcome;
    try {
      outcome = await run(context, operation, call, caller, trail);
    } catch (error) {
      const refused = toAuthError(error, call.signal);
      // Refused because events are not recorded: its own would not be either.
      if (refused.code !== 'audit_unavailable') await trail.record(refused);
      throw refused;
    }
    try {
      await trail.record(undefined);
    } catch (error) {
      // The key of its hashes may not be read yet, and storage may fail just now.
      throw toAuthError(error, call.signal);
    }
    return outcome;
  };

  return {
    remote: (call) => dispatch(call, 'remote'),
    host: (call) => dispatch({ ...call, token: undefined }, 'host'),
    async recordRefusal({ refusal, details, ...call }) {
      const operation = requireOperation(call.operation);
      const trail = openTrail(operation.id, call);
      trail.annotate({ details: { ...pathDetails(operation, call.params), ...details } });
      await trail.record(refusal);
    },
  };
}

type Hooks = Pick<OperationRequest<unknown>, 'annotate' | 'commit'>;

async function run(
  context: MethodContext,
  operation: Operation,
  call: OperationCall,
  caller: Caller,
  { annotate, commit }: Hooks,
): Promise<Outcome> {
  checkPath(operation, call.params);
  const identity = caller === 'remote' ? await identify(context, operation, call, { annotate, commit }) : undefined;
  const begun = context.ports.clock.now();
  const sent = typeof call.fields === 'function' ? await call.fields() : call.fields;
  const isSlow = Math.abs(context.ports.clock.now() - begun) > SLOW_BODY_MS;
  if (isSlow && identity !== undefined) await judgeAgain(context, operation, call, identity);
  const shadowed = Object.keys(sent).filter((name) => Object.hasOwn(call.params, name));
  const raw = shadowed.length === 0 ? sent : without(sent, shadowed);
  const { fields, unknown } = parseFields(operation.fields, raw);
  if (unknown.length > 0 && call.unknownFields !== 'ignore') throw unknownFields(operation, unknown);
  const { requestId, peerAddress, serverIdHeader, signal, params } = call;
  const request: OperationRequest<typeof fields> = {
    requestId,
    peerAddress,
    serverIdHeader,
    signal,
    params,
    fields,
    caller: identity,
    annotate,
    commit,
  };
  const outcome = await operation.handle(request);
  return withWarnings(outcome, shadowed, unknown);
}

async function identify(
  context: MethodContext,
  operation: Operation,
  call: OperationCall,
  { annotate, commit }: Hooks,
): Promise<OperationRequest<unknown>['caller']> {
  if (operation.access === 'public') return undefined;
  if (call.token !== undefined) annotate({ token: call.token });
  const record = await authenticate(context, call.token, { ...call, commit });
  // A batch token has no accessor of its own to be told by.
  annotate({ accessor: record.accessor, principal: record.accessor === '' ? record.entityId : record.accessor });
  if (operation.access === 'management') await authorize(context, operation, call.params, record, call);
  // `authenticate` refuses a call without a token.
  return { token: call.token ?? '', record };
}

/** After it token and right are judged again (TOKEN-15): a body may trickle in for as long as its deadline allows. */
const SLOW_BODY_MS = 1_000;

async function judgeAgain(
  context: MethodContext,
  operation: Operation,
  call: OperationCall,
  { token, record }: NonNullable<OperationRequest<unknown>['caller']>,
): Promise<void> {
  if (!(await holdsStill(context, token, record, call))) throw permissionDenied('token_unknown');
  if (operation.access === 'management') await authorize(context, operation, call.params, record, call);
}

/** A misspelt constraint must not widen a role in silence. */
function unknownFields(operation: Operation, [unknown = '']: readonly string[]): AuthError {
  const known = Object.keys(operation.fields.shape);
  const nearest = nearestName(unknown, known);
  const remedy = nearest === undefined ? `known fields: ${known.join(', ') || 'none'}` : `did you mean "${nearest}"?`;
  return new AuthError('unknown_fields', `${quoted(unknown)}: unknown field; ${remedy}`, {
    details: nearest === undefined ? {} : { expected: nearest },
  });
}

/** A name that is not a name is not repeated: it may be a secret that was sent in the wrong place. */
function quoted(name: string): string {
  return /^[a-z][a-z0-9_]{0,63}$/.test(name) ? name : '(a name)';
}

function without(fields: CallFields, names: readonly string[]): CallFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** A name that can be no name is like an unknown path; it also never becomes part of a storage key. */
function checkPath({ path }: Operation, params: OperationCall['params']): void {
  for (const name of parameterNames(path)) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined || !isName(value)) throw new AuthError('not_found', 'there is nothing at this path');
  }
}

/**
 * A warning about ignored fields makes an answer that had no body one with a body (WIRE-21); the one about the path is added
 * only where there is a body (WIRE-15).
 */
function withWarnings(outcome: Outcome, shadowed: readonly string[], unknown: readonly string[]): Outcome {
  const given = outcome.warnings ?? [];
  const ignored = unknown.length > 0 ? [`Endpoint ignored these unrecognized parameters: [${unknown.join(' ')}]`] : [];
  const hasBody =
    outcome.data !== undefined ||
    outcome.auth !== undefined ||
    given.length + ignored.length > 0 ||
    outcome.accepted === true;
  const replaced = shadowed.length > 0 ? [`the path decides, not the body: ${shadowed.join(', ')}`] : [];
  const more = [...replaced, ...ignored];
  return hasBody && more.length > 0 ? { ...outcome, warnings: [...given, ...more] } : outcome;
}

const MAX_DETAIL_CHARACTERS = 256;

/**
 * Names in the path of the operation, cut: they come from outside and go to a log. The rest of a path is not a name but
 * free text, such as a role tag with its MAC: its handler says what may be told of it.
 */
function pathDetails({ path }: Operation, params: OperationCall['params']): Readonly<Record<string, string>> {
  const known = parameterNames(path).filter((name) => Object.hasOwn(params, name));
  return Object.fromEntries(known.map((name) => [name, (params[name] ?? '').slice(0, MAX_DETAIL_CHARACTERS)]));
}

/** Parameters of one segment each. */
function parameterNames(path: string): readonly string[] {
  if (!path.includes(':')) return [];
  return path
    .split('/')
    .flatMap((segment) => (segment.startsWith(':') && !segment.endsWith('*') ? [segment.slice(1)] : []));
}
