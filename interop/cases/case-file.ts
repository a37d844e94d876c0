/** The black-box cases as they stand in the shared folder: one JSON object a line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';

export interface BlackBoxCase {
  readonly id: string;
  readonly area: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly request: {
    readonly method?: string;
    readonly path?: string;
    readonly body?: Readonly<Record<string, unknown>>;
    readonly document?: Readonly<Record<string, string>>;
    readonly event?: string;
  };
  readonly expect: { readonly ok: boolean; readonly status?: number; readonly check: string };
}

/** @returns every case, or an empty list where the shared folder is absent. */
export function readCases(): readonly BlackBoxCase[] {
  const folder = sharedFolder();
  if (folder === undefined) return [];
  return readFileSync(join(folder, 'cases', 'auth.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BlackBoxCase);
}
