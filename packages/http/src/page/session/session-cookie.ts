/**
 * Who is signed in, kept by the visitor's browser: token, name and form secret, sealed (AES-256-GCM) so that neither the
 * browser's disk nor a log of cookies holds a token in clear. Chosen over ids of sessions kept in memory: any node that
 * has the key serves any visitor, a restart signs nobody out, and nobody can fill the memory by signing in. What is given
 * up: signing out only forgets the cookie. A copy of it opens until the session's end, or until the token is revoked,
 * which is checked at every page.
 */
import { decodeBase64Url, encodeBase64Url, openSealedBytes, sealBytes } from '@postern/kernel';
import type { Cipher, Clock, EpochMillis, RandomSource } from '@postern/ports';
import * as z from 'zod';

export interface Session {
  readonly token: string;
  /** Name of the caller, as recorded in the history. */
  readonly caller: string;
  /** Stands in every form of this session: another site does not know it. */
  readonly formSecret: string;
  readonly startedAt: EpochMillis;
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
      const session: Session = { token, caller, formSecret, startedAt: clock.now() };
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
      const age = clock.now() - parsed.data.startedAt;
      return age >= lifetimeSeconds * 1000 ? undefined : parsed.data;
    },
  };
}
