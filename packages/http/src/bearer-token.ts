/** The token of `Authorization: Bearer` (WIRE-5; RFC 6750, 2.1). */

/** @returns undefined where there is none, or another scheme. */
export function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}
