/** Puts the names in a folder on disk: a file that was synced is lost with its name. */
import { open } from 'node:fs/promises';

/** Windows has no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
