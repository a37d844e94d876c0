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
  EADDRINUSE: 'another program listens there: stop it, or choose another port',
  EADDRNOTAVAIL: 'this machine has no such address: choose one that it has',
  ENOTFOUND: 'there is no host of that name: choose an address of this machine',
  EACCES: 'this user may not: give it the right, or choose another',
  EPERM: 'this user may not: give it the right, or choose another',
  EROFS: 'the file system cannot be written: choose a path on another',
  ENOENT: 'the folder is not there: make it, or choose another path',
  ENOTDIR: 'a file stands where a folder must be: choose another path',
  EEXIST: 'a file stands where a folder must be: choose another path',
  EISDIR: 'a folder stands where a file must be: choose another path',
  ENOSPC: 'the disk is full: make room, or choose a path on another',
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
