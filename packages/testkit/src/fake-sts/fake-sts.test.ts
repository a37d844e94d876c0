/** The face in process, the log of calls, and what a test can make go wrong. */
import { inspect } from 'node:util';
import { isProviderError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from '../fake-cloud/fake-cloud.js';
import { createFakeSts } from './fake-sts.js';
import type { FakeStsOptions } from './fake-sts-types.js';
import { signCallerIdentityRequest } from './sign-get-caller-identity.js';

const start = Date.UTC(2026, 1, 16, 0, 30, 0);
const endpoint = 'https://sts.amazonaws.com';

function makeWorld(options: Partial<FakeStsOptions> = {}) {
  const clock = createManualClock(start);
  const cloud = createFakeCloud({ clock, seed: 'behaviour' });
  const sts = createFakeSts({ cloud, clock, seed: 'behaviour', ...options });
  const user = cloud.createUser({ name: 'alice' });
  const credentials = sts.issueAccessKey(user);
  const sign = () => signCallerIdentityRequest({ credentials, date: clock.now(), serverId: 'here' });
  const send = (signal?: AbortSignal) => sts.source.send({ ...sign(), endpoint }, { signal });
  const status = async () => (await send()).status;
  return { clock, cloud, sts, user, credentials, sign, send, status };
}

async function codeOf(sent: Promise<unknown>): Promise<string> {
  try {
    await sent;
    return 'answered';
  } catch (error) {
    return isProviderError(error) ? error.code : 'another error';
  }
}

describe('the log of calls', () => {
  it('holds where a call went, what it was, and what came of it', async () => {
    const { clock, sts, sign, send } = makeWorld();
    await send();
    clock.advance(16 * 60_000);
    const headers = sign().headers.filter(([name]) => name === 'Content-Type');
    await sts.source.send({ ...sign(), headers, endpoint: 'http://127.0.0.1:1' });
    expect(sts.calls).toMatchObject([
      {
        at: start,
        face: 'source',
        endpoint,
        host: 'sts.amazonaws.com',
        method: 'POST',
        target: '/',
        headerNames: [
          'Host',
          'Content-Type',
          'Content-Length',
          'X-Service-Cloud-IAM-Server-ID',
          'X-Amz-Date',
          'Authorization',
        ],
        action: 'GetCallerIdentity',
        outcome: 'ok',
      },
      { at: start + 960_000, endpoint: 'http://127.0.0.1:1', host: undefined, outcome: 'MissingAuthenticationToken' },
    ]);
    sts.clearCalls();
    expect(sts.calls).toEqual([]);
  });

  it('gives back the whole request, and prints no header', async () => {
    const { sts, sign, send } = makeWorld();
    await send();
    const { method, target, headers, body } = sign();
    expect(sts.calls[0]?.request()).toEqual({ method, target, headers, body });
    const authorization = headers.find(([name]) => name === 'Authorization')?.[1] ?? 'none';
    expect(inspect(sts.calls, { depth: 9, showHidden: true })).not.toContain(authorization.slice(-64));
  });

  it('does not hold a call that was aborted before it was sent', async () => {
    const { sts, send } = makeWorld();
    expect(await codeOf(send(AbortSignal.abort()))).toBe('unavailable');
    expect(sts.calls).toEqual([]);
  });
});

describe('an STS told to misbehave', () => {
  it.each([429, 400, 503] as const)('throttles with %i as often as told', async (code) => {
    const { sts, send, status } = makeWorld();
    sts.behaviour.throttle({ status: code, retryAfterSeconds: 7, times: 1 });
    const answer = await send();
    expect(answer).toMatchObject({ status: code, contentType: 'text/xml', retryAfterSeconds: 7 });
    expect(Buffer.from(answer.body).toString()).toContain('<Code>Throttling</Code>');
    expect(await status()).toBe(200);
    expect(sts.calls.map(({ outcome }) => outcome)).toEqual(['throttled', 'ok']);
  });

  it.each([500, 502, 503, 504] as const)('fails with %i until restored', async (code) => {
    const { sts, send, status } = makeWorld();
    sts.behaviour.fail(code, { html: true });
    expect(await send()).toMatchObject({ status: code, contentType: 'text/html', retryAfterSeconds: undefined });
    sts.behaviour.fail(code);
    expect(await send()).toMatchObject({ status: code, contentType: 'text/xml' });
    sts.behaviour.restore();
    expect(await status()).toBe(200);
  });

  it('gives the configured response, whatever was signed', async () => {
    const { sts, sign } = makeWorld();
    const body = new Uint8Array([1, 2, 3]);
    sts.behaviour.answer({ status: 200, contentType: undefined, body }, { times: 1 });
    const answer = await sts.source.send({ ...sign(), headers: [], endpoint });
    expect(answer).toEqual({ status: 200, contentType: undefined, body, retryAfterSeconds: undefined });
    expect(sts.calls[0]?.outcome).toBe('replaced');
  });

  it('is unavailable rather than cut an answer that is too long', async () => {
    const { sts, send, status } = makeWorld();
    const answerOf = (length: number) => ({ status: 200, contentType: 'text/xml', body: 'x'.repeat(length) });
    sts.behaviour.answer(answerOf(65_537), { times: 1 });
    expect(await codeOf(send())).toBe('unavailable');
    sts.behaviour.answer(answerOf(65_536));
    expect(await status()).toBe(200);
  });

  it('redirects, which the source does not follow', async () => {
    const { sts, status } = makeWorld();
    sts.behaviour.redirect('https://elsewhere.example/');
    expect(await status()).toBe(301);
    expect(sts.calls).toHaveLength(1);
  });

  it('lags by the given sleep and answers with what was true when asked', async () => {
    const slept: number[] = [];
    let wake: () => void = () => {};
    const { sts, credentials, send } = makeWorld({
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return new Promise((resolve) => {
          wake = resolve;
        });
      },
    });
    sts.behaviour.lag(250, { times: 1 });
    const answer = send();
    sts.revokeAccessKey(credentials.accessKeyId);
    wake();
    expect((await answer).status).toBe(200);
    expect((await send()).status).toBe(403);
    expect(slept).toEqual([250]);
  });

  it('stops lagging when the caller gives up', async () => {
    const { sts, send } = makeWorld();
    sts.behaviour.lag(60_000);
    expect(await codeOf(send(AbortSignal.timeout(5)))).toBe('unavailable');
  });

  it('lags and then fails when told both', async () => {
    const { sts, status } = makeWorld({ sleep: async () => {} });
    sts.behaviour.lag(10);
    sts.behaviour.fail(503);
    expect(await status()).toBe(503);
  });

  it('hangs until the caller gives up', async () => {
    const { sts, send, status } = makeWorld();
    sts.behaviour.hang({ times: 1 });
    const controller = new AbortController();
    let isSettled = false;
    const sent = codeOf(send(controller.signal)).finally(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isSettled).toBe(false);
    controller.abort();
    expect(await sent).toBe('unavailable');
    expect(await status()).toBe(200);
    expect(sts.calls.map(({ outcome }) => outcome)).toEqual(['hung', 'ok']);
  });

  it('closes in the middle of an answer', async () => {
    const { sts, send } = makeWorld();
    sts.behaviour.closeMidAnswer();
    expect(await codeOf(send())).toBe('unavailable');
    expect(sts.calls[0]?.outcome).toBe('cut');
  });
});
