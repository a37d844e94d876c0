/** The routes of the auth method, made from its catalogue of operations (WIRE-1, WIRE-6, WIRE-7, WIRE-8). */
import type { Operation, Verb } from '@postern/core-auth';
import { createRouter, type Route, type Router } from '../router.js';
import { type WireProfile, wirePathsOf } from './wire-profile.js';

/** `GET` is a `LIST` where its query says so (`methodOf`). */
const METHODS: Readonly<Record<Verb, readonly string[]>> = {
  write: ['POST', 'PUT'],
  read: ['GET'],
  list: ['LIST'],
  delete: ['DELETE'],
};

/** A word character, or one at each end with dots and dashes between them too; ASCII only. */
const PATH_NAME = /^\w(?:[\w.-]*\w)?$/;

/** Tokens, health and policies are there, whatever the mount. */
const RESERVED = /^(?:sys|policies|auth\/token)(?:\/|$)/;

export interface AuthRoutes<Value> extends Router<Value> {
  /** Whether the path lies below a mount, known or not. */
  isMounted(segments: readonly string[]): boolean;
}

/**
 * @param mountPath below `/v1/`, without slashes at the ends.
 * @param system further routes, below `/v1/sys`.
 * @throws TypeError where the mount path is reserved, and when two operations claim the same method of the same path.
 */
export function createAuthRoutes<Value>(
  operations: readonly Operation[],
  mountPath: string,
  profile: WireProfile,
  toValue: (operation: Operation) => Value,
  system: readonly Route<Value>[],
): AuthRoutes<Value> {
  if (RESERVED.test(mountPath)) {
    throw new TypeError(`mountPath: ${mountPath} is reserved; choose another, such as auth/cloud`);
  }
  const pathsOf = (operation: Operation) => wirePathsOf(operation, profile, mountPath);
  const listed = new Set(operations.filter(({ verb }) => verb === 'list').flatMap(pathsOf));
  const routes = operations.flatMap((operation) =>
    pathsOf(operation)
      // A trailing slash names the list of what lies below; nothing else is spelled with one.
      .flatMap((path) => (listed.has(path) ? [path, `${path}/`] : [path]))
      .flatMap((path) => METHODS[operation.verb].map((method) => ({ method, path, value: toValue(operation) }))),
  );
  const router = createRouter([...system, ...routes], (segment) => PATH_NAME.test(segment));
  const mounts = [mountPath, 'auth/token', 'sys', ...profile.policiesPaths].map((path) => ['v1', ...path.split('/')]);
  return {
    match: router.match,
    isMounted: (segments) => mounts.some((mount) => mount.every((part, index) => segments[index] === part)),
  };
}

/** For `Allow` (RFC 9110, 15.5.6): a list answers to `GET` with `?list=true` as well. */
export function allowedMethods(methods: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...methods.keys()].flatMap((method) => (method === 'LIST' ? ['LIST', 'GET'] : [method])))];
}
