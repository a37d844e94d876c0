/** Why the status of a version is not known: "could not find out" is neither deprecated nor clean (CHECK-4). */

/**
 * `unreachable`: no connection, or one that broke off; `timeout`; `server_error`: it answered 429 or 5xx, twice;
 * `unauthorized`: 401 or 403; `not_found`: it does not know the module or version, or does not show it to this token;
 * `no_registry`: the host offers no module registry; `answer_invalid`: an answer that is malformed, too large, or leads
 * elsewhere; `token_unusable`: the token cannot be sent, or would be sent in the clear; `token_origin`: the registry is at
 * another origin than the one that the token belongs to; `source_invalid`: a module with a version whose source is not a
 * registry address; `too_many`: more versions than one check asks about.
 */
export type ProblemCode =
  | 'unreachable'
  | 'timeout'
  | 'server_error'
  | 'unauthorized'
  | 'not_found'
  | 'no_registry'
  | 'answer_invalid'
  | 'token_unusable'
  | 'token_origin'
  | 'source_invalid'
  | 'too_many';

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence without its full stop, safe for a terminal: fixed text with at most numbers, error codes and origins of URLs. */
  readonly message: string;
}

/** What asking ends in where it does not end in an answer. Never holds a token, a header or a body. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly problem: Problem;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.problem = { code, message };
  }
}

/** A token and the only origin that receives it (CHECK-6). */
export interface Credential {
  readonly token: string;
  /** `https://registry.acme.example`. */
  readonly origin: string;
}

/** The longest name that DNS knows, and a port. An origin is printable ASCII. */
const MAX_ORIGIN_CHARACTERS = 270;

/** What the registry needs a token for lies at an origin that the token was not given for. */
export function otherOrigin({ origin }: Credential, asked: string): AskError {
  const shown = (text: string) =>
    text.length > MAX_ORIGIN_CHARACTERS ? `${text.slice(0, MAX_ORIGIN_CHARACTERS)}…` : text;
  return new AskError(
    'token_origin',
    `the registry is at ${shown(asked)}, and the token is for ${shown(origin)} alone; ` +
      'if both are yours, name the address with --registry=HOST=URL or in a "host" block of the CLI configuration',
  );
}

/** The registry was not there, or not well: asking later may help. */
export function isOutage({ code }: Problem): boolean {
  return code === 'unreachable' || code === 'timeout' || code === 'server_error';
}
