/** Every case file has the documented format, and every refusal asserts what names it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { AREAS, type Case, casesFolder, type Expectation, type RequestStep, readCases } from './case-file.js';
import { expectedAnswer } from './expectation.js';

const files = AREAS.flatMap((area) => readdirSync(join(casesFolder, area)).map((file) => `${area}/${file}`));
const cases = readCases();

const requestsOf = ({ steps }: Case) => steps.filter((step): step is RequestStep => 'send' in step);

/** Rows are read here as the runner does: an expression of a row is that member. */
function expectationOf({ row }: Case, { expect: given = 204 }: RequestStep) {
  if (typeof given !== 'string') return expectedAnswer(given);
  const whole = row[/^\{\{row\.(\w+)\}\}$/.exec(given)?.[1] ?? ''];
  // The schema has expectations of these forms only.
  if (whole !== undefined) return expectedAnswer(whole as Expectation);
  return expectedAnswer(given.replace(/\{\{row\.(\w+)\}\}/g, (_all, name) => String(row[name])));
}

describe('case files', () => {
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(join(casesFolder, '../case-file.schema.json'), 'utf8')),
  );

  it.each(files)('%s follows the schema', (file) => {
    validate(JSON.parse(readFileSync(join(casesFolder, file), 'utf8')));
    expect(validate.errors).toBeNull();
  });

  it('assert the code of every refusal of the auth method', () => {
    const bare = cases
      .filter(({ area }) => area === 'auth')
      .flatMap((each) =>
        requestsOf(each).flatMap((step) => {
          const { status, code, body } = expectationOf(each, step);
          const isBare = typeof status === 'number' && status >= 400 && code === undefined && body === undefined;
          return isBare ? [each.id] : [];
        }),
      );
    expect(bare).toEqual([]);
  });

  it('assert the pointer of every command of the registry that is refused for its document', () => {
    const bare = cases.flatMap((each) =>
      requestsOf(each).flatMap((step) => {
        const { status, pointer } = expectationOf(each, step);
        return step.send.startsWith('PATCH ') && status === 422 && pointer === undefined ? [each.id] : [];
      }),
    );
    expect(bare).toEqual([]);
  });

  it('wait ten seconds in all at most', () => {
    const waits = cases.flatMap(({ steps }) => steps.map((step) => ('wait' in step ? step.wait : 0)));
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000);
  });
});
