/** The index of cases: every case of a covered area is run as it stands or named in a unit test. Prints who covers what. */
import { describe, expect, it } from 'vitest';
import { testFiles } from '../test-files.js';
import { readCases } from './case-file.js';
import { COVERED_AREAS, isRunAsItStands, runInUnitTest } from './selection.js';

const cases = readCases().filter((item) => COVERED_AREAS.has(item.area));

describe.skipIf(cases.length === 0)('index of cases', () => {
  it('finds every case of the covered areas in a test', () => {
    const files = testFiles();
    const rows = cases.map((item) => {
      const named = new RegExp(`\\b${item.id}\\b`);
      const by = files.filter(({ text }) => named.test(text)).map(({ file }) => file);
      const runs = [
        ...(isRunAsItStands(item) ? ['interop/cases/cases.test.ts'] : []),
        // A file that runs all cases of an area names the area.
        ...files.filter(({ file, text }) => file === runInUnitTest(item) && text.includes(`'${item.area}'`)),
      ].map((each) => (typeof each === 'string' ? each : each.file));
      return { id: item.id, by: [...new Set([...runs, ...by])] };
    });
    console.log(rows.map(({ id, by }) => `${id}  ${by.join(', ')}`).join('\n'));
    expect(rows.filter(({ by }) => by.length === 0).map(({ id }) => id)).toEqual([]);
  });
});
