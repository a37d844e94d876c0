/** `postern audit verify`: says which line of an audit log was changed, is missing or stands there twice (AUDIT-10). */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { StartError } from '../start-error.js';
import type { Terminal } from '../terminal.js';
import { type ChainedLine, readChainedLine } from './hash-chain.js';

/** What is printed of a log that is broken throughout. */
const MAX_PROBLEMS = 100;

export interface AuditVerdict {
  readonly events: number;
  /** One text each, with file and line. */
  readonly problems: readonly string[];
  /** Where the log begins and ends; undefined for an empty one. */
  readonly first: ChainedLine | undefined;
  readonly last: ChainedLine | undefined;
}

/**
 * @param files of one log, the oldest first.
 * @throws the error of the system for a file that cannot be read.
 */
export async function verifyAuditFiles(files: readonly string[]): Promise<AuditVerdict> {
  const problems: string[] = [];
  const placeOfId = new Map<string, string>();
  let events = 0;
  let first: ChainedLine | undefined;
  let last: ChainedLine | undefined;
  for (const file of files) {
    let number = 0;
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      const place = `${file}:${number}`;
      const line = readChainedLine(text);
      const told = line === undefined ? ['is no line of an audit log'] : problemsOf(line, last, placeOfId);
      for (const problem of told) if (problems.length < MAX_PROBLEMS) problems.push(`${place}: ${problem}`);
      if (line === undefined) continue;
      events += 1;
      placeOfId.set(line.id, place);
      first ??= line;
      last = line;
    }
  }
  return { events, problems, first, last };
}

function problemsOf(
  line: ChainedLine,
  last: ChainedLine | undefined,
  placeOfId: ReadonlyMap<string, string>,
): readonly string[] {
  const problems: string[] = [];
  if (!line.isSound) problems.push('was changed: its hash is not that of its text');
  const before = placeOfId.get(line.id);
  if (before !== undefined) problems.push(`tells the event ${line.id} again, which stands at ${before}`);
  if (last === undefined || (line.seq === last.seq + 1 && line.prev === last.hash)) return problems;
  const [from, to] = [last.seq + 1, line.seq - 1];
  if (from === to) problems.push(`line ${from} of the log is missing before it`);
  else if (to > from) problems.push(`lines ${from} to ${to} of the log are missing before it`);
  else if (line.seq === from) problems.push('does not follow from the line before: that one was changed or replaced');
  else if (line.seq === 1) problems.push('begins a new log: what stood between cannot be verified');
  else problems.push(`is line ${line.seq} of the log, and stands after line ${last.seq}`);
  return problems;
}

/** @returns the exit code: 0 where nothing is wrong, 1 otherwise. */
export async function verifyAudit(
  files: readonly string[],
  { printOut, printError }: Pick<Terminal, 'printOut' | 'printError'>,
): Promise<number> {
  let verdict: AuditVerdict;
  try {
    verdict = await verifyAuditFiles(files);
  } catch (error) {
    throw new StartError(`cannot read the log (${error instanceof Error ? error.message : String(error)})`, error);
  }
  const { events, problems, first, last } = verdict;
  for (const problem of problems) printError(`${problem}\n`);
  if (first === undefined || last === undefined) printOut('no events\n');
  else {
    printOut(`${events} events, lines ${first.seq} to ${last.seq} of the log; last hash ${last.hash}\n`);
    if (first.seq !== 1) printOut(`the log begins earlier: name the files before it to verify all of it\n`);
  }
  return problems.length === 0 ? 0 : 1;
}
