/** The audit log: in order, private, on the disk before the call returns, and never quietly missing (decision K6). */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { AuditEvent } from '@postern/ports';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuditStream, openAuditFile } from './audit-file.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const event = (requestId: string): AuditEvent => ({
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
    expect(linesOf(file)).toEqual([{ ...event('a'), time: '2023-11-14T22:13:20.123Z' }]);
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
    expect(() => audit.record(event('b'))).toThrow();
  });

  it('cannot be opened where there is no folder', async () => {
    await expect(openAuditFile(join(folder, 'missing', 'audit.log'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('an audit stream', () => {
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
