/**
 * Judges the answer of STS (STS-11, THREAT-15, THREAT-20, THREAT-34; CVE-2020-16250 was an answer read
 * loosely). Only a 200 in XML with one result, exactly where it belongs, names a caller; everything else is a denial, but
 * for what says that the request was not checked.
 * Its three texts must agree with each other (STS-13). Users and assumed roles log in; root and federated users do not.
 */
import { decodeUtf8, lowerAscii } from '@postern/kernel';
import { type CallerIdentityAnswer, ProviderError } from '@postern/ports';
import { unverified } from '../../errors.js';
import { type Arn, parseArn } from '../arn.js';
import { callerRefused, errorCodeOf, isThrottling, STS_NAMESPACE } from './sts-refusal.js';
import { readXml, type XmlElement } from './xml-reader.js';

/** Real answers are half a kilobyte. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** Worth another try by themselves: the provider, or the way to it, timed out or is overloaded. */
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * @param partition of the endpoint that was asked, where it is known.
 * @throws ProviderError `unavailable` for 429, 5xx and a throttled call: the caller was not judged.
 * @throws AuthError `caller_identity_refused` for another 4xx; `evidence_unverified`, reason `answer_…` or `identity_…`,
 *   for everything else that is not exactly the answer.
 */
export function judgeAnswer(answer: CallerIdentityAnswer, partition: string | undefined): CallerIdentity {
  const { status } = answer;
  if (status >= 500 || TRY_AGAIN.has(status)) throw unavailable(answer);
  if (status >= 400) throw refusalOf(answer);
  if (status !== 200) throw unverified(status >= 300 ? 'answer_redirect' : 'answer_status');
  if (mediaTypeOf(answer.contentType) !== 'text/xml') throw unverified('answer_content_type');
  return decideCallerIdentity(readTexts(readBody(answer.body)), partition);
}

function refusalOf(answer: CallerIdentityAnswer): Error {
  const text = answer.body.length > MAX_ANSWER_BYTES ? undefined : decodeUtf8(answer.body);
  const code = text === undefined ? undefined : errorCodeOf(readXml(text));
  return isThrottling(code) ? unavailable(answer) : callerRefused(code);
}

function readBody(body: Uint8Array): XmlElement {
  if (body.length > MAX_ANSWER_BYTES) throw unverified('answer_too_large');
  const text = decodeUtf8(body);
  if (text === undefined) throw unverified('answer_not_utf8');
  const root = readXml(text);
  if (root === undefined) throw unverified('answer_xml');
  return root;
}

/** Exactly one result with exactly one of each; beside it at most the metadata of the response. */
function readTexts(root: XmlElement): CallerIdentityTexts {
  const [namespace, ...otherAttributes] = root.attributes;
  const isResponse = root.name === 'GetCallerIdentityResponse' && otherAttributes.length === 0;
  if (!isResponse || namespace?.[0] !== 'xmlns' || namespace[1] !== STS_NAMESPACE) throw unverified('answer_root');
  if (!root.children.every(isPlain)) throw unverified('answer_structure');
  const result = onlyChild(root, 'GetCallerIdentityResult');
  const beside = root.children.filter((child) => child !== result);
  if (beside.length > 1 || beside.some(({ name }) => name !== 'ResponseMetadata')) throw unverified('answer_structure');
  if (result.children.length !== 3) throw unverified('answer_result');
  return { arn: textOf(result, 'Arn'), userId: textOf(result, 'UserId'), account: textOf(result, 'Account') };
}

/** No element below the root has attributes: a second namespace would make it another element. */
function isPlain(element: XmlElement): boolean {
  return element.attributes.length === 0 && element.children.every(isPlain);
}

function onlyChild(parent: XmlElement, name: string): XmlElement {
  const [child, ...others] = parent.children.filter((candidate) => candidate.name === name);
  if (child === undefined || others.length > 0) throw unverified('answer_result');
  return child;
}

