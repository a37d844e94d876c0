/** Runs the black-box cases of the shared folder against the HTTP face, or against the decision that overrides them. */
import { describe, expect, it } from 'vitest';
import { readCases } from './case-file.js';
import { createCaseWorld } from './case-world.js';
import { checkAfter } from './checks.js';
import { OVERRIDES } from './decisions.js';
import { bodyOf, prepareCase } from './prepare-case.js';
import { isRunAsItStands } from './selection.js';

const cases = readCases().filter(isRunAsItStands);

describe.skipIf(cases.length === 0)('black-box cases', () => {
  it.each(cases)('$id ($area): $expect.check', async (item) => {
    const { given, request } = item;
    const world = await createCaseWorld(given);
    await prepareCase(world, given, request);
    const answer = await world.send(request.method ?? '', request.path ?? '', bodyOf(world, request));
    const override = OVERRIDES[item.id];
    const expected = override ?? item.expect;
    expect(answer, override?.decision ?? item.expect.check).toMatchObject({
      status: expected.status ?? (expected.ok ? 200 : 400),
    });
    if (override === undefined) await checkAfter(world, item, answer.json);
  });
});
