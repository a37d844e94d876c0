/** V3, O5, O6: sinks that are full, stalled or gone are seen at once, hang no call, and let no change happen unrecorded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { createAuditOutbox } from '@postern/kernel';
import { type AuditEvent, type AuditSink, systemClock } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createAuditStream, openAuditFile } from './audit-file.js';
import { watchAudit } from './audit-watch.js';
import { createHttpSink, createSyslogSink } from './remote-sinks.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-sinks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const draft = (operation: string) => ({ time: Date.now(), requestId: 'r', operation, outcome: 'allowed' }) as const;
const event = (id: string): AuditEvent => ({ id, ...draft('login') });

function outboxOn(sinks: readonly AuditSink[], now = { ahead: 0 }) {
  const clock = { ...systemClock, now: () => Date.now() + now.ahead };
  const storage = createMemoryStorage();
  const outbox = createAuditOutbox({ storage, sinks, clock, prefix: 'p/' });
  const change = (key: string) => outbox.commit([{ type: 'put', key, value: 'v', if: 'any' }], draft('change'));
  return { outbox, storage, clock, change };
}

describe('a full disk', () => {
  it('V3: fails reads at once, keeps the events of changes, and stops changes after a minute', async () => {
    const now = { ahead: 0 };
    const { outbox, storage, change } = outboxOn([await openAuditFile('/dev/full')], now);
    await expect(outbox.record(draft('read'))).rejects.toMatchObject({ name: 'AuditUnavailableError' });
    await change('a');
    expect(await storage.readLog((await logOf(storage)) ?? '', { limit: 9 })).toHaveLength(1);
    now.ahead = 61_000;
    await expect(change('b')).rejects.toMatchObject({ name: 'AuditUnavailableError' });
    expect(await storage.get('b')).toBeUndefined();
    await outbox.close();
  });

  it('O5: is in log and warnings within 5 seconds, and so is its end', async () => {
    vi.useFakeTimers();
    try {
      let isFull = true;
      const sink = {
        record: () => {
          if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        },
      };
      const { outbox, clock, change } = outboxOn([sink]);
      const logged: unknown[] = [];
      const watch = watchAudit(outbox, ['file x'], clock, (level, message, facts) =>
        logged.push([level, message, facts]),
      );
      await change('a');
      await vi.advanceTimersByTimeAsync(5_000);
      expect(logged).toEqual([
        ['error', 'the audit sink does not record events', expect.objectContaining({ sink: 'file x', code: 'ENOSPC' })],
      ]);
      expect(watch.warnings()).toEqual([
        expect.stringMatching(/^the audit sink file x has not recorded events for \d s; 1 wait$/),
      ]);
      isFull = false;
      await vi.advanceTimersByTimeAsync(5_000);
      expect(logged.at(-1)).toEqual(['info', 'the audit sink records events again', { sink: 'file x' }]);
      expect(watch.warnings()).toEqual([]);
      watch.stop();
      await outbox.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a clock that is set back', () => {
  it('keeps no call waiting on a sink that stalls, and hides no trouble', async () => {
    vi.useFakeTimers();
    try {
      const now = { ahead: 0 };
      const { outbox } = outboxOn([{ record: () => new Promise<void>(() => undefined) }], now);
      const refused = expect(outbox.record(draft('read'))).rejects.toMatchObject({ name: 'AuditUnavailableError' });
      await vi.advanceTimersByTimeAsync(1_000);
      now.ahead = -26 * 3_600_000;
      await vi.advanceTimersByTimeAsync(5_000);
      await refused;
      const [before] = outbox.states();
      await vi.advanceTimersByTimeAsync(61_000);
      expect(outbox.states()).toMatchObject([{ troubledSince: before?.troubledSince, refusesChanges: true }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

it('calls that fail with the sink set no timer each', async () => {
  let timers = 0;
  const sink = {
    record: () => {
      throw new Error('full');
    },
  };
  const sleep: NonNullable<typeof systemClock.sleep> = async () => {
    timers += 1;
    await new Promise(() => undefined);
  };
  const storage = createMemoryStorage();
  const clock = { ...systemClock, sleep };
  const outbox = createAuditOutbox({ storage, sinks: [sink], clock, prefix: 'p/' });
  await outbox.commit([{ type: 'put', key: 'a', value: 'v', if: 'any' }], draft('change'));
  const before = timers;
  for (let call = 0; call < 20; call += 1) await expect(outbox.record(draft('read'))).rejects.toThrow();
  // At most the one that retries, and the watch of those that wait.
  expect(timers - before).toBeLessThanOrEqual(2);
});

describe('a standard output', () => {
  it('O6: whose reader stopped hangs no call: a read is refused in time, a change goes on', async () => {
    vi.useFakeTimers();
    try {
      const stalled = new Writable({ write: () => undefined });
      const { outbox, change } = outboxOn([createAuditStream(stalled)]);
      const read = outbox.record(draft('read')).catch((error: unknown) => error);
      await change('a');
      await vi.advanceTimersByTimeAsync(5_001);
      expect(await read).toMatchObject({ name: 'AuditUnavailableError' });
      await expect(outbox.record(draft('read'))).rejects.toMatchObject({ name: 'AuditUnavailableError' });
      await vi.advanceTimersByTimeAsync(60_000);
      await expect(change('b')).rejects.toMatchObject({ name: 'AuditUnavailableError' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('O6: whose reader is gone fails events and ends nothing', async () => {
    const stream = new PassThrough();
    const audit = createAuditStream(stream);
    stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await expect(audit.record(event('1'))).rejects.toThrow();
    await expect(audit.record(event('2'))).rejects.toThrow();
    await audit.close();
  });
});

describe('several sinks', () => {
  it('each get every event once, the working ones at once, the failing one when it works again', async () => {
    const [told, late]: [string[], string[]] = [[], []];
    let fails = true;
    const { outbox, change } = outboxOn([
      { record: ({ operation }) => void told.push(operation) },
      {
        record: ({ operation }) => {
          if (fails) throw new Error('away');
          late.push(operation);
        },
      },
    ]);
    for (const key of ['a', 'b', 'c']) await change(key);
    await outbox.record(draft('read'));
    expect(told).toEqual(['change', 'change', 'change', 'read']);
    fails = false;
    await outbox.feed();
    expect(late).toEqual(['change', 'change', 'change']);
    await outbox.close();
  });
});

describe('a remote sink', () => {
  it('by HTTP gets batches as JSON lines with its token, and again what was refused', async () => {
    const bodies: string[] = [];
    const collector = createHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        bodies.push(`${request.headers.authorization} ${body}`);
        response.statusCode = bodies.length === 1 ? 503 : 204;
        response.end();
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const tokenFile = join(folder, 'token');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(tokenFile, 'secret\n');
    const { port } = collector.address() as AddressInfo;
    const sink = createHttpSink({ url: `http://127.0.0.1:${port}/in`, tokenFile });
    const batch = [event('1'), event('2')];
    await expect(sink.recordAll(batch)).rejects.toMatchObject({ code: 'http_503' });
    await sink.recordAll(batch);
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[1]).toMatch(/^Bearer secret \{.*"seq":1.*\}\n\{.*"seq":2.*\}\n$/);
    await new Promise((resolve) => collector.close(resolve));
  });

  it('by syslog gets RFC 5424 messages, counted in octets over TCP', async () => {
    let received = '';
    const server = createTcpServer((socket) => socket.on('data', (chunk) => (received += String(chunk))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sink = createSyslogSink(`tcp://127.0.0.1:${port}`);
    await sink.recordAll([event('1')]);
    await vi.waitFor(() => expect(received).toMatch(/^\d+ <85>1 \S+Z \S+ postern \d+ audit - \{"id":"1",.*\}$/));
    expect(Number(received.split(' ', 1)[0])).toBe(received.length - received.indexOf(' ') - 1);
    await sink.close();
    await new Promise((resolve) => server.close(resolve));
    await expect(sink.recordAll([event('2')])).rejects.toThrow();
    const away = createSyslogSink(`tcp://127.0.0.1:${port}`);
    await expect(away.recordAll([event('2')])).rejects.toThrow('the syslog connection failed');
  });
});

async function logOf(storage: ReturnType<typeof createMemoryStorage>): Promise<string | undefined> {
  const { items } = await storage.list('p/nodes/', { limit: 1 });
  return items[0]?.key.replace('p/nodes/', 'p/log/');
}

it('leaves no timer behind when it is closed', async () => {
  vi.useFakeTimers();
  try {
    const { outbox, change } = outboxOn([{ record: () => undefined }]);
    await change('a');
    await outbox.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