function textOf(result: XmlElement, name: string): string {
  const element = onlyChild(result, name);
  if (element.children.length > 0) throw unverified('answer_result');
  return element.text;
}

function mediaTypeOf(contentType: string | undefined): string {
  const [mediaType = ''] = (contentType ?? '').split(';');
  return lowerAscii(mediaType.trim());
}

function unavailable({ retryAfterSeconds }: CallerIdentityAnswer): ProviderError {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new ProviderError('unavailable', 'STS did not answer the question', options);
}

/** A principal that STS vouches for. Proven: it signed this request. Not proven: that its sender is that principal. */
export interface CallerIdentity {
  /** As STS wrote it: a user with its path, an assumed role with its session. */
  readonly arn: string;
  readonly parsedArn: Arn;
  /** As STS wrote it: `AIDA…`, or `AROA…:<session>`. */
  readonly userId: string;
  /** The part of `userId` before the colon: of the user, or of the role. Survives no re-creation. */
  readonly uniqueId: string;
  /** Twelve digits; equals `parsedArn.accountId`. */
  readonly accountId: string;
  /** Of an assumed role only. */
  readonly sessionName?: string;
}

/** The texts of a GetCallerIdentityResult. */
export interface CallerIdentityTexts {
  readonly arn: string;
  readonly userId: string;
  readonly account: string;
}

const PARTITION = /^[a-z][a-z-]{2,31}$/;
const ACCOUNT = /^\d{12}$/;
/** What IAM allows in names of users, roles and sessions. */
const NAME = /^[\w+=,.@-]{1,128}$/;
/** What IAM allows in paths, but for the slashes at the ends and doubled ones. */
const PATH = /^[!-.0-~]+(?:\/[!-.0-~]+)*$/;
const UNIQUE_ID = /^\w{1,128}$/;

/**
 * @param partition of the endpoint that was asked, where it is known.
 * @throws AuthError `evidence_unverified`, reason `identity_…`.
 */
export function decideCallerIdentity(texts: CallerIdentityTexts, partition: string | undefined): CallerIdentity {
  const { arn, userId, account } = texts;
  const parsedArn = parseArn(arn);
  if (parsedArn === undefined || !isPrincipal(parsedArn) || formatPrincipal(parsedArn) !== arn) {
    throw unverified('identity_arn');
  }
  if (partition !== undefined && parsedArn.partition !== partition) throw unverified('identity_other_partition');
  if (!ACCOUNT.test(account) || parsedArn.accountId !== account) throw unverified('identity_account');
  const { sessionName } = parsedArn;
  const uniqueId = uniqueIdOf(userId, sessionName);
  if (uniqueId === undefined) throw unverified('identity_user_id');
  const identity = { arn, parsedArn, userId, uniqueId, accountId: account };
  return sessionName === '' ? identity : { ...identity, sessionName };
}

function isPrincipal({ partition, type, name, path, sessionName }: Arn): boolean {
  if (!PARTITION.test(partition) || !NAME.test(name)) return false;
  if (type === 'assumed-role') return NAME.test(sessionName);
  return type === 'user' && (path === '' || PATH.test(path));
}

/** The one text of an ARN that STS answers: a text with anything more, or in another place, differs from it. */
function formatPrincipal({ partition, accountId, type, name, path, sessionName }: Arn): string {
  if (type === 'assumed-role') return `arn:${partition}:sts::${accountId}:assumed-role/${name}/${sessionName}`;
  return `arn:${partition}:iam::${accountId}:user/${path === '' ? '' : `${path}/`}${name}`;
}

/** Undefined where the id is malformed or of another session than the ARN. */
function uniqueIdOf(userId: string, sessionName: string): string | undefined {
  const suffix = sessionName === '' ? '' : `:${sessionName}`;
  const uniqueId = userId.slice(0, userId.length - suffix.length);
  return userId.endsWith(suffix) && UNIQUE_ID.test(uniqueId) ? uniqueId : undefined;
}
