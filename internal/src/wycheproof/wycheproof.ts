/** Reads the Wycheproof vectors that lie in the shared folder beside the repository; they are never copied into it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '../shared-folder.js';

/** A group of one file: members besides `tests` are hexadecimal texts or names. */
export interface WycheproofGroup {
  readonly type: string;
  readonly tests: readonly WycheproofTest[];
  readonly [member: string]: unknown;
}

export interface WycheproofTest {
  readonly tcId: number;
  readonly comment: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
  readonly [member: string]: unknown;
}

/** Whether the file is on this machine. */
export function hasWycheproof(file: string): boolean {
  const path = pathOf(file);
  return path !== undefined && existsSync(path);
}

/** @throws Error where the file is absent or not of Wycheproof's shape */
export function readWycheproof(file: string): readonly WycheproofGroup[] {
  const path = pathOf(file);
  if (path === undefined) throw new Error(`${file} is not on this machine`);
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const groups = typeof content === 'object' && content !== null && 'testGroups' in content ? content.testGroups : [];
  if (!Array.isArray(groups) || groups.length === 0 || !groups.every(isGroup)) throw new Error(`${file} has no groups`);
  return groups;
}

/** Bytes of a hexadecimal member. */
export function bytesOf(from: WycheproofGroup | WycheproofTest, member: string): Uint8Array {
  const text = from[member];
  if (typeof text !== 'string' || !/^(?:[0-9a-f]{2})*$/i.test(text)) throw new Error(`${member} is not hexadecimal`);
  return new Uint8Array(Buffer.from(text, 'hex'));
}

function pathOf(file: string): string | undefined {
  const shared = sharedFolder();
  return shared === undefined ? undefined : join(shared, 'data', 'wycheproof', file);
}

function isGroup(value: unknown): value is WycheproofGroup {
  return hasMembers(value, 'type', 'tests') && Array.isArray(value['tests']) && value['tests'].every(isTest);
}

function isTest(value: unknown): value is WycheproofTest {
  return hasMembers(value, 'tcId', 'comment', 'result');
}

function hasMembers(value: unknown, ...members: readonly string[]): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && members.every((member) => Object.hasOwn(value, member));
}
