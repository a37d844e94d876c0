/** How the sandbox speaks: steps with what was sent and what came back, short enough to read, secrets abbreviated. */
import type { Terminal } from '@postern/server/command';

/** Members that hold a secret or a long proof: shown by their beginning only. */
const ABBREVIATED: ReadonlySet<string> = new Set([
  'pkcs7',
  'identity',
  'signature',
  'nonce',
  'client_nonce',
  'client_token',
  'id',
  'accessor',
  'iam_request_url',
  'iam_request_body',
  'iam_request_headers',
]);

const SHOWN_CHARACTERS = 10;
const INDENT = '      ';

export interface Pages {
  /** Whether a person is watching who sees colours. */
  readonly colour: boolean;
  heading(text: string): void;
  step(title: string): void;
  /** What a step is about, in a sentence. */
  say(text: string): void;
  sent(method: string, path: string, as: string, body: unknown): void;
  received(status: number, body: unknown): void;
  /** The outcome was what it should be. */
  good(text: string): void;
  bad(text: string): void;
  plain(text: string): void;
}

export function createPages({
  wantsColour: colour,
  printOut: print,
}: Pick<Terminal, 'wantsColour' | 'printOut'>): Pages {
  const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, dim, red, green, cyan] = [paint(1), paint(2), paint(31), paint(32), paint(36)];
  let number = 0;
  return {
    colour,
    heading: (text) => print(`\n${bold(text)}\n`),
    step(title) {
      number += 1;
      print(`\n${cyan(String(number).padStart(4))}  ${bold(title)}\n`);
    },
    say: (text) => print(`${INDENT}${dim(text)}\n`),
    sent(method, path, as, body) {
      print(`${INDENT}→ ${method} ${path}${as === '' ? '' : dim(`  (${as})`)}\n`);
      if (body !== undefined) print(`${INDENT}  ${compact(body)}\n`);
    },
    received(status, body) {
      const shown = interesting(body);
      print(
        `${INDENT}← ${status < 300 ? green(String(status)) : red(String(status))}${shown === undefined ? '' : ` ${compact(shown)}`}\n`,
      );
    },
    good: (text) => print(`${INDENT}${green('✓')} ${text}\n`),
    bad: (text) => print(`${INDENT}${red('✗')} ${text}\n`),
    plain: (text) => print(`${text}\n`),
  };
}

/** Of an envelope the part that was filled, and of it what a newcomer wants to see. */
function interesting(body: unknown): unknown {
  if (!isRecord(body)) return body;
  if (isRecord(body['auth'])) return pick(body['auth'], ['client_token', 'policies', 'lease_duration', 'metadata']);
  if (isRecord(body['data'])) return pickKnown(body['data']);
  return body;
}

function pickKnown(data: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(data, 'ttl')) return pick(data, ['id', 'display_name', 'policies', 'ttl', 'renewable', 'meta']);
  return data;
}

function pick(source: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]));
}

/** One line of JSON with a space after each comma and colon, so that a terminal can break it. */
function compact(value: unknown): string {
  const short = JSON.stringify(value, (name, member: unknown) =>
    ABBREVIATED.has(name) && typeof member === 'string' ? abbreviate(member) : member,
  );
  return short.replaceAll('","', '", "').replaceAll('":', '": ').replaceAll(',"', ', "');
}

export function abbreviate(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
