/** What is refused, with which status and pointer, in JSON:API (REGAPI-7, REG-5, REGAPI-6, REGAPI-9; threats of hostile texts). */
import { beforeEach, describe, expect, it } from 'vitest';
import { checkJsonApi } from '../../test/registry/json-api-schema.js';
import {
  DEPRECATE,
  JSON_API,
  MANAGED,
  MODULES,
  openRegistrySite,
  READ,
  READER,
  type RegistrySite,
  STRANGER,
} from '../../test/registry/registry-site.js';

let site: RegistrySite;
beforeEach(() => {
  site = openRegistrySite();
});

const D = '/data/attributes/deprecation';
const X = '/data/attributes/deprecation-details';
const R = '/data/attributes/revocation';
const deprecated = (more: object) => ({ deprecation: { 'deprecated-status': 'Deprecated', ...more } });
const withDetails = (details: unknown) => ({ ...deprecated({}), 'deprecation-details': details });
const documentOf = (attributes: unknown) => ({ data: { type: 'module-versions', attributes } });

describe('a malformed document is 422 with the pointer of what is wrong', () => {
  it.each<[string, unknown, string]>([
    ['no JSON', '{"data":', ''],
    ['nothing', '', ''],
    ['a byte order mark', `\ufeff${JSON.stringify(documentOf(DEPRECATE))}`, ''],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), ''],
    ['a name twice', '{"data":{"type":"module-versions","type":"module-versions"}}', ''],
    ['a prototype', '{"__proto__":{"data":{}}}', ''],
    ['a constructor', '{"data":{"constructor":1}}', ''],
    ['too deep', `${'['.repeat(40)}${']'.repeat(40)}`, ''],
    ['a list', [], ''],
    ['null', 'null', ''],
    ['no data', {}, '/data'],
    ['data that is null', { data: null }, '/data'],
    ['data that is a list', { data: [] }, '/data'],
    ['no type', { data: { attributes: DEPRECATE } }, '/data/type'],
    ['another type', { data: { type: 'modules', attributes: DEPRECATE } }, '/data/type'],
    ['no attributes', { data: { type: 'module-versions' } }, '/data/attributes'],
    ['attributes that are text', documentOf('x'), '/data/attributes'],
    ['no deprecation', documentOf({}), D],
    ['a deprecation that is null', documentOf({ deprecation: null }), D],
    ['a deprecation that is text', documentOf({ deprecation: 'Deprecated' }), D],
    ['no status', documentOf({ deprecation: {} }), `${D}/deprecated-status`],
    [
      'a status in lower case',
      documentOf({ deprecation: { 'deprecated-status': 'deprecated' } }),
      `${D}/deprecated-status`,
    ],
    ['a status that is true', documentOf({ deprecation: { 'deprecated-status': true } }), `${D}/deprecated-status`],
    ['a reason that is a number', documentOf(deprecated({ reason: 7 })), `${D}/reason`],
    ['a reason that is an object', documentOf(deprecated({ reason: {} })), `${D}/reason`],
    ['a link that is a list', documentOf(deprecated({ link: [] })), `${D}/link`],
    ['a link without a scheme', documentOf(deprecated({ link: 'www.acme.example' })), `${D}/link`],
    ['an empty link', documentOf(deprecated({ link: '' })), `${D}/link`],
    [
      'a reason with Undeprecated',
      documentOf({ deprecation: { 'deprecated-status': 'Undeprecated', reason: 'x' } }),
      `${D}/reason`,
    ],
    [
      'a link with Undeprecated',
      documentOf({ deprecation: { 'deprecated-status': 'Undeprecated', link: null } }),
      `${D}/link`,
    ],
    [
      'details with Undeprecated',
      documentOf({ deprecation: { 'deprecated-status': 'Undeprecated' }, 'deprecation-details': {} }),
      X,
    ],
    ['details that are text', documentOf(withDetails('x')), X],
    ['an unknown class', documentOf(withDetails({ 'reason-class': 'ugly' })), `${X}/reason-class`],
    ['an empty replacement', documentOf(withDetails({ replacement: {} })), `${X}/replacement`],
    [
      'a replacement that is no address',
      documentOf(withDetails({ replacement: { module: 'acme' } })),
      `${X}/replacement/module`,
    ],
    [
      'a replacement that is no constraint',
      documentOf(withDetails({ replacement: { version: 'new' } })),
      `${X}/replacement/version`,
    ],
    ['a sunset that is no date', documentOf(withDetails({ sunset: 'soon' })), `${X}/sunset`],
    ['a revocation that is text', documentOf({ revocation: 'Revoked' }), R],
    ['a revocation without status', documentOf({ revocation: {} }), `${R}/status`],
    ['both at once', documentOf({ ...DEPRECATE, revocation: { status: 'Revoked' } }), R],
    ['a message with Unrevoked', documentOf({ revocation: { status: 'Unrevoked', message: 'x' } }), `${R}/message`],
  ])('%s', async (_name, body, pointer) => {
    const answer = await site.send('PATCH', `${MANAGED}/1.0.0`, { body });
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toBe(JSON_API);
    checkJsonApi(answer.body);
    expect(answer.body).toEqual({
      errors: [{ status: '422', title: 'invalid attribute', detail: expect.any(String), source: { pointer } }],
    });
    expect((await site.get(`${READ}/1.0.0/history`)).body.meta.total).toBe(0);
    expect(site.events.at(-1)).toMatchObject({ operation: 'registry.version.deprecate', outcome: 'denied' });
  });

  it('points into a revocation', async () => {
    await site.patch(DEPRECATE);
    for (const [more, pointer] of [
      [{ message: '\u0007' }, `${R}/message`],
      [{ link: 'javascript:alert(1)' }, `${R}/link`],
    ] as const) {
      const { status, body } = await site.patch({ revocation: { status: 'Revoked', ...more } });
      expect([status, body.errors[0].source.pointer]).toEqual([422, pointer]);
    }
  });
});

