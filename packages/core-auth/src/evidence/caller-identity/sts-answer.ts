/**
 * Judges the answer of STS (STS-11, THREAT-15, THREAT-20, THREAT-34; CVE-2020-16250 was an answer read
 * loosely). Only a 200 in XML with one result, exactly where it belongs, names a caller; everything else is a denial, but
 * for what says that nobody looked.
 */

import { decodeUtf8, lowerAscii } from '@postern/kernel';
import { type CallerIdentityAnswer, ProviderError } from '@postern/ports';
import { unverified } from '../../errors.js';
import { type CallerIdentity, type CallerIdentityTexts, decideCallerIdentity } from './caller-identity.js';
import { STS_NAMESPACE } from './sts-namespace.js';
import { callerRefused, errorCodeOf, isThrottling } from './sts-refusal.js';
import { readXml, type XmlElement } from './xml-reader.js';

/** Real answers are half a kilobyte. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** Worth another try by themselves: the provider, or the way to it, timed out or is overloaded. */
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * @param partition of the endpoint that was asked, where it is known.
 * @throws ProviderError `unavailable` for 429, 5xx and a throttled call: nobody judged the caller.
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
