/** What a module declares: every folder's configuration and README, as the registry shows them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ModuleContents } from '@postern/ports';
import type { ModuleFile, ModuleFiles, ModuleFolder } from '../archive/module-files.js';
import { entryRefusal, printable, refusal } from '../archive/refuse.js';
import type { ConfigBlock } from './config-block.js';
import { gather } from './declarations.js';
import { readHcl } from './hcl-blocks.js';
import { loadHclParser } from './hcl-parser.js';
import { readJson } from './json-blocks.js';
import type { ParserMemory } from './parser-memory.js';

export interface ReadModule {
  readonly root: ModuleContents;
  readonly submodules: readonly ModuleContents[];
  readonly examples: readonly ModuleContents[];
}

/** For all files of a module together: what one publication may cost this process. */
const MAX_READ_MS = 15_000;

/**
 * Reads a module.
 *
 * @param name of the module, for its root.
 * @throws ModuleArchiveError `module_invalid` for configuration that does not parse (with file and line) or is not there;
 *   `module_too_large`; ProviderError `misconfigured` when the grammar is not installed.
 */
export async function readModule(
  files: ModuleFiles,
  name: string,
  signal: AbortSignal | undefined,
  parserMemory?: ParserMemory,
): Promise<ReadModule> {
  const deadline = performance.now() + MAX_READ_MS;
  const contents: ModuleContents[] = [];
  const limits = { deadline, signal, parserMemory };
  for (const folder of files.folders) contents.push(await readFolder(folder, name, limits));
  const [root, ...others] = contents;
  const submodules = others.filter(({ path }) => path.startsWith('modules/'));
  if (root === undefined || (root.empty && submodules.every(({ empty }) => empty))) throw noConfiguration(files);
  return { root, submodules, examples: others.filter(({ path }) => path.startsWith('examples/')) };
}

interface ReadLimits {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  readonly parserMemory: ParserMemory | undefined;
}

async function readFolder(
  folder: ModuleFolder,
  moduleName: string,
  { deadline, signal, parserMemory }: ReadLimits,
): Promise<ModuleContents> {
  const blocks: ConfigBlock[] = [];
  const overrides: ConfigBlock[] = [];
  const inOrder = [...folder.configuration].sort((left, right) => (left.path < right.path ? -1 : 1));
  for (const file of inOrder) {
    if (performance.now() > deadline) throw refusal('module_too_large', 'the module takes too long to read: split it');
    (isOverride(file.path) ? overrides : blocks).push(...(await readFile(file, parserMemory)));
    // Other requests have their turn between two files.
    await nextTurn(undefined, { signal });
  }
  return {
    path: folder.path,
    name: folder.path === '' ? moduleName : (folder.path.split('/')[1] ?? ''),
    // As a stream: a character that the limit cut in two is left out.
    readme: folder.readme === undefined ? '' : new TextDecoder().decode(folder.readme.bytes, { stream: true }),
    empty: folder.configuration.length === 0,
    ...gather(blocks, overrides),
  };
}

async function readFile(file: ModuleFile, parserMemory: ParserMemory | undefined): Promise<readonly ConfigBlock[]> {
  const text = decode(file);
  if (file.path.endsWith('.json')) return readJson(file.path, text);
  return readHcl(await loadHclParser(parserMemory), file.path, text);
}

const isOverride = (path: string): boolean => /(?:^|[/_])override\.tf(?:\.json)?$/.test(path);

function decode({ path, bytes }: ModuleFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw entryRefusal('module_invalid', path, 'the file is not UTF-8: save it as UTF-8');
  }
}

function noConfiguration({ topFolders }: ModuleFiles): Error {
  const [only, ...others] = topFolders;
  const where =
    only !== undefined && others.length === 0 && only !== 'modules' && only !== 'examples'
      ? `its files are in the folder "${printable(only)}"; pack what is in that folder, not the folder`
      : 'pack the folder that holds its .tf files, so that they are at the top of the archive';
  return refusal('module_invalid', `the archive holds no module: ${where}`);
}