describe('hostile texts', () => {
  const line = (code: number) => `up to date${String.fromCharCode(code)}rm -rf`;
  it.each<[string, object, string]>([
    ['an escape sequence', { reason: '\u001b[2Jgone' }, 'reason'],
    ['a bell', { reason: line(7) }, 'reason'],
    ['a carriage return', { reason: line(13) }, 'reason'],
    ['C1', { reason: line(0x9b) }, 'reason'],
    ['DEL', { reason: line(0x7f) }, 'reason'],
    ['NUL', { reason: line(0) }, 'reason'],
    ['a right-to-left override', { reason: line(0x202e) }, 'reason'],
    ['an isolate', { reason: line(0x2066) }, 'reason'],
    ['half a surrogate pair', { reason: line(0xd800) }, 'reason'],
    ['2,001 characters', { reason: 'x'.repeat(2001) }, 'reason'],
    ['a script', { link: 'javascript:alert(1)' }, 'link'],
    ['data', { link: 'data:text/html,x' }, 'link'],
    ['a file', { link: 'file:///etc/passwd' }, 'link'],
    ['user info', { link: 'https://acme.example@evil.example/' }, 'link'],
    ['a quote', { link: 'https://acme.example/"onclick=' }, 'link'],
    ['a newline', { link: 'https://acme.example/\nx' }, 'link'],
    ['2,001 characters of link', { link: `https://acme.example/${'x'.repeat(1980)}` }, 'link'],
  ])('%s is refused', async (_name, notice, member) => {
    const { status, body, text } = await site.deprecate(notice);
    expect([status, body.errors[0].source.pointer]).toEqual([422, `${D}/${member}`]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come back
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2066]|rm -rf/);
  });

  it('markup, templates, emoji and newlines are kept as they are', async () => {
    const reason = `<script>alert(1)</script>\n\t\${path} %{if} "quoted" \\ 🧨 ünïcode`;
    await site.deprecate({ reason });
    expect((await site.get(`${READ}/versions`)).body.modules[0].versions.at(-1).deprecation.reason).toBe(reason);
  });
});

describe('bodies and methods', () => {
  it.each([null, 'application/json', 'text/plain', 'application/vnd.api+json; ext=bulk', 'application/vnd.api+jsonx'])(
    'content type %s is 415',
    async (contentType) => {
      const { status, body } = await site.patch(DEPRECATE, { contentType });
      checkJsonApi(body);
      expect([status, body.errors[0].status]).toEqual([415, '415']);
      expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
    },
  );

  it.each([JSON_API, 'Application/Vnd.Api+JSON', `${JSON_API}; charset=utf-8`])(
    'content type %s is taken',
    async (contentType) => {
      expect((await site.patch(DEPRECATE, { contentType })).status).toBe(200);
    },
  );

  it('a megabyte of reason is 413, and 1 MiB of document is read', async () => {
    const { status, body } = await site.deprecate({ reason: 'x'.repeat(1024 * 1024) });
    checkJsonApi(body);
    expect([status, body.errors[0].status]).toEqual([413, '413']);
  });

  it.each([READER, STRANGER])('a call that %s has no right to is 404 however bad the document', async (token) => {
    for (const sent of [{ body: '{' }, { body: '{}', contentType: 'text/plain' }, { body: 'x'.repeat(2 ** 21) }]) {
      expect((await site.send('PATCH', `${MANAGED}/1.0.0`, { token, ...sent })).status).toBe(404);
    }
  });

  it.each([
    ['GET', `${MANAGED}/1.0.0`, 'PATCH, PUT, POST, DELETE'],
    ['PATCH', `${MANAGED}/deprecations`, 'POST'],
    ['POST', `${READ}/versions`, 'GET, HEAD'],
    ['DELETE', `${READ}/1.0.0`, 'GET, HEAD'],
    ['POST', '/.well-known/terraform.json', 'GET, HEAD'],
  ])('%s %s is 405', async (method, path, allow) => {
    const answer = await site.send(method, path);
    // `deprecations` in the place of a version is a path of its own.
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    '/api/v2',
    '/api/v2/pong',
    '/api/registry/v1',
    `${MODULES}/a/b/c/d/e`,
    `${READ}/1.0.0/`,
    `${MODULES}/%zz/b/c/1.0.0`,
  ])('%s is 404', async (path) => {
    expect((await site.get(path)).status).toBe(404);
  });

  it.each(['%2e%2e', '..%2f..', 'network%2faws', 'a%00b', 'a%0ab', 'x'.repeat(300)])(
    'a module named %s is not there',
    async (name) => {
      for (const path of [`${MODULES}/acme/${name}/aws/1.0.0`, `${MODULES}/acme/${name}/aws/versions`]) {
        expect((await site.get(path)).status).toBe(404);
      }
    },
  );
});
