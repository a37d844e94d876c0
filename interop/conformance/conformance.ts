/** Declares a test for each case. The cases run at the same time, as the command runs them; a test awaits the result of its own. */
import {
  type Capability,
  type Case,
  type Result,
  type RunOptions,
  readCases,
  runCases,
  selectCases,
} from '@postern/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TargetUnderTest } from './server.js';

export interface Door {
  readonly profile: 'neutral' | 'vault';
  readonly without?: readonly Capability[];
  open(): Promise<TargetUnderTest & Pick<RunOptions, 'simulated'>>;
}

export function describeConformance(name: string, { profile, without = [], open }: Door): void {
  const cases = selectCases(readCases(), { profile, without });
  const results = new Map<Case, { readonly result: Promise<Result>; readonly settle: (result: Result) => void }>();
  for (const each of cases) {
    let settle: (result: Result) => void = () => undefined;
    const result = new Promise<Result>((resolve) => {
      settle = resolve;
    });
    results.set(each, { result, settle });
  }

  describe(name, () => {
    let target: TargetUnderTest | undefined;
    let run: Promise<unknown> | undefined;
    beforeAll(async () => {
      const opened = await open();
      target = opened;
      const { simulated } = opened;
      run = runCases(cases, {
        target: opened,
        ...(simulated === undefined ? {} : { simulated }),
        onResult: (result) => results.get(result.case)?.settle(result),
      });
      // A run that could not begin fails here, not as a time-out of every case.
      await Promise.race([run, ...[...results.values()].map(({ result }) => result)]);
    });
    afterAll(async () => {
      await run;
      await target?.close();
    });

    it.each(cases.map((each) => [each.id, each] as const))('%s', async (_id, each) => {
      const result = await results.get(each)?.result;
      expect(result?.message, `${each.title} (${each.rules.join(', ')})`).toBeUndefined();
      expect(result?.verdict).toBe('passed');
    });
  });
}
