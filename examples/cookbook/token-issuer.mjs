// #region token-issuer
import { jwtVerify, SignJWT } from 'jose';

/** @param {Uint8Array} key of 32 random bytes, from your secret store */
export function createJwtIssuer(key) {
  return {
    /** @param {import('@postern/ports').TokenGrant} grant */
    mint: ({ policies, entityId, displayName, issuedAt, expiresAt }) =>
      new SignJWT({ policies, name: displayName })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(entityId)
        .setJti(crypto.randomUUID()) // two logins of one second must not mint the same text
        .setIssuedAt(Math.floor(issuedAt / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(key),
  };
}

/**
 * For services that do not ask Postern: they accept the token until it expires, revoked or not.
 *
 * @param {string} token @param {Uint8Array} key
 */
export const verifyJwt = async (token, key) => (await jwtVerify(token, key)).payload;
// #endregion
