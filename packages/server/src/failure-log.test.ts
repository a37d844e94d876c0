/** Failures in the log: the first of a kind at once, then one a minute with a count (PROVIDER-7). */
import { AuthError } from '@postern/core-auth';
import { ProviderError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createServer } from './create-server.js';
import { createFailureLog } from './failure-log.js';
import type { LogFacts } from './log.js';

const at = { requestId: 'r', operation: 'login' };

function opened() {
  const lines: LogFacts[] = [];
  const log = createFailureLog((level, message, facts = {}) => void lines.push({ level, message, ...facts }));
  const throttled = (cloudRequestId: string) => {
    const cause = new ProviderError('unavailable', 'canary', { cloudCode: 'Throttling', cloudRequestId });
    const reason = `Throttling (request ${cloudRequestId})`;
    return new AuthError('provider_unavailable', 'the cloud provider is unavailable', { cause, reason });
  };
  return { log, lines, throttled };
}

describe('failures of what a server depends on', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are logged at once, then once a minute and kind, with a count and the last of them', async () => {
    const { log, lines, throttled } = opened();
    log.unavailable(throttled('first'), at);
    for (let call = 0; call < 1_000; call += 1)
      log.unavailable(throttled(`id-${call}`), { ...at, requestId: `${call}` });
    expect(lines).toEqual([
      {
        level: 'warning',
        message: 'a call failed: something that the server depends on did not do its part',
        code: 'provider_unavailable',
        reason: 'Throttling (request first)',
        cause: 'ProviderError',
        cause_code: 'unavailable',
        operation: 'login',
        request_id: 'r',
      },
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ count: 1_000, request_id: '999', reason: 'Throttling (request id-999)' });
    await vi.advanceTimersByTimeAsync(30_000);
    log.unavailable(throttled('later'), at);
    expect(lines).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({ count: 1 });
    log.unavailable(throttled('anew'), at);
    expect(lines).toHaveLength(4);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('of another kind have lines of their own, of a bounded number of kinds; what callers bring about has none', () => {
    const { log, lines, throttled } = opened();
    log.unavailable(throttled('a'), at);
    log.unavailable(new AuthError('storage_unavailable', 'canary'), at);
    log.unexpected(new TypeError('canary'), at);
    log.unavailable(new AuthError('aborted', 'gone'), at);
    expect(lines.map(({ level, code, error }) => [level, code ?? error])).toEqual([
      ['warning', 'provider_unavailable'],
      ['warning', 'storage_unavailable'],
      ['error', 'TypeError'],
    ]);
    for (let kind = 0; kind < 1_000; kind += 1) {
      const cause = new ProviderError('unavailable', 'x', { cloudCode: `Code${kind}` });
      log.unavailable(new AuthError('provider_unavailable', 'x', { cause }), at);
    }
    expect(lines.length).toBeLessThanOrEqual(101);
    log.stop();
    expect(lines.at(-1)).toMatchObject({ code: 'provider_unavailable', count: expect.any(Number) });
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('an outage of the cloud under a server is some lines, with the code and request id of the cloud', async () => {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const lines: LogFacts[] = [];
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    provider: {
      ...cloud,
      describeInstance: async () => {
        throw new ProviderError('denied', 'canary', { cloudCode: 'UnauthorizedOperation', cloudRequestId: 'a1-b2' });
      },
      builtInCertificates: cloud.defaultCertificates(),
    },
    log: (_level, _message, facts = {}) => lines.push(facts),
  });
  const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
  await server.method.handleAsHost({
    requestId: 'r',
    peerAddress: undefined,
    operation: 'role.write',
    params: { role: 'web' },
    fields,
  });
  const pkcs7 = cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;
  for (let login = 0; login < 20; login += 1) {
    const body = JSON.stringify({ role: 'web', pkcs7 });
    const response = await fetch(`${server.url}/v1/auth/cloud/login`, { method: 'POST', body });
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('a1-b2');
  }
  const logged = () => lines.filter(({ code }) => code === 'provider_denied');
  expect(logged()).toEqual([
    expect.objectContaining({ reason: 'UnauthorizedOperation (request a1-b2)', operation: 'login' }),
  ]);
  await server.close(500);
  expect(logged()[1]).toMatchObject({ count: 19 });
  expect(JSON.stringify(lines)).not.toContain('canary');
});
