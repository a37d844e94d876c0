/** What the fake STS does with a request: verifies it against what arrived, then performs the one action it asks for. */
import type { Clock } from '@postern/ports';
import { partitionOf } from '../fake-cloud/ids.js';
import { canonicalPath, queryPairs } from '../sigv4/canonical-uri.js';
import type { SigV4RefusalCode } from '../sigv4/refusal.js';
import { verifySignedRequest } from '../sigv4/verify-request.js';
import { headerValues, splitTarget, type WireRequest } from '../sigv4/wire-request.js';
import type { CredentialRegister, FakeCredentials } from './credentials.js';
import { actionAnswer, errorAnswer, identityTree, type StsAnswer, type XmlTree } from './sts-answer.js';
import type { StsCloud } from './sts-cloud.js';
import { FakeStsError, type StsErrorCode } from './sts-error.js';
import { isRegionName, regionOfStsHost } from './sts-hosts.js';
import type { StsIds } from './sts-ids.js';

/** Code of the answer: `ok`, or that of the error document. */
export type StsVerdictCode = 'ok' | SigV4RefusalCode | StsErrorCode | 'UnknownOperationException';

export interface Handled {
  readonly answer: StsAnswer;
  readonly code: StsVerdictCode;
  /** As the request names it. */
  readonly action: string | undefined;
}

interface Surroundings {
  readonly clock: Clock;
  readonly cloud: StsCloud;
  readonly register: CredentialRegister;
  readonly ids: StsIds;
}

const API_VERSION = '2011-06-15';
const FORM = /^application\/x-www-form-urlencoded(\s*;|$)/i;

/** Answers as STS would. Never throws for what a request holds. */
export function handleStsRequest(request: WireRequest, around: Surroundings): Handled {
  const requestId = around.ids.requestId();
  const parameters = parametersOf(request);
  const action = parameters?.get('Action');
  const refuse = (status: number, code: Exclude<StsVerdictCode, 'ok'>, message: string): Handled => ({
    answer: errorAnswer(status, code, message, requestId),
    code,
    action,
  });
  if (!isServed(request)) return unknownOperation(requestId);
  try {
    const caller = authenticate(request, around);
    if ('reason' in caller) return refuse(caller.status, caller.code, caller.message);
    if (parameters === undefined) throw new FakeStsError('MalformedQueryString', 'a parameter comes twice');
    const wantsJson = headerValues(request.headers, 'accept').some((value) => value.includes('application/json'));
    const name = requiredAction(parameters);
    const answer = actionAnswer(name, ACTIONS[name](caller, parameters, around), requestId, wantsJson);
    return { answer, code: 'ok', action };
  } catch (error) {
    if (!(error instanceof FakeStsError)) throw error;
    return refuse(error.status, error.code, error.message);
  }
}

/** STS lives at `/`, and reads a body only when it is said to be a form. */
function isServed({ method, target, headers, body }: WireRequest): boolean {
  if (canonicalPath(splitTarget(target).path) !== '/' || !/^(GET|POST)$/.test(method)) return false;
  const types = headerValues(headers, 'content-type');
  return body === undefined || body.length === 0 || (types.length === 1 && FORM.test(types[0] ?? ''));
}

function unknownOperation(requestId: string): Handled {
  const body = '<UnknownOperationException/>\n';
  const answer = { status: 404, contentType: 'text/xml', body, headers: { 'x-amzn-RequestId': requestId } };
  return { answer, code: 'UnknownOperationException', action: undefined };
}

/**
 * The host decides which region's signatures count and which partition's keys exist: an endpoint knows neither those of
 * another region nor those of another partition. A host that is not of STS, such as a loopback address, takes any.
 */
function authenticate(request: WireRequest, { clock, register }: Surroundings) {
  const hosts = headerValues(request.headers, 'host');
  const [host = ''] = hosts;
  const region = hosts.length === 1 ? regionOfStsHost(host) : undefined;
  const partition = region === undefined ? undefined : partitionOf(region);
  let found: FakeCredentials | undefined;
  const verdict = verifySignedRequest(request, {
    clock,
    keyOf: (accessKeyId) => {
      found = register.find(accessKeyId, partition);
      return found;
    },
    service: 'sts',
    acceptsRegion: (scoped) => (region === undefined ? isRegionName(scoped) : scoped === region),
  });
  if (!verdict.ok) return verdict;
  if (found === undefined) throw new TypeError('a verified request has a key');
  return found;
}

/** Parameters of query and form together; undefined when one comes twice, in whatever case. */
function parametersOf({ method, target, body }: WireRequest): ReadonlyMap<string, string> | undefined {
  const form = method === 'POST' && body !== undefined ? Buffer.from(body).toString('utf8').replace(/\+/g, '%20') : '';
  const parameters = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of [...queryPairs(splitTarget(target).query), ...queryPairs(form)]) {
    if (seen.has(name.toLowerCase())) return undefined;
    seen.add(name.toLowerCase());
    parameters.set(name, value);
  }
  return parameters;
}

function requiredAction(parameters: ReadonlyMap<string, string>): keyof typeof ACTIONS {
  const action = parameters.get('Action');
  if (action === undefined) throw new FakeStsError('MissingAction', 'the request names no action');
  const isKnown = action === 'GetCallerIdentity' || action === 'AssumeRole';
  if (!isKnown || parameters.get('Version') !== API_VERSION) {
    throw new FakeStsError('InvalidAction', 'Could not find the operation in this version');
  }
  return action;
}

type Action = (caller: FakeCredentials, parameters: ReadonlyMap<string, string>, around: Surroundings) => XmlTree;

const ACTIONS: Readonly<Record<'GetCallerIdentity' | 'AssumeRole', Action>> = {
  GetCallerIdentity: (caller) => identityTree(caller.identity),
  AssumeRole: (caller, parameters, { cloud, register }) => {
    const role = cloud.principal(parameters.get('RoleArn') ?? '');
    if (role?.type !== 'role') throw new FakeStsError('AccessDenied', 'not authorized to perform: sts:AssumeRole');
    const externalId = parameters.get('ExternalId');
    const made = register.assumeRole(role, {
      sessionName: parameters.get('RoleSessionName') ?? '',
      callerAccountId: caller.identity.accountId,
      ...(externalId === undefined ? {} : { externalId }),
      ...(parameters.has('DurationSeconds') ? { durationSeconds: Number(parameters.get('DurationSeconds')) } : {}),
    });
    return {
      AssumedRoleUser: { Arn: made.identity.arn, AssumedRoleId: made.identity.userId },
      Credentials: {
        AccessKeyId: made.accessKeyId,
        SecretAccessKey: made.secretAccessKey,
        SessionToken: made.sessionToken ?? '',
        Expiration: new Date(made.expiresAt ?? 0).toISOString().replace(/\.\d+Z$/, 'Z'),
      },
    };
  },
};
