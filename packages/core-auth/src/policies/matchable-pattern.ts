/** Whether a pattern of a policy can match a path of this server at all: one that cannot grants or denies nothing (POLICY-8). */
import { foldRoleName, isName } from '../fields/fields.js';

/** Paths with parameters: `auth/cloud/role/:role`. A last `:name*` matches any rest. */
export type PathTemplates = readonly string[];

/** @returns what is wrong with the pattern, with the remedy; undefined for one that can match. */
export function patternProblem(pattern: string, templates: PathTemplates): string | undefined {
  const canMatch = (text: string) => templates.some((template) => fits(text, template));
  if (canMatch(pattern)) return undefined;
  if (pattern.startsWith('/')) return 'paths have no leading slash';
  if (/^v1(?:\/|$)/.test(pattern)) return 'paths begin below v1/; leave it out';
  if (pattern.slice(0, -1).includes('*')) return '* has a meaning at the end only; + matches one segment';
  if (canMatch(pattern.replace(/\/$/, ''))) return 'no path ends in a slash; leave it out, or write /*';
  const folded = pattern.toLowerCase();
  if (folded !== pattern && canMatch(folded)) return `differs in case from the paths that it means; write "${folded}"`;
  return 'no path of this server matches';
}

function fits(pattern: string, template: string): boolean {
  const open = pattern.endsWith('*');
  const wanted = (open ? pattern.slice(0, -1) : pattern).split('/');
  const given = template.split('/');
  // What comes after the last known segment: any rest of a template that ends so.
  const rest = given.at(-1)?.endsWith('*') ? given.length - 1 : Number.POSITIVE_INFINITY;
  if (open ? given.length < wanted.length && rest === Number.POSITIVE_INFINITY : !sameLength(wanted, given, rest)) {
    return false;
  }
  return wanted.every((segment, index) => {
    if (index >= rest) return true;
    const segmentOfTemplate = given[index] ?? '';
    const isPrefix = open && index === wanted.length - 1;
    if (isPrefix && segment === '') return true;
    if (!segmentOfTemplate.startsWith(':')) {
      if (segment === '+') return segmentOfTemplate !== '';
      return isPrefix ? segmentOfTemplate.startsWith(segment) : segmentOfTemplate === segment;
    }
    if (segment === '+') return true;
    const isFolded = segmentOfTemplate === ':role' ? foldRoleName(segment) === segment : true;
    return isFolded && isName(isPrefix ? `${segment}a` : segment);
  });
}

function sameLength(wanted: readonly string[], given: readonly string[], rest: number): boolean {
  return rest === Number.POSITIVE_INFINITY ? wanted.length === given.length : wanted.length > rest;
}
