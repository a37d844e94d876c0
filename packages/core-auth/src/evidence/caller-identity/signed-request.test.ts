/** Methods and bodies (THREAT-16, STS-1, STS-3). */
import { describe, expect, it } from 'vitest';
import { base64, POST_BODY, prepare, unsignedGet, unsignedPost, verdict } from '../../../test/caller-identity.js';

const REVERSED = 'Version=2011-06-15&Action=GetCallerIdentity';

describe('the method', () => {
  it.each(['post', 'get', 'Post', '', 'PUT', 'HEAD', 'POST ', 'OPTIONS', 'POST\r\nX: y', '__proto__'])(
    'is not %j',
    async (method) => {
      expect(await verdict({ ...unsignedPost(), method })).toBe('method_not_allowed');
    },
  );
});

describe('the body of a POST', () => {
  it.each([POST_BODY, REVERSED])('is sent as it was signed: %s', (body) => {
    const { outgoing } = prepare(unsignedPost({}, { body: base64(body) }));
    expect(outgoing.body).toEqual(Uint8Array.from(Buffer.from(body)));
    expect(outgoing.headers).toContainEqual(['content-length', '43']);
  });

  it.each([
    '',
    'Action=GetCallerIdentity',
    'Version=2011-06-15',
    'Action=AssumeRole&Version=2011-06-15',
    'Action=GetSessionToken&Version=2011-06-15',
    `${POST_BODY}&Action=AssumeRole`,
    `Action=AssumeRole&${POST_BODY}`,
    `${POST_BODY}&Action=GetCallerIdentity`,
    `${POST_BODY}&action=AssumeRole`,
    `${POST_BODY}&ACTION=AssumeRole`,
    'action=GetCallerIdentity&Version=2011-06-15',
    'Action[]=GetCallerIdentity&Version=2011-06-15',
    'Action=GetCallerIdentity&Action[]=AssumeRole&Version=2011-06-15',
    'Action=getcalleridentity&Version=2011-06-15',
    'Action=GetCallerIdentity&version=2011-06-15',
    'Action=GetCallerIdentity&Version=2011-06-16',
    'Action=GetCallerIdentity&Version=2011-06-15&Version=2011-06-15',
    `${POST_BODY}&Foo=1`,
    `${POST_BODY}&RoleArn=x`,
    `${POST_BODY}&`,
    `&${POST_BODY}`,
    `${POST_BODY};Action=AssumeRole`,
    'Action=GetCallerIdentity;Version=2011-06-15',
    'Action=GetCallerIdentity+&Version=2011-06-15',
    'Action=GetCaller%49dentity&Version=2011-06-15',
    '%41ction=GetCallerIdentity&Version=2011-06-15',
    'Action=GetCallerIdentity%00&Version=2011-06-15',
    `${POST_BODY}\0`,
    `${POST_BODY}\n`,
    ` ${POST_BODY}`,
    `\ufeff${POST_BODY}`,
    '{"Action":"GetCallerIdentity","Version":"2011-06-15"}',
    'Action=GetCallerIdentity&Version=2011-06-15'.replace('A', '\u0410'),
    'x'.repeat(1_000_000),
  ])('is refused (%#)', async (body) => {
    expect(await verdict(unsignedPost({}, { body: base64(body) }))).toBe('body_not_caller_identity');
  });

  it('must be there, in base64 of one dialect', async () => {
    expect(await verdict(unsignedPost({}, { body: undefined }))).toBe('body_not_caller_identity');
    for (const body of [POST_BODY, `${base64(POST_BODY)}\n`, base64(POST_BODY).replace('=', '')]) {
      expect(await verdict(unsignedPost({}, { body }))).toBe('body_not_base64');
    }
  });

  it('does not come with a GET', async () => {
    expect(await verdict({ ...unsignedGet(), body: base64(POST_BODY) })).toBe('body_with_get');
    expect(await verdict({ ...unsignedGet(), body: '' })).toBe('accepted');
  });
});
