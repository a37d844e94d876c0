/** The modules that a working directory has installed, from the manifest that `init` and `get` keep there. */
import { readTextFile } from '../read-text-file.js';
import { callsModules } from './calls-modules.js';
import { type InstalledModule, InstalledModulesError } from './installed-module.js';
import { parseInstalledModules } from './parse-installed.js';

/** Far beyond a manifest of `MAX_INSTALLED_MODULES`. */
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

/**
 * @param directory the working directory.
 * @param dataDirectory where the client keeps its data (`TF_DATA_DIR`); default `<directory>/.terraform`.
 * @returns an empty list too where there is no manifest because the configuration calls no modules.
 * @throws InstalledModulesError `not_installed` where nothing says what is installed: that is not the same as nothing.
 */
export async function readInstalledModules(
  directory: string,
  dataDirectory = `${directory}/.terraform`,
): Promise<readonly InstalledModule[]> {
  const path = `${dataDirectory}/modules/modules.json`;
  let text: string | undefined;
  try {
    text = await readTextFile(path, MAX_MANIFEST_BYTES);
  } catch (cause) {
    throw new InstalledModulesError('manifest_unreadable', `${path} cannot be read`, { cause });
  }
  if (text === undefined) {
    const calls = await callsModules(directory).catch(() => true);
    if (calls === false) return [];
    const advice = calls
      ? 'run "terraform init" there first'
      : `${directory} has no configuration: name another directory`;
    throw new InstalledModulesError('not_installed', `${path} does not exist: ${advice}`);
  }
  return parseInstalledModules(text);
}
