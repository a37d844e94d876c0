/**
 * Which modules are installed: `.terraform/modules/modules.json` or the output of `terraform modules -json` (CHECK-1).
 * The two differ in the letter case of their members and in nothing that matters here.
 */
import { type InstalledModule, InstalledModulesError } from './installed-module.js';

/** Calls in one working directory: no client writes a larger file. */
export const MAX_INSTALLED_MODULES = 10_000;

/** @throws InstalledModulesError `manifest_invalid` */
export function parseInstalledModules(text: string): readonly InstalledModule[] {
  const document = parseJson(text);
  const list = memberOf(document, 'Modules') ?? memberOf(document, 'modules');
  if (!Array.isArray(list)) throw invalid('it has no list of modules');
  if (list.length > MAX_INSTALLED_MODULES) throw invalid(`it lists more than ${MAX_INSTALLED_MODULES} modules`);
  return list.map((entry: unknown, at) => {
    const [key, source] = [textOf(entry, 'Key'), textOf(entry, 'Source')];
    if (key === undefined || source === undefined) throw invalid(`its module ${at} has no key or no source`);
    const version = textOf(entry, 'Version');
    return { key, source, version: version === '' ? undefined : version };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InstalledModulesError('manifest_invalid', 'the list of installed modules is not JSON', { cause });
  }
}

/** The member by its name in the manifest or in lower case, where it is a text. */
function textOf(entry: unknown, name: string): string | undefined {
  const value = memberOf(entry, name) ?? memberOf(entry, name.toLowerCase());
  return typeof value === 'string' ? value : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // An object that is not null and has this member of its own.
  return (value as Readonly<Record<string, unknown>>)[name];
}

function invalid(why: string): InstalledModulesError {
  return new InstalledModulesError('manifest_invalid', `the list of installed modules is not one: ${why}`);
}
