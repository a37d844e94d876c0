/**
 * The black-box cases of signed requests and STS answers that are decided before a role is looked for. Where a decision
 * differs from what a case says, it is named here and wins.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';
import { isProviderError } from '@postern/ports';
import { callerIdentityXml } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { AMZ_DATE, base64, prepare, SIGNATURE } from '../../../test/caller-identity.js';
import { refusalOf } from '../../../test/refusal.js';
import { isAuthError } from '../../errors.js';
import { parseArn } from '../arn.js';
import { judgeAnswer } from './sts-answer.js';
import type { CallerIdentityConfig } from './verify-caller-identity.js';

interface Case {
  readonly id: string;
  readonly area: string;
  readonly given: {
    readonly client?: Readonly<Record<string, string | boolean>>;
    readonly sts_answer?: Readonly<Record<string, string | number>>;
  };
  readonly request: { readonly parse?: string; readonly body?: Readonly<Record<string, unknown>> };
  readonly expect: { readonly ok: boolean; readonly check?: string };
}

const file = join(sharedFolder() ?? '', 'cases/auth.jsonl');
const hasCases = sharedFolder() !== undefined && existsSync(file);
const cases: readonly Case[] = hasCases
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Case)
  : [];
const ofArea = (...areas: readonly string[]) => cases.filter(({ area }) => areas.includes(area));

/** Cases whose `ok` a decision turns round. */
const OVERRIDDEN: Readonly<Record<string, string>> = {
  'sid-005': 'STS-7: one Authorization header; two values of it are none',
  'sid-013': 'STS-7: the case recommends refusing a second SignedHeaders',
  'reg-004': 'STS-9: no other partition than that of the endpoint',
  'reg-005': 'STS-9: no other partition than that of the endpoint',
  'stsx-007': 'STS-11: the case recommends refusing what follows the answer',
  'stsx-010': 'STS-11: the case recommends refusing two results',
  'stsx-011': 'STS-11: the case recommends refusing two ARNs',
  'stsx-015': 'STS-12: one call a login; a failing STS is 503',
  'stsx-016': 'STS-12: one call a login; a throttling STS is 503',
  'stsx-020': 'STS-2: path `/` and no fragment',
  'iam-020': 'STS-3: the case recommends refusing a missing Action',
};

/** Why each refused request is refused: for what its case is about, and nothing that was left out of it. */
const REASONS: Readonly<Record<string, string>> = {
  'sid-001': 'server_id_missing',
  'sid-002': 'server_id_mismatch',
  'sid-003': 'server_id_unsigned',
  'sid-005': 'authorization_repeated',
  'sid-008': 'server_id_mismatch',
  'sid-011': 'signature_header_list',
  'sid-012': 'authorization_part_repeated',
  'sid-013': 'authorization_part_repeated',
  'sid-014': 'authorization_malformed',
  'hdr-001': 'header_not_allowed',
  'reg-004': 'region_other_partition',
  'reg-005': 'region_other_partition',
  'reg-007': 'region_unknown',
  'reg-008': 'authorization_scheme',
  'get-002': 'server_id_missing',
  'get-004': 'server_id_unsigned',
  'get-008': 'query_parameter_repeated',
  'iam-001': 'method_not_allowed',
  'iam-004': 'url_scheme',
  'iam-005': 'url_not_base64',
  'iam-007': 'url_query',
  'iam-008': 'body_not_caller_identity',
  'iam-010': 'body_not_caller_identity',
  'iam-012': 'body_not_caller_identity',
  'iam-013': 'body_not_caller_identity',
  'iam-016': 'headers_json_syntax',
  'iam-020': 'body_not_caller_identity',
  'stsx-020': 'url_path',
};

/** Unsigned X-Amz-SignedHeaders is accepted and stays behind: hdr-006 records a slip and recommends accepting. */
const ACCEPTED_AS_RECOMMENDED = 'hdr-006';

/** What the cases leave out is made whole, so that each is decided by what it is about. */
function fieldsOf(body: Readonly<Record<string, unknown>>) {
  const headers = body['iam_request_headers'];
  return {
    method: String(body['iam_http_request_method']),
    url: wholeUrl(unquoted(body['iam_request_url'])),
    body: body['iam_request_body'] === undefined ? undefined : encoded(unquoted(body['iam_request_body'])),
    headers: typeof headers === 'string' ? wholeText(headers) : wholeHeaders(headers as Record<string, unknown>, body),
  };
}

/** `b64(x)` is x to be encoded; any other text is as sent. */
const unquoted = (value: unknown): string => String(value);
const encoded = (text: string): string => (text.startsWith('b64(') ? base64(text.slice(4, -1)) : text);

function wholeUrl(text: string): string {
  return encoded(
    text
      .replace('X-Amz-Algorithm=..', `X-Amz-Date=${AMZ_DATE}&X-Amz-Algorithm=AWS4-HMAC-SHA256`)
      .replace('X-Amz-Credential=..', 'X-Amz-Credential=AK%2F20261121%2Fus-east-1%2Fsts%2Faws4_request')
      .replace('X-Amz-Signature=..', `X-Amz-Signature=${SIGNATURE}`),
  );
}

const SIGV4 = `AWS4-HMAC-SHA256 Credential=AK/20150830/us-east-1/sts/aws4_request, SignedHeaders=host;x-amz-date, Signature=${SIGNATURE}`;
/** `AWS4`, `a/b/c` and one-letter parts are short for whole ones; cases of regions leave the rest out. */
function wholeAuthorization(text: string): string {
  const whole = text
    .replace('<sigv4>', SIGV4)
    .replace(/^AWS4 Credential=a\/b\/c/, SIGV4.slice(0, SIGV4.indexOf(', ')))
    .replace('Credential=A/b/', 'Credential=A/20150830/')
    .replace(/Signature=\w{1,2}$/, `Signature=${SIGNATURE}`);
  return /fake-region|,Credential/.test(whole) ? `${whole}${SIGV4.slice(SIGV4.indexOf(', '))}` : whole;
}

