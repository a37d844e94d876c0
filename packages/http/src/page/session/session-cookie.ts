/**
 * Who is signed in, kept by the visitor's browser: token, name and form secret, sealed (AES-256-GCM) so that neither the
 * browser's disk nor a log of cookies holds a token in clear. Chosen over ids of sessions kept in memory: any node that
 * has the key serves any visitor, a restart signs nobody out, and nobody can fill the memory by signing in. What is given
 * up: signing out only forgets the cookie. A copy of it opens until the session's end, or until the token is revoked,
 * which is checked at every page.
 */
import { decodeBase64Url, encodeBase64Url, openSealedBytes, sealBytes } from '@postern/kernel';
import type { Cipher, Clock, RandomSource } from '@postern/ports';
import * as z from 'zod';
import { sameSecret } from './form-guard.js';

export interface Session {
  readonly token: string;
  /** Name of the caller, as recorded in the history. */
  readonly caller: string;
  /**
   * The form secret, for the forms of one answer: another site does not know it. Masked anew each time, so that the lengths of compressed
   * answers tell nothing of it (BREACH).
   */
  readonly formSecret: string;
  /** Whether a form holds the secret, as any answer of this session had it. */
  holdsSecret(form: string): boolean;
}

export interface SessionSeal {
  start(token: string, caller: string): Promise<string>;
  /** Undefined for a cookie that is over, altered, or sealed under another key. */
  open(cookie: string): Promise<Session | undefined>;
}

export const SESSION_KEY_BYTES = 32;
const FORM_SECRET_BYTES = 16;

/** Binds a sealed text to its use: nothing else sealed under the key can stand for a session. */
const PURPOSE = new TextEncoder().encode('postern registry page session v1');

/** What is sealed. */
const stored = z.object({ token: z.string(), caller: z.string(), formSecret: z.string(), startedAt: z.number() });

export interface SessionSealOptions {
  readonly crypto: Cipher & RandomSource;
  readonly clock: Clock;
  readonly key: Uint8Array;
  readonly lifetimeSeconds: number;
}

export function createSessionSeal({ crypto, clock, key, lifetimeSeconds }: SessionSealOptions): SessionSeal {
  return {
    async start(token, caller) {
      const formSecret = encodeBase64Url(crypto.bytes(FORM_SECRET_BYTES));
      const session: z.output<typeof stored> = { token, caller, formSecret, startedAt: clock.now() };
      const text = new TextEncoder().encode(JSON.stringify(session));
      return encodeBase64Url(await sealBytes(crypto, key, text, PURPOSE));
    },

    async open(cookie) {
      const bytes = decodeBase64Url(cookie);
      const text = bytes && (await openSealedBytes(crypto, key, bytes, PURPOSE));
      if (text === undefined) return undefined;
      // Authenticated, so Postern wrote it; its shape may still be that of another release.
      const parsed = stored.safeParse(JSON.parse(new TextDecoder().decode(text)));
      if (!parsed.success) return undefined;
      const { token, caller, formSecret, startedAt } = parsed.data;
      if (clock.now() - startedAt >= lifetimeSeconds * 1000) return undefined;
      return {
        token,
        caller,
        formSecret: masked(formSecret, crypto.bytes(FORM_SECRET_BYTES)),
        holdsSecret: (form) => sameSecret(unmasked(form), formSecret),
      };
    },
  };
}

/** The mask, then the secret under it. */
function masked(secret: string, mask: Uint8Array): string {
  const bytes = decodeBase64Url(secret) ?? new Uint8Array(FORM_SECRET_BYTES);
  return encodeBase64Url(Uint8Array.from([...mask, ...mask.map((byte, at) => byte ^ (bytes[at] ?? 0))]));
}

/** Empty for what `masked` never answers. */
function unmasked(form: string): string {
  const bytes = decodeBase64Url(form);
  if (bytes?.length !== 2 * FORM_SECRET_BYTES) return '';
  const [mask, secret] = [bytes.subarray(0, FORM_SECRET_BYTES), bytes.subarray(FORM_SECRET_BYTES)];
  return encodeBase64Url(secret.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
