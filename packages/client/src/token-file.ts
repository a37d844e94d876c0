/** The token in a file, for programs that read it from there. */
import { systemCode } from './client-error.js';
import { replacePrivateFile } from './nonce/private-file.js';

/**
 * Puts the token into a file that only its owner can read (mode 0600), in one step: a reader finds the old token or the new one. A
 * link in its place is replaced, not followed.
 *
 * @throws Error whose `code` is that of the file system; it does not quote the token.
 */
export async function writeTokenFile(file: string, token: string): Promise<void> {
  try {
    await replacePrivateFile(file, `${token}\n`);
  } catch (error) {
    const code = systemCode(error);
    throw Object.assign(new Error(`could not write the token file (${code ?? 'no code'})`), { code });
  }
}
