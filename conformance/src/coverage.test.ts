/** Every rule of docs/spec that holds has a case, or a reason why no caller of the API can observe it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readRules } from '../../scripts/lib/spec-ids.mjs';
import { casesFolder, readCases } from './case-file.js';

const rules = readRules(fileURLToPath(new URL('../../docs/spec', import.meta.url)));
const cited = new Set(readCases().flatMap((each) => each.rules));
const excused = new Map<string, string>(
  Object.entries(JSON.parse(readFileSync(join(casesFolder, '../not-observable.json'), 'utf8'))),
);

describe('coverage of docs/spec', () => {
  it('finds a case or a reason for every rule', () => {
    const missing = rules.filter(({ id, planned, onWire }) => !planned && onWire && !cited.has(id) && !excused.has(id));
    expect(missing.map(({ id, title }) => `${id} ${title}`)).toEqual([]);
  });

  it('cites rules that hold, and no others', () => {
    const holding = new Set(rules.filter(({ planned }) => !planned).map(({ id }) => id));
    expect([...cited].filter((id) => !holding.has(id))).toEqual([]);
  });

  it('excuses no rule that has a case, is not on the wire, or is gone', () => {
    const open = new Set(rules.filter(({ planned, onWire }) => !planned && onWire).map(({ id }) => id));
    expect([...excused.keys()].filter((id) => cited.has(id) || !open.has(id))).toEqual([]);
    expect([...excused.values()].filter((reason) => reason.length < 20)).toEqual([]);
  });
});
