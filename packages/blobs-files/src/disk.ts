/** Calls to the file system: what their failure means to a caller of the port, and what makes them durable. */
import { open } from 'node:fs/promises';
import { ProviderError } from '@postern/ports';

/** The system's code of a failed call: `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Runs a call to the file system.
 *
 * @throws ProviderError `unavailable` with the system's code: a full disk, a lost mount, a folder that was taken away.
 */
export async function onDisk<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new ProviderError('unavailable', `the blob store could not ${what}: ${systemCode(cause) ?? 'failed'}`, {
      cause,
    });
  }
}

/** As `onDisk`, with undefined where there is nothing of that name. */
export async function ifPresent<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
  return onDisk(what, async () => {
    try {
      return await call();
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/** Makes the names in a folder durable: a file that was synced is lost with its name. Windows has no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
