/** The answer of STS (STS-11, THREAT-15, THREAT-20, THREAT-34). */

import { misleadingAnswers } from '@postern/internal';
import { type CallerIdentityAnswer, isProviderError } from '@postern/ports';
import { callerIdentityXml } from '@postern/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AuthError, isAuthError } from '../../errors.js';
import { judgeAnswer, MAX_ANSWER_BYTES } from './sts-answer.js';

const bob = { arn: 'arn:aws:iam::111111111111:user/path/Bob', userId: 'AIDABOB', accountId: '111111111111' };
const good = callerIdentityXml(bob);
const error = (code: string) =>
  `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>canary</Message></Error><RequestId>r</RequestId></ErrorResponse>`;

const bytesOf = (body: string | Uint8Array) => (typeof body === 'string' ? new TextEncoder().encode(body) : body);

function answer(more: { readonly [K in keyof CallerIdentityAnswer]?: CallerIdentityAnswer[K] | string } = {}) {
  const { body = good } = more;
  // Every member is of its port's type: `body` is text only until it is encoded here.
  return {
    status: 200,
    contentType: 'text/xml',
    retryAfterSeconds: undefined,
    ...more,
    body: bytesOf(body),
  } as CallerIdentityAnswer;
}

/** `bob`, or code and reason of the refusal. */
function verdict(given: CallerIdentityAnswer, partition: string | undefined = 'aws'): string {
  try {
    return judgeAnswer(given, partition).userId;
  } catch (thrown) {
    if (isAuthError(thrown)) return `${thrown.code} ${thrown.reason}`;
    if (isProviderError(thrown)) return `${thrown.code} ${thrown.retryAfterSeconds}`;
    throw thrown;
  }
}

describe('an answer of STS', () => {
  it.each([
    ['as it comes', {}],
    ['with parameters of its type', { contentType: 'text/xml; charset=utf-8' }],
    ['with its type in another case', { contentType: 'Text/XML ;charset=UTF-8' }],
    ['with an XML declaration', { body: `<?xml version="1.0" encoding="UTF-8"?>\n${good}` }],
    ['with white space around it', { body: `  \n${good}\r\n` }],
    ['without metadata', { body: good.replace(/<ResponseMetadata>.*<\/ResponseMetadata>/s, '') }],
    ['of nearly 64 KiB', { body: good + ' '.repeat(MAX_ANSWER_BYTES - good.length) }],
  ])('names the caller, %s', (_, more) => {
    expect(judgeAnswer(answer(more), 'aws')).toEqual({
      arn: bob.arn,
      parsedArn: {
        partition: 'aws',
        accountId: bob.accountId,
        type: 'user',
        name: 'Bob',
        path: 'path',
        sessionName: '',
      },
      userId: 'AIDABOB',
      uniqueId: 'AIDABOB',
      accountId: bob.accountId,
    });
  });

  it.each(misleadingAnswers(bob))('is refused: $name', ({ answer: misleading }) => {
    const { status, contentType, body = '' } = misleading;
    const given = { ...answer({ body: bytesOf(body) }), status, contentType };
    expect(verdict(given)).toMatch(
      /^(evidence_unverified (answer|identity)_[a-z0-9_]+|caller_identity_refused sts_refused)$/,
    );
  });

  it.each([
    [{ contentType: 'application/json', body: '{}' }, 'answer_content_type'],
    [{ contentType: 'text/xml, text/html' }, 'answer_content_type'],
    [{ contentType: 'application/xml' }, 'answer_content_type'],
    [{ contentType: undefined }, 'answer_content_type'],
    [{ contentType: '' }, 'answer_content_type'],
    [{ body: '{"x":"<GetCallerIdentityResponse/>"}' }, 'answer_xml'],
    [{ body: 'SomeRandomGibberish' }, 'answer_xml'],
    [{ body: `${good}trailing` }, 'answer_xml'],
    [{ body: '<?xml version="1.0"?><Other/>' }, 'answer_root'],
    [{ body: good.replace('<GetCallerIdentityResult>', '<GetCallerIdentityResult xmlns="x">') }, 'answer_structure'],
    [{ body: good.replace('<Arn>', '<Arn a="b">') }, 'answer_structure'],
    [{ body: good.replace('<ResponseMetadata>', '<Arn>x</Arn><ResponseMetadata>') }, 'answer_structure'],
    [{ body: good.replaceAll('ResponseMetadata', 'Other') }, 'answer_structure'],
    [{ body: good.replace(/(<ResponseMetadata>.*<\/ResponseMetadata>)/s, '$1$1') }, 'answer_structure'],
    [{ body: good.replace('<Arn>', '<Name>x</Name><Arn>') }, 'answer_result'],
    [{ body: good.replaceAll('UserId>', 'Userid>') }, 'answer_result'],
    [{ body: good.replace(/<Arn>.*<\/Arn>/, '<Arn/>') }, 'identity_arn'],
    [{ body: good.replace(/<Arn>(.*)<\/Arn>/, '<Arn> $1</Arn>') }, 'identity_arn'],
    [{ body: good + ' '.repeat(MAX_ANSWER_BYTES) }, 'answer_too_large'],
    [{ body: Uint8Array.of(0x3c, 0xff) }, 'answer_not_utf8'],
    [{ status: 204, body: '' }, 'answer_status'],
    [{ status: 206 }, 'answer_status'],
    [{ status: 301 }, 'answer_redirect'],
    [{ status: 302 }, 'answer_redirect'],
    [{ status: 304 }, 'answer_redirect'],
    [{ status: 307, contentType: 'text/html' }, 'answer_redirect'],
  ])('is no proof: %#', (more, reason) => {
    expect(verdict(answer(more))).toBe(`evidence_unverified ${reason}`);
  });

  it('of another partition than that of the endpoint is no proof', () => {
    expect(verdict(answer(), 'aws-cn')).toBe('evidence_unverified identity_other_partition');
    expect(judgeAnswer(answer(), undefined).arn).toBe(bob.arn);
  });
});