function wholeHeaders(headers: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>>) {
  const whole: Record<string, unknown> = { ...headers };
  const authorization = headers['Authorization'];
  if (body['iam_http_request_method'] === 'GET') return whole;
  const values = [authorization].flat().map((value) => wholeAuthorization(String(value)));
  whole['Authorization'] = values.length === 1 ? values[0] : values;
  const day = /\/(\d{8})\//.exec(values.join())?.[1] ?? '20150830';
  whole['X-Amz-Date'] = `${day}T123600Z`;
  if (values.join().includes('content-type'))
    whole['Content-Type'] = 'application/x-www-form-urlencoded; charset=utf-8';
  return whole;
}

/** Headers as text: JSON, or base64 of it. */
function wholeText(text: string): string {
  const json = text.replace('base64 of ', '');
  if (!json.startsWith('{')) return text;
  const whole = JSON.stringify({ ...JSON.parse(json.replace('<sigv4>', SIGV4)), 'X-Amz-Date': '20150830T123600Z' });
  return text === json ? whole : base64(whole);
}

function configOf(client: Case['given']['client']): Partial<CallerIdentityConfig> {
  const endpoint = client?.['sts_endpoint'];
  return {
    stsEndpoint: endpoint === '<fake>' ? 'http://127.0.0.1:4566' : '',
    useStsRegionFromClient: client?.['use_sts_region_from_client'] === true,
    iamServerIdHeaderValue: String(client?.['iam_server_id_header_value'] ?? ''),
  };
}

const isOk = ({ id, expect: expected }: Case): boolean =>
  id === ACCEPTED_AS_RECOMMENDED || (expected.ok && OVERRIDDEN[id] === undefined);

describe.skipIf(!hasCases)('requests before they are sent', () => {
  const decided = [
    ...ofArea('iam-server-id', 'iam-headers', 'iam-region', 'iam-get'),
    ...cases.filter(({ id }) => id === 'stsx-020' || /^iam-0(01|04|05|07|08|10|12|13|16|20)$/.test(id)),
  ];

  it('are all decided here', () => {
    expect(decided).toHaveLength(11 + 4 + 5 + 4 + 1 + 10);
  });

  it.each(decided.map((each) => [each.id, each] as const))('%s', async (id, each) => {
    const act = () => prepare(fieldsOf(each.request.body ?? {}), configOf(each.given.client));
    const reason = await refusalOf(act);
    expect([id, reason]).toEqual([id, isOk(each) ? 'accepted' : REASONS[id]]);
    const endpoint = /https:\/\/\S+/.exec(each.expect.check ?? '')?.[0];
    if (isOk(each) && endpoint !== undefined) expect(act().outgoing.endpoint).toBe(endpoint);
    if (id === 'hdr-001') expect(act).toThrow(/X-Amz-Mallory-Header/);
  });
});

describe.skipIf(!hasCases)('answers of STS', () => {
  const bob = { arn: 'arn:aws:iam::111111111111:user/path/Bob', userId: 'AIDABOB', accountId: '111111111111' };
  const good = callerIdentityXml(bob);
  const bodies: Readonly<Record<string, string>> = {
    'stsx-010': good.replace(/(<GetCallerIdentityResult>.*<\/GetCallerIdentityResult>)/s, '$1$1'),
    'stsx-011': good.replace('<Arn>', '<Arn>arn:aws:iam::111111111111:user/Eve</Arn><Arn>'),
    'stsx-018': callerIdentityXml({ ...bob, arn: 'arn:aws:sts::1:federated-user/bob', accountId: '1' }),
  };
  const answers = ofArea('iam-sts').filter(({ id }) => id !== 'stsx-020');

  it('are all decided here', () => {
    expect(answers).toHaveLength(16);
  });

  it.each(answers.map((each) => [each.id, each] as const))('%s', (id, each) => {
    const given = each.given.sts_answer ?? {};
    const body =
      bodies[id] ?? String(given['body'] ?? '').replace(/<GetCallerIdentityResponse \.\.\.Arn Bob\.\.\.>/, good);
    // `429 then ok`: only the first answer is asked for.
    const status = Number.parseInt(String(given['status'] ?? 200), 10);
    let isAllowed = false;
    let unavailable = false;
    try {
      judgeAnswer(
        {
          status,
          contentType: String(given['content_type'] ?? 'text/xml'),
          body: new TextEncoder().encode(body),
          retryAfterSeconds: undefined,
        },
        'aws',
      );
      isAllowed = true;
    } catch (error) {
      unavailable = isProviderError(error);
      expect(unavailable || isAuthError(error)).toBe(true);
    }
    expect([id, isAllowed]).toEqual([id, isOk(each)]);
    expect([id, unavailable]).toEqual([id, status === 429 || status >= 500]);
  });
});

describe.skipIf(!hasCases)('ARNs', () => {
  it.each(ofArea('arn').map((each) => [each.id, each] as const))('%s', (_, each) => {
    expect(parseArn(each.request.parse ?? '') !== undefined).toBe(each.expect.ok);
  });
});

describe('decisions that win', () => {
  it.skipIf(!hasCases)('are each about a case that says otherwise', () => {
    for (const id of Object.keys(OVERRIDDEN)) expect(cases.find((each) => each.id === id)?.expect.ok).toBe(true);
  });
});
