/** Random and mutated login bodies against any application: what must hold of every answer. For unit tests and long runs. */

/** What an answer may be: a login, a caller's fault, no permission, too large, or "could not find out". Never 500. */
const ALLOWED = new Set([200, 204, 400, 403, 413, 503]);

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  'null',
  'true',
  '1e999',
  '-0',
  '\u0000',
  '\ud800',
  '\ufeff',
  '__proto__',
  'constructor',
];

const RESEMBLING =
  '{"role":"dev","pkcs7":"MIAGCSqGSIb3DQEHAqCAMIACAQExDzANBglghkgBZQMEAgEFADCABgkqhkiG9w0BBwE","nonce":"n-1"}';

const SUSPICIOUS_MS = 20;

export interface LoginFuzzReport {
  readonly sent: number;
  readonly byStatus: Readonly<Record<number, number>>;
  /** The slowest body, at the fastest of its tries. */
  readonly slowestMs: number;
}

/**
 * Sends `count` bodies to `/v1/<mountPath>/login`.
 *
 * @param now milliseconds from any start, for the slowest answer.
 * @throws Error naming the seed and number of the body whose answer must not be.
 */
export async function fuzzLoginBodies(
  fetch: (request: Request) => Promise<Response>,
  options: {
    readonly count: number;
    readonly seed: number;
    readonly mountPath?: string;
    /** Bodies to mutate; one that resembles a login unless told. */
    readonly genuine?: readonly string[];
    readonly now: () => number;
  },
): Promise<LoginFuzzReport> {
  const random = xorshift(options.seed);
  const byStatus: Record<number, number> = {};
  let slowestMs = 0;
  for (let index = 0; index < options.count; index += 1) {
    const body = nextBody(random, options.genuine ?? [RESEMBLING]);
    const send = async () => {
      const request = new Request(`http://postern.test/v1/${options.mountPath ?? 'auth/cloud'}/login`, {
        method: 'POST',
        headers: index % 7 === 0 ? { 'content-type': 'application/x-www-form-urlencoded' } : {},
        body,
      });
      const started = options.now();
      return { response: await fetch(request), elapsedMs: options.now() - started };
    };
    const { response, elapsedMs } = await send();
    // A body that is slow to judge is slow every time; a collection or a busy machine is not.
    const again = elapsedMs > SUSPICIOUS_MS ? [await send(), await send()] : [];
    slowestMs = Math.max(slowestMs, Math.min(elapsedMs, ...again.map((each) => each.elapsedMs)));
    const text = await response.text();
    if (!ALLOWED.has(response.status) || !isAnswer(response.status, text)) {
      throw new Error(`seed ${options.seed}, body ${index}: status ${response.status}`);
    }
    byStatus[response.status] = (byStatus[response.status] ?? 0) + 1;
  }
  return { sent: options.count, byStatus, slowestMs };
}

function isAnswer(status: number, text: string): boolean {
  if (status === 204) return text === '';
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) return false;
  return status === 200 || ('errors' in body && Array.isArray(body.errors));
}

function nextBody(random: () => number, genuine: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(random() % 3 === 0 ? soup(random) : genuine[random() % genuine.length]);
  const flips = random() % 6;
  for (let flip = 0; flip < flips && bytes.length > 0; flip += 1) bytes[random() % bytes.length] = random() % 256;
  return random() % 5 === 0 ? bytes.slice(0, random() % (bytes.length + 1)) : bytes;
}

function soup(random: () => number): string {
  return Array.from({ length: random() % 60 }, () => PIECES[random() % PIECES.length]).join('');
}

function xorshift(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
