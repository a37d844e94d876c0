/** The audit log: in order, private, on the disk before the call returns, and never quietly missing (AUDIT-5). */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { AuditEvent } from '@postern/ports';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuditStream, openAuditFile } from './audit-file.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const event = (requestId: string): AuditEvent => ({
  id: `event ${requestId}`,
  time: 1_700_000_000_123,
  requestId,
  operation: 'login',
  outcome: 'denied',
  code: 'nonce_mismatch',
});
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('an audit file', () => {
  it('is readable by its owner alone, and holds a line an event', async () => {
    const file = join(folder, 'one.log');
    const audit = await openAuditFile(file);
    await audit.record(event('a'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(linesOf(file)).toMatchObject([{ ...event('a'), time: '2023-11-14T22:13:20.123Z', seq: 1, prev: '' }]);
    await audit.close();
  });

  it('keeps the order of events, and what was there before', async () => {
    const file = join(folder, 'order.log');
    const ids = Array.from({ length: 500 }, (_, index) => `r${index}`);
    for (const half of [ids.slice(0, 250), ids.slice(250)]) {
      const audit = await openAuditFile(file);
      await Promise.all(half.map((id) => audit.record(event(id))));
      await audit.close();
    }
    expect(linesOf(file).map((line) => (line as AuditEvent).requestId)).toEqual(ids);
  });

  it('finishes what is under way when it is closed, and takes nothing after', async () => {
    const file = join(folder, 'close.log');
    const audit = await openAuditFile(file);
    const recorded = audit.record(event('a'));
    await Promise.all([audit.close(), audit.close()]);
    await recorded;
    expect(linesOf(file)).toHaveLength(1);
    await expect(audit.record(event('b'))).rejects.toThrow();
  });

  it('that is renamed and reopened goes on in a new one, and every event is in one of both, in order', async () => {
    const file = join(folder, 'rotated.log');
    const audit = await openAuditFile(file);
    const ids = Array.from({ length: 300 }, (_, index) => `r${index}`);
    const recorded: (void | Promise<void>)[] = [];
    for (const [index, id] of ids.entries()) {
      recorded.push(audit.record(event(id)));
      if (index % 100 === 99) {
        await recorded[index - 50];
        renameSync(file, `${file}.${index}`);
        await audit.reopen();
        const renamed = statSync(`${file}.${index}`).size;
        await audit.record(event(`after ${index}`));
        expect(statSync(`${file}.${index}`).size).toBe(renamed);
        expect(statSync(file).mode & 0o777).toBe(0o600);
      }
    }
    await Promise.all(recorded);
    await audit.close();
    const all = [99, 199, 299].flatMap((index) => linesOf(`${file}.${index}`)).concat(linesOf(file));
    const found = all.map((line) => (line as AuditEvent).requestId);
    expect(found.filter((id) => !id.startsWith('after'))).toEqual(ids);
    expect(found).toHaveLength(303);
  });

  it('that cannot be reopened keeps its file; closed, it stays closed', async () => {
    const file = join(folder, 'kept.log');
    const audit = await openAuditFile(file);
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    await expect(audit.reopen()).rejects.toMatchObject({ code: 'EISDIR' });
    await audit.record(event('a'));
    expect(linesOf(`${file}.1`)).toHaveLength(1);
    await audit.close();
    rmSync(file, { recursive: true });
    await audit.reopen();
    expect(() => statSync(file)).toThrow();
  });

  it('that cannot be read when it is reopened keeps its file', async () => {
    const file = join(folder, 'unread.log');
    const audit = await openAuditFile(file);
    renameSync(file, `${file}.1`);
    const probe = await open(join(folder, 'probe'), 'w');
    vi.spyOn(Object.getPrototypeOf(probe), 'stat').mockRejectedValueOnce(new Error('unread'));
    onTestFinished(() => void vi.restoreAllMocks());
    await probe.close();
    await expect(audit.reopen()).rejects.toThrow('unread');
    await audit.record(event('a'));
    expect(linesOf(`${file}.1`)).toHaveLength(1);
    await audit.reopen();
    await audit.record(event('b'));
    expect(linesOf(file)).toHaveLength(1);
    await audit.close();
  });

  it('cannot be opened where there is no folder', async () => {
    await expect(openAuditFile(join(folder, 'missing', 'audit.log'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('an audit stream', () => {
  it('is not reopened', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => done(lines.push(String(chunk)) > 1 ? new Error() : null),
    });
    const audit = createAuditStream(stream);
    await audit.reopen();
    await audit.record(event('a'));
    expect(lines).toHaveLength(1);
    await audit.close();
  });

  it('fails the event that it could not write, and starts the next on a line of its own', async () => {
    const written: string[] = [];
    let failures = 1;
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        if (failures > 0) {
          failures -= 1;
          // As a full disk would: an error without the end of the stream.
          done(null);
          return;
        }
        written.push(chunk);
        done();
      },
    });
    const failing = {
      write(lines: string, done: (error?: Error | null) => void) {
        stream.write(lines, () => (written.length === 0 ? done(new Error('full')) : done()));
        return true;
      },
    } as unknown as NodeJS.WritableStream;
    const audit = createAuditStream(failing);
    await expect(audit.record(event('a'))).rejects.toThrow('full');
    await audit.record(event('b'));
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\n\{.*"b".*\}\n$/);
    await audit.close();
  });
});
