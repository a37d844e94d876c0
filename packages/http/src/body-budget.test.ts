/** V4: bodies in flight are bounded in total and by peer, and what a request held is free once it is answered (WIRE-25). */
import { describe, expect, it } from 'vitest';
import { harness } from '../test/fake-method.js';
import { createBodyBudget } from './request.js';

const codeOf = (run: () => void) => {
  try {
    run();
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('the budget', () => {
  it('is that of a peer, an IPv6 /64 being one, and of all', () => {
    const budget = createBodyBudget({ totalBytes: 25, peerBytes: 10 });
    const first = budget.open('2001:db8::1');
    first.add(6);
    expect(codeOf(() => budget.open('2001:db8::2').add(5))).toBe('server_busy');
    const others = ['192.0.2.1', '192.0.2.2'].map((peer) => budget.open(peer));
    expect(others.map((account) => codeOf(() => account.add(10)))).toEqual(['ok', 'server_busy']);
    first.close();
    first.close();
    expect(codeOf(() => others[1]?.add(10))).toBe('ok');
    expect(codeOf(() => budget.open('2001:db8::2').add(5))).toBe('ok');
  });

  it.each([{ totalBytes: 0 }, { peerBytes: Number.NaN }])('cannot have %j', (limits) => {
    expect(() => createBodyBudget(limits)).toThrow(TypeError);
  });
});

describe('over HTTP', () => {
  const LOGIN = 'http://postern.test/v1/auth/cloud/login';

  /** A login that sends a piece and then holds its connection. */
  function hold(bytes: number) {
    let finish: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`{"a":"${'x'.repeat(bytes - 8)}"}`));
        finish = () => controller.close();
      },
    });
    // Required with a stream; missing in the types.
    return { request: new Request(LOGIN, { method: 'POST', body, duplex: 'half' } as RequestInit), finish };
  }

  it('what is too much is 503 with Retry-After, and others are served once the rest is answered', async () => {
    const { app } = harness(undefined, { bodyBudget: createBodyBudget({ peerBytes: 1000 }) });
    const first = hold(600);
    const held = app.fetch(first.request, undefined);
    const second = await app.fetch(hold(600).request, undefined);
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await second.json()).toMatchObject({ code: 'server_busy' });
    first.finish();
    expect((await held).status).toBe(204);
    const third = hold(600);
    third.finish();
    expect((await app.fetch(third.request, undefined)).status).toBe(204);
  });

  it('a body that was read counts until its request is answered', async () => {
    let release: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { app } = harness(() => waiting.then(() => ({})), { bodyBudget: createBodyBudget({ peerBytes: 1000 }) });
    const login = () =>
      app.fetch(new Request(LOGIN, { method: 'POST', body: `{"a":"${'x'.repeat(592)}"}` }), undefined);
    const first = login();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await login()).status).toBe(503);
    release();
    expect((await first).status).toBe(204);
    expect((await login()).status).toBe(204);
  });
});
