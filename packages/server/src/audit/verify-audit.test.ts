/** The chain of the audit log: whatever is done to its lines is told, with the line (AUDIT-10). */
import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '@postern/ports';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openAuditFile } from './audit-file.js';
import { chainLine, readChainedLine } from './hash-chain.js';
import { verifyAudit, verifyAuditFiles } from './verify-audit.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const eventOf = (at: number): AuditEvent => ({
  id: `event-${at}`,
  time: 1_700_000_000_000 + at,
  requestId: `request-${at}`,
  operation: 'login',
  outcome: 'allowed',
  details: { text: 'with "hash":"quotes", newline \n and \u2028' },
});

let file: string;
let count = 0;
beforeEach(() => {
  count += 1;
  file = join(folder, `audit-${count}.log`);
});

async function record(from: number, to: number): Promise<void> {
  const audit = await openAuditFile(file);
  for (let at = from; at <= to; at += 1) await audit.record(eventOf(at));
  await audit.close();
}

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const problemsOf = async (...files: readonly string[]) =>
  (await verifyAuditFiles(files)).problems.map((problem) => problem.replaceAll(`${folder}/`, ''));

it('a line is the same from an event and from the JSON that storage holds of it', () => {
  const event = { ...eventOf(1), details: { text: '"time":1700000000001,', time: '1700000000001' } };
  const before = { seq: 7, hash: 'of-the-line-before' };
  const { line, end } = chainLine(event, before, JSON.stringify(event));
  expect(chainLine(event, before)).toEqual({ line, end });
  expect(JSON.parse(line)).toEqual({
    ...event,
    time: '2023-11-14T22:13:20.001Z',
    seq: 8,
    prev: before.hash,
    hash: end.hash,
  });
  expect(readChainedLine(line)).toMatchObject({ ...end, isSound: true });
});

describe('a log', () => {
  it('that nobody touched has no problems, over restarts', async () => {
    await record(1, 3);
    await record(4, 5);
    expect(await verifyAuditFiles([file])).toMatchObject({ events: 5, problems: [], last: { seq: 5 } });
  });

  it('goes on over rotation, by signal and while no server runs', async () => {
    const audit = await openAuditFile(file);
    await audit.record(eventOf(1));
    renameSync(file, `${file}.2`);
    await audit.reopen();
    await audit.record(eventOf(2));
    await audit.close();
    renameSync(file, `${file}.1`);
    await record(3, 3);
    expect(await problemsOf(`${file}.2`, `${file}.1`, file)).toEqual([]);
    expect((await verifyAuditFiles([file])).first?.seq).toBe(3);
  });

  it('whose last line was torn by a crash goes on after the last whole one', async () => {
    await record(1, 2);
    truncateSync(file, readFileSync(file).length - 10);
    await record(2, 3);
    expect(await problemsOf(file)).toEqual([]);
    expect(linesOf(file)).toHaveLength(3);
  });

  it('does not tell an event again that comes again after a restart', async () => {
    await record(1, 3);
    await record(2, 4);
    expect(linesOf(file)).toHaveLength(4);
    expect(await problemsOf(file)).toEqual([]);
  });

  it.each<[string, (lines: string[]) => readonly (string | undefined)[], RegExp]>([
    ['a changed line', ([a, b = '', c]) => [a, b.replace('allowed', 'denied!'), c], /:2: was changed/],
    ['a line that is gone', ([a, , c]) => [a, c], /:2: line 2 of the log is missing before it/],
    ['a line twice', ([a, b, c]) => [a, b, b, c], /:3: tells the event event-2 again.*:2/],
    ['lines in another order', ([a, b, c]) => [a, c, b], /:2: line 2 of the log is missing/],
    ['a line of another program', ([a, b, c]) => [a, 'hello', b, c], /:2: is no line of an audit log/],
    ['a line in the place of another', ([a, , c]) => [a, a?.replace('event-1', 'event-9'), c], /:2: was changed/],
  ])('tells %s', async (_name, change, expected) => {
    await record(1, 3);
    writeFileSync(file, `${change(linesOf(file)).join('\n')}\n`);
    expect((await problemsOf(file)).join('\n')).toMatch(expected);
  });

  it('of which a file is missing says so', async () => {
    const audit = await openAuditFile(file);
    for (const at of [1, 2, 3]) {
      await audit.record(eventOf(at));
      renameSync(file, `${file}.${at}`);
      await audit.reopen();
    }
    await audit.close();
    expect(await problemsOf(`${file}.1`, `${file}.3`)).toEqual([
      `audit-${count}.log.3:1: line 2 of the log is missing before it`,
    ]);
  });
});

describe('the command', () => {
  it('exits with 0 for a sound log, with 1 for a broken one', async () => {
    const printed: string[] = [];
    const terminal = {
      printOut: (text: string) => printed.push(text),
      printError: (text: string) => printed.push(text),
    };
    await record(1, 2);
    expect(await verifyAudit([file], terminal)).toBe(0);
    writeFileSync(file, 'x\n');
    expect(await verifyAudit([file], terminal)).toBe(1);
    expect(printed).toEqual([
      expect.stringMatching(/^2 events, lines 1 to 2 of the log; last hash [\w-]{43}\n$/),
      `${file}:1: is no line of an audit log\n`,
      'no events\n',
    ]);
    await expect(verifyAudit([join(folder, 'missing')], terminal)).rejects.toMatchObject({ name: 'StartError' });
  });
});
