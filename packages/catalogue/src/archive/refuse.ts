/** Refusals of an archive: messages for its publisher, in which the archive's own text is made harmless. */
import { ModuleArchiveError, type ModuleArchiveErrorCode } from '@postern/ports';

const MAX_SHOWN = 200;

/** Text of an archive for a message or a log: no control, direction or separator characters, and not long. */
export function printable(text: string): string {
  const shown = text.replace(/[^\P{C} ]|[\p{Zl}\p{Zp}]/gu, '\uFFFD');
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN - 1)}…` : shown;
}

/** A refusal about the archive as a whole. */
export function refusal(code: ModuleArchiveErrorCode, message: string, cause?: unknown): ModuleArchiveError {
  return new ModuleArchiveError(code, message, cause === undefined ? {} : { cause });
}

/** A refusal about one entry; `path` is as the archive has it. */
export function entryRefusal(
  code: ModuleArchiveErrorCode,
  path: string,
  message: string,
  line?: number,
): ModuleArchiveError {
  const shown = printable(path);
  const where = line === undefined ? shown : `${shown}, line ${line}`;
  return new ModuleArchiveError(code, `${where}: ${message}`, { place: { path: shown, line } });
}
