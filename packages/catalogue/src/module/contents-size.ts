/** How much of what a module declares is kept: what fits into the one commit that makes its version visible. */
import { STORAGE_LIMITS } from '@postern/ports';
import { refusal } from '../archive/refuse.js';

/** UTF-16 units a part; each has at most 3 bytes of UTF-8. */
export const PART_UNITS = Math.floor(STORAGE_LIMITS.maxValueBytes / 3);

/** Beside version, summary, module, blob, usage, number and spelling, and three operations of a registry. */
export const MAX_PARTS = STORAGE_LIMITS.maxOperations - 10;

/** A part may be one unit shorter than the longest, so that a character stays whole. */
const MAX_UNITS = MAX_PARTS * (PART_UNITS - 1);

/** @param text JSON of what a module declares. @throws ModuleArchiveError `module_too_large`. */
export function checkContents(text: string): void {
  if (text.length > MAX_UNITS) throw declaresTooMuch('inputs, outputs, resources and READMEs');
}

export function declaresTooMuch(what: string): Error {
  return refusal(
    'module_too_large',
    `The module declares more than the catalogue keeps of its ${what}: split the module.`,
  );
}
