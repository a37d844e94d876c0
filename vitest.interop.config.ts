import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { alias } from './vitest.shared.js';

/** Judged by the clock: nothing else may run beside them. */
const TIMED = ['attack', 'chaos', 'fuzz', 'hostile-uploads', 'login-fuzz', 'provider-trouble'].map(
  (each) => `interop/${each}/**/*.test.ts`,
);

/** On the packages as npm installs them from their tarballs. */
const PACKED = ['interop/packed/**/*.test.ts', 'interop/runtimes/**/*.test.ts'];

const shared = { testTimeout: 180_000, hookTimeout: 300_000 };

/** The longest first, in this order: begun last, one of them would run alone at the end. */
const LONGEST = [
  'upgrade/upgrade',
  'schemathesis/neutral',
  'schemathesis/vault',
  'storage-copy/copy',
  'model/sequential',
  'model/parallel',
  'vault-clients/vault-api-go',
  'registry-page/looks',
  'identity-document/differential',
  'storage-copy/copy',
  'server-crash/kill-under-load',
  'server-crash/registry-crash',
  'dynamodb/contract',
].map((each) => `/interop/${each}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      LONGEST.findIndex((each) => moduleId.endsWith(each)) + 1 || LONGEST.length + 1;
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => place(a) - place(b));
  }
}

/** Against real engines, real documents and unmodified clients: slow. Two files at a time, then the timed ones alone. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'together',
          include: ['interop/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...TIMED, ...PACKED],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'packed',
          include: PACKED,
          globalSetup: 'interop/packed/install.ts',
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve: { alias },
        test: { ...shared, name: 'alone', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
