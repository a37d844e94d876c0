/**
 * The provider in trouble, seen over HTTP with the real adapter (ERROR-5, THREAT-20, THREAT-36): logins that need it are
 * 503 with Retry-After in time, nobody is denied, nothing is remembered against anybody, and the rest goes on.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTroubleSite, PROVIDER_TIMEOUT_MS, type TroubleSite } from './trouble-site.js';
import { TROUBLES } from './troubled-service.js';

const AT_ONCE = 8;
/** So that the figures of a trouble that is over in a millisecond are figures too. */
const AT_LEAST_MS = 1_500;
const PAUSE_MS = 100;
const RESOLUTION_MS = 5;
const MAX_DELAY_P99_MS = 100;

let site: TroubleSite;
beforeAll(async () => {
  site = await createTroubleSite();
  // What is loaded at the first question is loaded now.
  for (const body of [site.login.iam(), site.login.ec2()])
    expect((await site.call('POST', 'login', body)).status).toBe(200);
});
afterAll(() => site.close());

const msOf = (delay: IntervalHistogram) => delay.percentile(99) / 1e6;

/** Other work while `until` runs: a managed read, and a login that asks the service that is well. */
async function otherWork(logins: readonly object[], until: Promise<unknown>) {
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  const statuses = new Set<number>();
  let slowestMs = 0;
  for (let turn = 0; !isOver; turn += 1) {
    const started = performance.now();
    const [read, login] = await Promise.all([
      site.call('GET', 'role/web'),
      site.call('POST', 'login', logins[turn % logins.length]),
    ]);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    statuses.add(read.status).add(login.status);
    await sleep(20);
  }
  return { statuses: [...statuses], slowestMs };
}

describe.each([
  ['iam', 'sts', 'ec2'],
  ['ec2', 'ec2', 'iam'],
] as const)('an %s login where %s is in trouble', (kind, service, other) => {
  // Of all its troubles: the machine stalls now and then, which is no fault of the server.
  const allDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  it.each(TROUBLES)('%s: is unavailable in time, and succeeds as soon as that is over', async (trouble) => {
    const bodies = Array.from({ length: AT_ONCE }, () => site.login[kind]());
    const others = Array.from({ length: AT_ONCE }, () => site.login[other]());
    await site[service].begin(trouble);
    site.events.length = 0;
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    allDelay.enable();
    let slowestMs = 0;
    const attempts = (async () => {
      const answers = [];
      const started = performance.now();
      do {
        const sent = performance.now();
        answers.push(...(await Promise.all(bodies.map((body) => site.call('POST', 'login', body)))));
        slowestMs = Math.max(slowestMs, performance.now() - sent);
        await sleep(PAUSE_MS);
      } while (performance.now() - started < AT_LEAST_MS);
      return answers;
    })();
    const work = await otherWork(others, attempts);
    const answers = await attempts;
    delay.disable();
    allDelay.disable();
    await site[service].end();

    console.log(
      `${kind}, ${service} ${trouble}: ${answers.length} answers, slowest ${slowestMs.toFixed(0)} ms; ` +
        `other work at most ${work.slowestMs.toFixed(0)} ms; event-loop delay p99 ${msOf(delay).toFixed(1)} ms`,
    );
    for (const { status, code, retryAfter } of answers) {
      expect([status, code]).toEqual([503, 'provider_unavailable']);
      expect(retryAfter).toMatch(/^[1-9]\d*$/);
    }
    expect(slowestMs).toBeLessThan(PROVIDER_TIMEOUT_MS + 1_000);
    const ofTrouble = site.events.filter(({ operation, authType }) => operation === 'login' && authType === kind);
    expect(ofTrouble.map(({ outcome }) => outcome)).toEqual(answers.map(() => 'unavailable'));
    expect(work.statuses).toEqual([200]);
    expect(work.slowestMs).toBeLessThan(PROVIDER_TIMEOUT_MS);

    // Calls to a service that throttled wait for as long as the answers say (PROVIDER-6).
    if (trouble === 'throttling') await sleep(Number(answers.at(-1)?.retryAfter) * 1_000);
    // The very bodies that were turned away: nothing was remembered against them.
    const again = await Promise.all(bodies.map((body) => site.call('POST', 'login', body)));
    expect(again.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  });

  it('leaves the event loop free meanwhile', () => {
    console.log(`${kind}, ${service} in all its troubles: event-loop delay p99 ${msOf(allDelay).toFixed(1)} ms`);
    expect(allDelay.count).toBeGreaterThan(500);
    expect(msOf(allDelay)).toBeLessThan(MAX_DELAY_P99_MS);
  });
});
