/** Reading JSON of strangers: own members only, and lists only where there are some. */
import { AskError } from './problem.js';

/** @throws AskError `answer_invalid` */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AskError('answer_invalid', 'its answer is no JSON');
  }
}

/** Undefined where the value is no object or has no such member of its own. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // An object that is not null and has this member of its own.
  return (value as Readonly<Record<string, unknown>>)[name];
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
