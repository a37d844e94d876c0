/** What somebody gets to see in a test, collected while it goes on, and held against the secrets at its end. */
import { vi } from 'vitest';
import { createSearch, type Planted } from './planted.js';

/** @param tells beginnings of the names of the secrets that this text is there to tell. */
export type Look = (where: string, text: string, tells?: readonly string[]) => void;

export interface Seen {
  readonly look: Look;
  /** Where a secret leaked to a reader without a right to it, each once. @param untold a name that no text may tell. */
  leaks(secrets: Iterable<Planted>, untold?: string): readonly string[];
}

export function createSeen(): Seen {
  const seen: { readonly where: string; readonly text: string; readonly tells: readonly string[] }[] = [];
  return {
    look: (where, text, tells = []) => void seen.push({ where, text, tells }),
    leaks(secrets, untold) {
      const found = createSearch(secrets);
      const leaks = seen.flatMap(({ where, text, tells }) =>
        found(text)
          .filter((name) => name === untold || !tells.some((beginning) => name.startsWith(beginning)))
          .map((name) => `${where}: ${name}`),
      );
      return [...new Set(leaks)];
    },
  };
}

/** Keeps what this process prints from now on. @returns ends that, and tells what was printed. */
export function capturePrinted(): () => string {
  const printed: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  }
  return () => {
    vi.restoreAllMocks();
    return printed.join('');
  };
}
