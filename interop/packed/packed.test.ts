/** The packages as npm installs them from their tarballs: programs, the command, CommonJS and TypeScript use them. */
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { packagesToPublish } from '../../scripts/check/pack.mjs';
import { capture } from '../../scripts/lib/child.mjs';
import { root, toolEntry } from '../../scripts/lib/workspace.mjs';

const installed = inject('installed');

/** `@postern/http/auth`: what may stand in an import. */
const specifiers = packagesToPublish().flatMap(({ entries }) =>
  entries.map(({ specifier }) => specifier).filter((specifier) => specifier !== ''),
);

function copyEmbedExample(folder: string): void {
  cpSync(join(root, 'examples/embed'), folder, { recursive: true, filter: (path) => !/node_modules|\.ts$/.test(path) });
}

const newFolder = (name: string) => mkdtempSync(join(installed, `${name}-`));

/** A small program in TypeScript. */
const GATE = `
  import { type AuthMethod, createAuthMethod } from '@postern/core-auth';
  import { createNodeCrypto } from '@postern/crypto-node';
  import { createMemoryStorage } from '@postern/storage-memory';
  import { createFakeCloud } from '@postern/testkit';

  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const audit = { record: () => undefined };
  export const gate: AuthMethod = createAuthMethod(
    { storage: createMemoryStorage(), crypto: createNodeCrypto(), cloud, audit },
    { builtInCertificates: cloud.defaultCertificates() },
  );
`;

describe('the installed packages', () => {
  it('run the embedding example of the README', async () => {
    const folder = newFolder('embed');
    copyEmbedExample(folder);
    const { code, output } = await capture(process.execPath, ['main.mjs'], { cwd: folder });
    expect(output).toMatch(/i-[0-9a-f]{17} has a token with the policies default, web/);
    expect(output).toContain('nonce_mismatch');
    expect(code).toBe(0);
  });

  it('bring the postern command', async () => {
    const { code, output } = await capture('npx', ['--no-install', 'postern', '--help'], { cwd: installed });
    expect(output).toMatch(/postern serve/);
    expect(code).toBe(0);
  });

  it('run the sandbox and its tour', async () => {
    const folder = newFolder('sandbox');
    const { code, output } = await capture('npx', ['--no-install', 'postern', 'sandbox', '--once'], { cwd: folder });
    expect(output).toContain('nonce_mismatch');
    expect(code).toBe(0);
  });

  it('load with require and with import, every entry of every package', async () => {
    const folder = newFolder('load');
    const list = JSON.stringify(specifiers);
    writeFileSync(
      join(folder, 'load.cjs'),
      `const empty = ${list}.filter((each) => Object.keys(require(each)).length === 0); console.log('required', ...empty);`,
    );
    writeFileSync(join(folder, 'load.mjs'), `for (const each of ${list}) await import(each); console.log('imported');`);
    expect(await capture(process.execPath, ['load.cjs'], { cwd: folder })).toEqual({ code: 0, output: 'required\n' });
    expect(await capture(process.execPath, ['load.mjs'], { cwd: folder })).toEqual({ code: 0, output: 'imported\n' });
  });

  it('compile in a strict TypeScript project, every declaration of every package', async () => {
    const folder = newFolder('types');
    copyEmbedExample(folder);
    const lines = specifiers.map((each, at) => `export type * as entry${at} from '${each}';\n`);
    writeFileSync(join(folder, 'all.ts'), lines.join(''));
    // The declarations of libraries are checked, too: one that names a package without types would break a user's build.
    expect(await compile(folder, { module: 'nodenext', skipLibCheck: false })).toEqual({ code: 0, output: '' });
  });

  it.each([
    { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
    { type: 'commonjs', module: 'nodenext', moduleResolution: 'nodenext' },
  ])('compile in a $type project with moduleResolution $moduleResolution', async ({ type, ...modules }) => {
    const folder = newFolder('types');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(folder, 'gate.ts'), GATE);
    expect(await compile(folder, { ...modules, skipLibCheck: true })).toEqual({ code: 0, output: '' });
  });
});

function compile(folder: string, options: object) {
  const compilerOptions = {
    ...{ ...options, target: 'es2022', lib: ['es2023'], noEmit: true, allowJs: true, checkJs: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  return capture(process.execPath, [toolEntry('typescript', 'tsc'), '-p', folder]);
}
