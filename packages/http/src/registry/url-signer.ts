/**
 * Signs the addresses of archives: stock clients fetch those without a token (MODULE-5), so the address itself
 * must prove that the registry handed it out.
 */
import type { Awaitable } from '@postern/ports';
import { toBase64Url } from './exchange.js';

/** Bring your own where keys are kept elsewhere, such as in a key management service. */
export interface UrlSigner {
  /** A signature in characters that need no escape in a URL. */
  sign(text: string): Awaitable<string>;
  /** Compares in constant time. False for a malformed signature. */
  verify(text: string, signature: string): Awaitable<boolean>;
}

const MIN_KEY_BYTES = 32;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const SIGNATURE = /^[\w-]{43}$/;

/**
 * HMAC-SHA-256 by WebCrypto. The first key signs, all of them verify: put a new one in front to replace an old one.
 *
 * @throws TypeError without a key, or for one below 32 bytes.
 */
export function createUrlSigner(keys: readonly Uint8Array[]): UrlSigner {
  if (keys.length === 0) throw new TypeError('keys: at least one is required');
  if (keys.some((key) => key.byteLength < MIN_KEY_BYTES))
    throw new TypeError(`keys: must have at least ${MIN_KEY_BYTES} bytes each`);
  const imported = keys.map((key) =>
    crypto.subtle.importKey('raw', Uint8Array.from(key), HMAC, false, ['sign', 'verify']),
  );
  const [first] = imported;
  const encoder = new TextEncoder();
  return {
    async sign(text) {
      if (first === undefined) throw new TypeError('keys: at least one is required');
      return toBase64Url(new Uint8Array(await crypto.subtle.sign(HMAC, await first, encoder.encode(text))));
    },
    async verify(text, signature) {
      if (!SIGNATURE.test(signature)) return false;
      const bytes = fromBase64Url(signature);
      // Another spelling of the same bytes is not what was handed out.
      if (toBase64Url(bytes) !== signature) return false;
      const data = encoder.encode(text);
      const verdicts = await Promise.all(
        imported.map(async (key) => crypto.subtle.verify(HMAC, await key, bytes, data)),
      );
      return verdicts.includes(true);
    },
  };
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
}
