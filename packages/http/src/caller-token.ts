/** The token that a request carries: the profile's header, else `Authorization: Bearer` (WIRE-5). */
import { bearerToken } from './bearer-token.js';
import type { WireProfile } from './wire-profile.js';

/** @returns undefined where none was sent. The profile's header wins where both were. */
export function callerToken(headers: Headers, profile: WireProfile): string | undefined {
  const own = headers.get(profile.tokenHeader);
  return own !== null && own !== '' ? own : bearerToken(headers);
}
