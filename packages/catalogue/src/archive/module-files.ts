/**
 * Which files of an archive describe the module: configuration and README of the root, of `modules/<name>` and of
 * `examples/<name>`, as the standard module structure has them. Nothing is stripped: an archive whose files lie in one
 * folder has an empty root, as it has for the client that unpacks it.
 */
import type { ArchiveEntry } from './archive-entry.js';
import type { ArchiveLimits } from './archive-limits.js';
import { entryRefusal, refusal } from './refuse.js';

export interface ModuleFile {
  /** From the root of the archive. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A folder that is a module by its place: `path` is empty for the root. */
export interface ModuleFolder {
  readonly path: string;
  readonly configuration: readonly ModuleFile[];
  readonly readme: ModuleFile | undefined;
}

export interface ModuleFiles {
  /** Root first, then by path. The root is always there. */
  readonly folders: readonly ModuleFolder[];
  readonly fileCount: number;
  /** Folders at the top of the archive: where the module may be when its root is empty. */
  readonly topFolders: readonly string[];
}

export interface FileKeeper {
  /** @throws ModuleArchiveError `module_too_large`. */
  take(parts: readonly string[], entry: ArchiveEntry): Promise<void>;
  files(): ModuleFiles;
}

/** Submodules and examples together. */
const MAX_FOLDERS = 500;

/** Of full length; shorter ones are as many as there are folders. */
const MAX_READMES = 16;

/** In the order in which they are preferred. */
const READMES = ['readme.md', 'readme.markdown', 'readme', 'readme.txt'];

export function keepFiles(
  limits: Pick<ArchiveLimits, 'maxConfigFileBytes' | 'maxConfigBytes' | 'maxReadmeBytes'>,
): FileKeeper {
  const folders = new Map<string, { configuration: ModuleFile[]; readme: ModuleFile | undefined }>();
  const topFolders = new Set<string>();
  folders.set('', { configuration: [], readme: undefined });
  let fileCount = 0;
  let configBytes = 0;
  let readmeBytes = 0;

  const folderAt = (path: string) => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    if (folders.size > MAX_FOLDERS)
      throw refusal('module_too_large', `the module has more than ${MAX_FOLDERS} submodules and examples`);
    const added = { configuration: [], readme: undefined };
    folders.set(path, added);
    return added;
  };

  const takeConfiguration = async (path: string, folder: string, entry: ArchiveEntry) => {
    const bytes = await collect(entry.content, limits.maxConfigFileBytes + 1);
    if (bytes.length > limits.maxConfigFileBytes) {
      throw entryRefusal(
        'module_too_large',
        path,
        `the file has more than ${limits.maxConfigFileBytes} bytes: split it`,
      );
    }
    configBytes += bytes.length;
    if (configBytes > limits.maxConfigBytes) {
      throw refusal('module_too_large', `the module has more than ${limits.maxConfigBytes} bytes of configuration`);
    }
    folderAt(folder).configuration.push({ path, bytes });
  };

  return {
    take: async (parts, entry) => {
      fileCount += 1;
      if (parts.length > 1) topFolders.add(parts[0] ?? '');
      const folder = moduleFolderOf(parts);
      const name = parts.at(-1) ?? '';
      if (folder === undefined) return;
      const path = parts.join('/');
      if (isConfiguration(name)) await takeConfiguration(path, folder, entry);
      else if (isBetterReadme(name, fileNameOf(folders.get(folder)?.readme))) {
        const bytes = await collect(entry.content, limits.maxReadmeBytes);
        readmeBytes += bytes.length;
        if (readmeBytes > MAX_READMES * limits.maxReadmeBytes)
          throw refusal('module_too_large', 'the READMEs are too long');
        folderAt(folder).readme = { path, bytes };
      }
    },
    files: () => ({
      folders: [...folders]
        .map(([path, folder]) => ({ path, ...folder }))
        .sort((left, right) => (left.path < right.path ? -1 : 1)),
      fileCount,
      topFolders: [...topFolders],
    }),
  };
}

/** The module's folder that a file lies in directly; undefined for a file in no such folder. */
function moduleFolderOf(parts: readonly string[]): string | undefined {
  if (parts.length === 1) return '';
  const [top, name] = parts;
  return parts.length === 3 && (top === 'modules' || top === 'examples') ? `${top}/${name}` : undefined;
}

/** Editors' files (`.#main.tf`, `main.tf~`) are not configuration to the clients either. */
export const isConfiguration = (name: string): boolean => /^[^.#].*\.tf(?:\.json)?$/.test(name);

const fileNameOf = (file: ModuleFile | undefined): string | undefined => file?.path.split('/').at(-1);

function isBetterReadme(name: string, than: string | undefined): boolean {
  const rank = (each: string) => READMES.indexOf(each.toLowerCase());
  return rank(name) >= 0 && (than === undefined || rank(name) < rank(than));
}

/** The first bytes of a content, at most `most`. */
async function collect(content: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    if (length >= most) continue;
    // A copy: the chunk may be a window on a large buffer.
    const part = chunk.slice(0, most - length);
    chunks.push(part);
    length += part.length;
  }
  return new Uint8Array(Buffer.concat(chunks));
}
