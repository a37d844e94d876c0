import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sharedFolder } from './shared-folder.js';

it('finds the folder beside the repository, and returns undefined without one', () => {
  const expected = resolve(fileURLToPath(new URL('../../../shared', import.meta.url)));
  expect(sharedFolder()).toBe(existsSync(expected) ? expected : undefined);
});
