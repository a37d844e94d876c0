/** Snippets of the READMEs of core-registry, catalogue and registry-check. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFixedRegistryAuthorizer, createMemoryBlobStore, createMemoryCatalogue } from '@postern/testkit';
import { afterAll, expect, it } from 'vitest';

// Below, what the pages show.

// #region core-registry
import { createRegistry } from '@postern/core-registry';

// #endregion

// #region catalogue
import { createHostedCatalogue } from '@postern/catalogue';
import { createMemoryStorage } from '@postern/storage-memory';

// #endregion

// #region registry-check
import { checkModules, readCliSettings, readInstalledModules, reportText, verdictOf } from '@postern/registry-check';

// #endregion

const folder = mkdtempSync(join(tmpdir(), 'postern-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('core-registry', async () => {
  const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.1.0' };
  const catalogue = createMemoryCatalogue([{ address: version }]);
  const authorizer = createFixedRegistryAuthorizer([{ token: 't-1', name: 'release', manage: ['acme'] }]);
  const audit = { record: () => undefined };
  // #region core-registry
  const registry = createRegistry({
    storage: createMemoryStorage(),
    clock: { now: () => Date.now() },
    catalogue, // which versions there are: createHostedCatalogue(…), or yours
    authorizer, // who has a token, and what they may do in a namespace
    audit,
  });
  const session = registry.open({ token: 't-1', requestId: 'a1b2', peerAddress: undefined }); // one a request
  await session.deprecate(version, { reason: 'Security groups are open.', replacement: { version: '~> 1.2' } });
  const status = await session.status(version);
  // #endregion
  expect(JSON.stringify(status)).toContain('Security groups are open.');
});

it('catalogue', async () => {
  const blobs = createMemoryBlobStore();
  // #region catalogue
  const catalogue = createHostedCatalogue({ storage: createMemoryStorage(), blobs, clock: { now: () => Date.now() } });
  await catalogue.sweepUnreferenced(); // at start and every hour: finishes what a killed process left
  // #endregion
  expect(typeof catalogue.sweepUnreferenced).toBe('function');
});

it('registry-check', async () => {
  const before = process.exitCode;
  const directory = folder;
  mkdirSync(join(folder, '.terraform/modules'), { recursive: true });
  writeFileSync(join(folder, '.terraform/modules/modules.json'), '{"Modules":[{"Key":"","Source":"","Dir":"."}]}');
  // #region registry-check
  const { tokens, locations } = await readCliSettings({
    environment: process.env,
    home: homedir(),
    platform: process.platform,
  });
  const installed = await readInstalledModules(directory);
  const check = await checkModules({ installed, fetch, tokens, locations, clock: { now: Date.now } });
  const verdict = verdictOf(check, { failOn: new Set(['revoked', 'sunset']) });
  process.stdout.write(reportText(check, verdict).out);
  process.exitCode = verdict.exitCode;
  // #endregion
  process.exitCode = before;
  expect(verdict.exitCode).toBe(0);
});
