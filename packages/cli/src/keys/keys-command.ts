/** `postern keys` (STORE-7): results on the standard output; progress and errors, with the server's code, on the standard error. */
import { readFile } from 'node:fs/promises';
import { isPosternClientError, type PosternClient } from '@postern/client';
import { terminalLine } from '@postern/core-registry/notices';
import { clientOf, reasonOf } from '../server-client.js';
import { printError, printOut } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { KEYS_USAGE, type KeysCommand } from './keys-command-line.js';

const DONE = 0;
const FAILED = 1;
const REFUSED = 3;

/** Records of one call: some seconds of work at most, and a line of progress. */
const PAGE = 1_000;
/** Of one call. Milliseconds. */
const TIMEOUT_MS = 120_000;
/** A token is shorter by far. */
const MAX_TOKEN_BYTES = 64 * 1024;

type Facts = Readonly<Record<string, unknown>>;

/** @returns the exit code. @throws UsageError for an invalid option */
export async function runKeysCommand(command: KeysCommand): Promise<number> {
  try {
    const token = await tokenOf(command);
    // A rotation whose answer was lost is not sent again: it would make another key.
    const client = clientOf(command, {
      timeoutMs: TIMEOUT_MS,
      ...(command.verb === 'rotate' ? { maxAttempts: 1 } : {}),
    });
    await RUN[command.verb](client, token);
    return DONE;
  } catch (error) {
    // The client throws it for invalid options, which here came from the command line.
    if (error instanceof TypeError) throw new UsageError(error.message, KEYS_USAGE);
    printError(`postern: ${terminalLine(reasonOf(error))}\n`);
    return isPosternClientError(error) && error.kind === 'forbidden' ? REFUSED : FAILED;
  }
}

async function tokenOf({ tokenFile, tokenVariable }: KeysCommand): Promise<string> {
  if (tokenFile === undefined) return process.env[tokenVariable] ?? '';
  const content = await readFile(tokenFile);
  return content.subarray(0, MAX_TOKEN_BYTES).toString('utf8').trim();
}

const RUN = { list, rotate, rewrap };

async function list(client: PosternClient, token: string): Promise<void> {
  const { sealing, keys } = await client.manage(token, { method: 'GET', path: 'data-keys' });
  if (sealing !== true) printError('postern: secrets in storage are not sealed here\n');
  const known = (Array.isArray(keys) ? keys : []).map((key: Facts) => [textOf(key['id']), textOf(key['wrapper'])]);
  for (const [at, [id, wrapper]] of known.entries()) {
    printOut(`${id}  ${wrapper}${at === known.length - 1 ? '  (seals)' : ''}\n`);
  }
}

async function rotate(client: PosternClient, token: string): Promise<void> {
  const { keys } = await client.manage(token, { method: 'POST', path: 'data-keys/rotate' });
  printOut(`made a new data key; there are ${countOf(keys)}; "postern keys rewrap" seals every secret under it\n`);
}

async function rewrap(client: PosternClient, token: string): Promise<void> {
  let [rewrapped, resealed, examined] = [0, 0, 0];
  let total: unknown = null;
  for (let after: unknown = ''; typeof after === 'string'; ) {
    const answer: Facts = await client.manage(token, {
      method: 'POST',
      path: 'data-keys/rewrap',
      fields: { limit: PAGE, after },
    });
    rewrapped += countOf(answer['rewrapped']);
    resealed += countOf(answer['resealed']);
    examined += countOf(answer['examined']);
    after = answer['next'];
    total ??= answer['total'];
    // An older server does not count; roles may be written meanwhile.
    const of = typeof total === 'number' && total >= examined ? ` of ${total}` : '';
    if (typeof after === 'string') printError(`${examined}${of} records checked, ${resealed} sealed again\n`);
  }
  printOut(`${examined} records checked, ${resealed} sealed again; ${rewrapped} data keys wrapped again\n`);
}

/** What a server says goes to a terminal: no escapes. */
function textOf(value: unknown): string {
  return terminalLine(String(value));
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
