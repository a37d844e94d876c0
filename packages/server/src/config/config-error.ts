/** Configuration errors: the path of the member and what is expected there. */
import { nearestName } from '@postern/kernel';
import type * as z from 'zod';

/** Invalid configuration. The message is for the operator's terminal, one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], file?: string) {
    super([`invalid configuration${file === undefined ? '' : ` ${file}`}:`, ...problems].join('\n  '));
    this.problems = problems;
  }
}

/** One line an issue: `listen.port: …`. @param membersAt names that are known at a path. */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  membersAt: (path: readonly PropertyKey[]) => readonly string[],
): string[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [`${pathText(issue.path)}: ${issue.message}`];
    const known = membersAt(issue.path);
    return issue.keys.map((key) => `${pathText([...issue.path, key])}: unknown member${suggestion(key, known)}`);
  });
}

/** The nearest known name, where one is near enough to be what was meant; else all of them. */
function suggestion(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  return known.length === 0 ? '' : `; known members: ${known.join(', ')}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(top level)' : path.map(String).join('.');
}
