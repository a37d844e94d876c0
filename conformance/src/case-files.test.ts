/** Every case file has the documented format, and every refusal asserts what names it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { AREAS, type Case, casesFolder, type RequestStep, readCases } from './case-file.js';
import { expectedAnswer } from './expectation.js';

const files = AREAS.flatMap((area) => readdirSync(join(casesFolder, area)).map((file) => `${area}/${file}`));
const cases = readCases();

const requestsOf = ({ steps }: Case) => steps.filter((step): step is RequestStep => 'send' in step);

/** Rows are read here as the runner does: an expectation that is one expression of a row is that member. */
function expectationOf({ row }: Case, { expect: given = 204 }: RequestStep) {
  const text =
    typeof given === 'string' ? given.replace(/\{\{row\.(\w+)\}\}/g, (_all, name) => String(row[name])) : given;
  return expectedAnswer(text);
}

describe('case files', () => {
  const validate = new Ajv2020({ allErrors: true }).compile(
    JSON.parse(readFileSync(join(casesFolder, '../case-file.schema.json'), 'utf8')),
  );

  it.each(files)('%s follows the schema', (file) => {
    validate(JSON.parse(readFileSync(join(casesFolder, file), 'utf8')));
    expect(validate.errors).toBeNull();
  });

  it('assert the code of every refusal of the auth method', () => {
    const bare = cases.flatMap((each) =>
      requestsOf(each).flatMap((step) => {
        const path = step.send.split(' ')[1] ?? '';
        if (path.startsWith('/api/') || /^\{\{(managed|module|modules|moduleList)/.test(path)) return [];
        const { status, code, body } = expectationOf(each, step);
        return typeof status === 'number' && status >= 400 && code === undefined && body === undefined ? [each.id] : [];
      }),
    );
    expect(bare).toEqual([]);
  });

  it('wait ten seconds in all at most', () => {
    const waits = cases.flatMap(({ steps }) => steps.map((step) => ('wait' in step ? step.wait : 0)));
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000);
  });
});
