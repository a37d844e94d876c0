/** Bodies and query strings: forms accepted, malformed ones refused, limits held before parsing (WIRE-12, WIRE-20, THREAT-35). */
import { describe, expect, it } from 'vitest';
import { fuzzLoginBodies } from '../../../../interop/login-fuzz/fuzz-login-bodies.js';
import { harness, post } from '../../test/fake-method.js';

const LOGIN = '/v1/auth/cloud/login';
const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

const manyMembers = (count: number) => `{${Array.from({ length: count }, (_, at) => `"a${at}":1`).join(',')}}`;
const manyFields = (count: number) => Array.from({ length: count }, (_, at) => `a${at}=1`).join('&');

describe('bodies', () => {
  it.each<[string, string | undefined, Record<string, string>, Record<string, unknown>]>([
    ['nothing', undefined, {}, {}],
    ['empty text', '', {}, {}],
    ['white space', ' \n', {}, {}],
    ['JSON without a type', '{"role":"dev","n":1.50}', {}, { role: 'dev', n: 1.5 }],
    ['JSON of any type', '{"a":[1,null,{"b":true}]}', { 'content-type': 'text/plain' }, { a: [1, null, { b: true }] }],
    ['JSON that a client calls a form', ' {"role":"dev"}', form, { role: 'dev' }],
    ['a form', 'role=dev&nonce=a+b%2Bc', form, { role: 'dev', nonce: 'a b+c' }],
    ['a form with a repeated name', 'p=a&p=b&p=c', form, { p: ['a', 'b', 'c'] }],
    ['1,000 members', manyMembers(1000), {}, expect.anything()],
    ['1,000 form fields', manyFields(1000), form, expect.anything()],
    ['nesting of 32 levels', `{"a":${'['.repeat(31)}${']'.repeat(31)}}`, {}, expect.anything()],
  ])('take %s', async (_name, body, headers, fields) => {
    const { send, method } = harness();
    expect((await send(LOGIN, post(body, headers))).status).toBe(204);
    expect(method.calls[0]?.fields).toEqual(fields);
  });

  it.each<[string, BodyInit, Record<string, string>]>([
    ['broken JSON', '{"role":', {}],
    ['an array', '[1]', {}],
    ['an array called a form', '[1]', form],
    ['a text', '"x"', {}],
    ['null', 'null', {}],
    ['two values', '{}{}', {}],
    ['a byte order mark', '\ufeff{}', {}],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), {}],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0), {}],
    ['a name twice', '{"role":"a","role":"b"}', {}],
    ['a name twice, once escaped', '{"role":"a","r\\u006fle":"b"}', {}],
    ['a prototype key', '{"__proto__":{"a":1}}', {}],
    ['a prototype key inside', '{"a":[{"\\u005f_proto__":1}]}', {}],
    ['a constructor key', '{"constructor":{"prototype":{}}}', {}],
    ['a prototype key in a form', '__proto__=1', form],
    ['a malformed escape in a form', 'role=%zz', form],
    ['an escape that is not UTF-8 in a form', 'role=%ff', form],
    ['1,001 members', manyMembers(1001), {}],
    ['1,001 form fields', manyFields(1001), form],
    ['nesting of 33 levels', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`, {}],
    ['nesting of 100,000 levels', '['.repeat(100_000), {}],
  ])('refuse %s', async (_name, body, headers) => {
    const { send, method } = harness();
    const response = await send(LOGIN, post(body, headers));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'body_invalid' });
    expect(method.calls).toEqual([]);
  });

  it('never let a field name reach a prototype', async () => {
    const { send, method } = harness();
    await send(LOGIN, post('{"toString":1,"hasOwnProperty":2,"prototype":3}'));
    expect(method.calls[0]?.fields).toEqual({ toString: 1, hasOwnProperty: 2, prototype: 3 });
    expect(Object.getPrototypeOf(method.calls[0]?.fields)).toBe(Object.prototype);
  });

  it('end in an error when their sender goes away', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const response = await harness().send(LOGIN, post(body));
    expect(response.status).toBe(400);
  });
});

describe('the body limit', () => {
  const options = { bodyLimitBytes: 1000 };
  const padded = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;

  it.each([
    [1000, 204],
    [1001, 413],
  ])('takes a body of %d bytes as %d, declared or chunked', async (length, status) => {
    const { send } = harness(undefined, options);
    const text = padded(length);
    const bytes = new TextEncoder().encode(text);
    const chunked = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        controller.close();
      },
    });
    expect((await send(LOGIN, post(text))).status).toBe(status);
    expect((await send(LOGIN, post(text, { 'content-length': String(length) }))).status).toBe(status);
    expect((await send(LOGIN, post(chunked))).status).toBe(status);
  });

  it('refuses a body that declares more without reading any of it', async () => {
    let pulled = 0;
    const pull = () => {
      pulled += 1;
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const response = await harness(undefined, options).send(LOGIN, post(body, { 'content-length': '1001' }));
    expect(response.status).toBe(413);
    expect(pulled).toBe(0);
  });

  it('stops reading an endless body, also one that declares little, and tells its source', async () => {
    for (const headers of [{}, { 'content-length': '5' }]) {
      let pulled = 0;
      let cancelled = false;
      const body = new ReadableStream(
        {
          pull(controller) {
            pulled += 1;
            controller.enqueue(new Uint8Array(100));
          },
          cancel: () => {
            cancelled = true;
            return new Promise(() => undefined);
          },
        },
        { highWaterMark: 0 },
      );
      const response = await harness(undefined, options).send(LOGIN, post(body, headers));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: 'body_too_large' });
      expect(pulled).toBeLessThanOrEqual(13);
      expect(cancelled).toBe(true);
    }
  });

  it('waits for a slow body', async () => {
    const pieces = ['{"ro', 'le":', '"dev"}'];
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const { send, method } = harness();
    expect((await send(LOGIN, post(body))).status).toBe(204);
    expect(method.calls[0]?.fields).toEqual({ role: 'dev' });
  });

  it('is 128 KiB by default', async () => {
    const { send } = harness();
    expect((await send(LOGIN, post(padded(128 * 1024)))).status).toBe(204);
    expect((await send(LOGIN, post(padded(128 * 1024 + 1)))).status).toBe(413);
  });
});

describe('query strings', () => {
  const token = { 'x-service-token': 't' };

  it.each([
    ['GET', '?a=1&b=x%20y&a=2', { a: ['1', '2'], b: 'x y' }],
    ['GET', '?list=false&a=1', { a: '1' }],
    ['DELETE', '?a=', { a: '' }],
  ])('are the fields of a %s: %s', async (method, query, fields) => {
    const { send, method: fake } = harness();
    await send(`/v1/auth/cloud/role/dev${query}`, { method, headers: token });
    expect(fake.calls[0]?.fields).toEqual(fields);
  });

  it('mean nothing to a write', async () => {
    const { send, method } = harness();
    await send('/v1/auth/cloud/role/dev?a=1&list=nonsense', post('{"b":2}'));
    expect(method.calls[0]?.fields).toEqual({ b: 2 });
  });

  it.each(['?a=%zz', '?a=%ff', '?__proto__=1', '?constructor=1'])('are refused malformed: %s', async (query) => {
    const response = await harness().send(`/v1/auth/cloud/role/dev${query}`, { headers: token });
    expect(response.status).toBe(400);
  });
});

describe('2,000 random and mutated login bodies', () => {
  it('are all answered, none with an internal error', async () => {
    const { app } = harness(() => ({}));
    const report = await fuzzLoginBodies((request) => app.fetch(request, undefined), {
      count: 2000,
      seed: 20_261_121,
      now: () => performance.now(),
    });
    expect(report.sent).toBe(2000);
    expect(Object.keys(report.byStatus).sort()).toEqual(['204', '400']);
    expect(report.slowestMs).toBeLessThan(50);
  });
});