describe('a refusal of STS', () => {
  it.each([
    [400, error('SignatureDoesNotMatch'), 'caller_identity_refused sts_signature_does_not_match'],
    [403, error('SignatureDoesNotMatch'), 'caller_identity_refused sts_signature_does_not_match'],
    [403, error('ExpiredToken'), 'caller_identity_refused sts_expired_token'],
    [403, error('RequestExpired'), 'caller_identity_refused sts_request_expired'],
    [403, error('InvalidClientTokenId'), 'caller_identity_refused sts_invalid_client_token_id'],
    [403, error('canary'), 'caller_identity_refused sts_refused'],
    [403, error('constructor'), 'caller_identity_refused sts_refused'],
    [403, '<E/>', 'caller_identity_refused sts_refused'],
    [403, good, 'caller_identity_refused sts_refused'],
    [403, '<html><body>Forbidden</body></html>', 'caller_identity_refused sts_refused'],
    [403, '', 'caller_identity_refused sts_refused'],
    [403, Uint8Array.of(0xff), 'caller_identity_refused sts_refused'],
    [403, error('RequestExpired') + ' '.repeat(MAX_ANSWER_BYTES), 'caller_identity_refused sts_refused'],
    [403, error('RequestExpired').replace('sts.', 'evil.'), 'caller_identity_refused sts_refused'],
    [403, error('RequestExpired</Code><Code>ExpiredToken'), 'caller_identity_refused sts_refused'],
    [404, error('ExpiredToken'), 'caller_identity_refused sts_expired_token'],
  ])('with %i is a denial: %#', (status, body, expected) => {
    expect(verdict(answer({ status, body }))).toBe(expected);
  });

  it('adds its own hint and never quotes the provider', () => {
    for (const code of ['SignatureDoesNotMatch', 'canary']) {
      try {
        judgeAnswer(answer({ status: 403, body: error(code) }), 'aws');
        expect.unreachable();
      } catch (thrown) {
        if (!(thrown instanceof AuthError)) throw thrown;
        expect(JSON.stringify([thrown.message, thrown.details, thrown.reason])).not.toContain('canary');
        expect(thrown.details['provider_code']).toBe(code === 'canary' ? undefined : code);
        expect(thrown.kind).toBe('denied');
      }
    }
  });

  it.each([
    [429, '', 7, 'unavailable 7'],
    [408, '', undefined, 'unavailable undefined'],
    [500, error('InternalFailure'), undefined, 'unavailable undefined'],
    [501, '', undefined, 'unavailable undefined'],
    [502, '<html></html>', 3, 'unavailable 3'],
    [503, error('Throttling'), 9, 'unavailable 9'],
    [400, error('Throttling'), 9, 'unavailable 9'],
    [400, error('ThrottlingException'), undefined, 'unavailable undefined'],
    [400, error('RequestLimitExceeded'), undefined, 'unavailable undefined'],
  ])('with %i and nobody having looked is none (%#)', (status, body, retryAfterSeconds, expected) => {
    expect(verdict(answer({ status, body, retryAfterSeconds }))).toBe(expected);
  });
});

it('is judged whatever it is, without any other error', () => {
  const change = fc.tuple(
    fc.nat(),
    fc.nat({ max: 5 }),
    fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('<', '</', '<!--', '&#x41;', ']]>', '<Arn>')),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(200, 200, 200, 302, 400, 403, 503),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (status, changes) => {
        let body = status === 200 ? good : error('ExpiredToken');
        for (const [at, removed, put] of changes) {
          const cut = at % body.length;
          body = body.slice(0, cut) + put + body.slice(cut + removed);
        }
        expect(verdict(answer({ status, body }))).toMatch(
          /^(\w+|evidence_unverified \w+|caller_identity_refused \w+|unavailable undefined)$/,
        );
      },
    ),
    { numRuns: 2000 },
  );
});
