/**
 * Who else may write the files that a start trusts: the configuration, which grants every right, and the provider module, which
 * runs inside the server (W9). Other users of the machine must not; members of the group are warned of.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../start-error.js';

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** In such a folder only the owner of a file may replace it. */
const STICKY = 0o1000;

/** A file or folder, and the setting that names it. */
export interface TrustedPath {
  readonly setting: string;
  readonly path: string;
}

/**
 * @returns warnings.
 * @throws StartError where anybody may write a file or replace it.
 */
export function checkPermissions(
  files: readonly TrustedPath[],
  folders: readonly TrustedPath[] = [],
): readonly string[] {
  const warnings: string[] = [];
  const check = ({ setting, path }: TrustedPath, isFolder: boolean): void => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    // Windows has no such bits. A missing file is reported when it is opened.
    if (mode === undefined || process.platform === 'win32') return;
    if (isFolder && (mode & STICKY) !== 0) return;
    const bits = (mode & 0o7777).toString(8).padStart(4, '0');
    if ((mode & OTHERS_WRITE) !== 0) {
      throw new StartError(`${setting}: every user may write ${path} (mode ${bits}); run chmod o-w ${path}`);
    }
    if ((mode & GROUP_WRITES) !== 0) warnings.push(`${setting}: the group may write ${path} (mode ${bits})`);
  };
  for (const file of files) {
    check(file, false);
    check({ setting: file.setting, path: dirname(file.path) }, true);
  }
  for (const folder of folders) check(folder, true);
  return warnings;
}
