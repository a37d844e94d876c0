/** Reads untrusted JSON: own members only. */
import { AskError } from './problem.js';

/** @throws AskError `answer_invalid` */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AskError('answer_invalid', 'response is not valid JSON');
  }
}

/** Undefined where the value is not an object or lacks this own member. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // An object that is not null and has this member of its own.
  return (value as Readonly<Record<string, unknown>>)[name];
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
