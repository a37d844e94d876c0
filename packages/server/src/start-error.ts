/** Why the server could not start though its configuration can be meant: what stands in the way, what to do, which member to change. */

/** The message is for the operator's terminal: it names a path or an address, and no secret. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** By the code that the system gave. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use: stop the other program, or choose another port',
  EADDRNOTAVAIL: 'not an address of this machine: choose one that is',
  ENOTFOUND: 'unknown host name: choose an address of this machine',
  EACCES: 'permission denied: grant access, or choose another',
  EPERM: 'permission denied: grant access, or choose another',
  EROFS: 'read-only file system: choose a path on another',
  ENOENT: 'no such folder: create it, or choose another path',
  ENOTDIR: 'not a folder: choose another path',
  EEXIST: 'not a folder: choose another path',
  EISDIR: 'is a folder, not a file: choose another path',
  ENOSPC: 'disk full: free space, or choose a path on another disk',
};

/**
 * Words an error of the operating system.
 *
 * @param setting what an operator changes: `audit.file`, `listen.host and listen.port`. @returns undefined for any other error.
 */
export function startErrorOf(error: unknown, setting: string): StartError | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const advice = ADVICE[String(error.code)];
  return new StartError(`${setting}: ${error.message}${advice === undefined ? '' : `\n  ${advice}`}`, error);
}

/** Resolves as the work does. @throws StartError in place of an error of the operating system. */
export async function forSetting<T>(setting: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw startErrorOf(error, setting) ?? error;
  }
}
