/** Values that a log must not show (THREAT-36): a secret is read by its name only, and appears in no listing, JSON or copy. */
import { inspect } from 'node:util';

/**
 * @param shown what may be printed
 * @param secrets members to hide; undefined ones are left out
 * @returns both as one frozen object: `value.token` works, `console.log(value)` and `JSON.stringify(value)` show no secret.
 */
export function conceal<Shown extends object, Secrets extends object>(
  shown: Shown,
  secrets: Secrets,
): Readonly<Shown & Secrets> {
  const value: object = { ...shown };
  const hidden = Object.entries(secrets).filter(([, secret]) => secret !== undefined);
  for (const [name, secret] of hidden) Object.defineProperty(value, name, { value: secret, enumerable: false });
  const printed = { ...shown, ...Object.fromEntries(hidden.map(([name]) => [name, '[hidden]'])) };
  Object.defineProperty(value, inspect.custom, { value: () => printed, enumerable: false });
  // Every member of both was just defined on it.
  return Object.freeze(value) as Readonly<Shown & Secrets>;
}

/** Fields that are made to be sent, so that JSON and copies must have them: only printing shows nothing of their values. */
export function unprinted<Fields extends object>(fields: Fields): Fields {
  const printed = Object.fromEntries(Object.keys(fields).map((name) => [name, '[hidden]']));
  return Object.defineProperty(fields, inspect.custom, { value: () => printed, enumerable: false });
}
