/** What a login, a renewal and a look-up answer (LOGIN-6), checked: a client acts on these values for as long as it runs. */
import { conceal } from '../concealed.js';
import { answerInvalid } from './call-server.js';

interface ShownLogin {
  /** Tells the token in audit events, and says nothing of it; empty for batch tokens. */
  readonly accessor: string;
  readonly policies: readonly string[];
  /** From the answer on. Seconds; 0: without end. */
  readonly ttlSeconds: number;
  readonly renewable: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly entityId: string;
}

interface LoginSecrets {
  readonly token: string;
  /** Where the server made one: a login that sent none. It is shown once. */
  readonly nonce?: string;
}

/** Secrets are there by name, and in no listing, JSON or copy. */
export type Login = ShownLogin & LoginSecrets;

export interface TokenFacts {
  readonly accessor: string;
  readonly policies: readonly string[];
  /** Left now. Seconds; 0: without end. */
  readonly ttlSeconds: number;
  readonly renewable: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly entityId: string;
  /** RFC 3339; undefined: without end. */
  readonly expireTime: string | undefined;
}

type Answer = Readonly<Record<string, unknown>>;

const TOKEN = /^[!-~]{1,65536}$/;

/** @returns whether a text can stand in a header; anything else would be quoted by the error of `fetch`. */
export function isTokenText(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/** @throws PosternClientError `answer_invalid` */
export function parseLogin(body: Answer | undefined): Login {
  const auth = objectAt(body, 'auth');
  const token = auth['client_token'];
  if (!isTokenText(token)) throw answerInvalid('invalid response: missing token');
  const { nonce, ...metadata } = stringsAt(auth, 'metadata');
  const shown: ShownLogin = {
    ...common(auth),
    ttlSeconds: secondsAt(auth, 'lease_duration'),
    metadata,
  };
  return conceal(shown, nonce === undefined ? { token } : { token, nonce });
}

/** @throws PosternClientError `answer_invalid` */
export function parseTokenFacts(body: Answer | undefined): TokenFacts {
  const data = objectAt(body, 'data');
  const { expire_time: expireTime } = data;
  return {
    ...common(data),
    ttlSeconds: secondsAt(data, 'ttl'),
    metadata: stringsAt(data, 'meta'),
    expireTime: typeof expireTime === 'string' ? expireTime : undefined,
  };
}

function common(from: Answer) {
  const { policies, accessor, entity_id: entityId, renewable } = from;
  if (!Array.isArray(policies) || !policies.every((each) => typeof each === 'string')) {
    throw answerInvalid('the answer has no policies');
  }
  return {
    accessor: typeof accessor === 'string' ? accessor : '',
    // Every member was just looked at.
    policies: policies as readonly string[],
    renewable: renewable === true,
    entityId: typeof entityId === 'string' ? entityId : '',
  };
}

function objectAt(body: Answer | undefined, name: string): Answer {
  const value = body?.[name];
  if (typeof value !== 'object' || value === null) throw answerInvalid(`invalid response: missing ${name}`);
  return { ...value };
}

function secondsAt(from: Answer, name: string): number {
  const value = from[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw answerInvalid(`invalid response: missing ${name}`);
  return Math.max(0, value);
}

function stringsAt(from: Answer, name: string): Record<string, string> {
  const value = from[name] ?? {};
  const entries = typeof value === 'object' ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
