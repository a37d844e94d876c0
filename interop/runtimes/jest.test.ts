import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { capture } from '../../scripts/lib/child.mjs';
import { installRuntime } from './site.js';

const FLAG = '--experimental-vm-modules';

describe('jest', () => {
  const folder = mkdtempSync(join(inject('installed'), 'jest-'));
  cpSync(join(import.meta.dirname, 'jest'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "jest": { "transform": {} } }');
  const jest = (...flags: string[]) =>
    capture(process.execPath, [...flags, installRuntime('jest'), '--rootDir', folder], { cwd: folder });

  it('runs a login with the flag for ES modules, without a transform', async () => {
    const { code, output } = await jest('--no-warnings', FLAG);
    expect(output).toMatch(/Tests: +2 passed, 2 total/);
    expect(code).toBe(0);
  });
});
