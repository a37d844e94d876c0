import { expect, inject, it } from 'vitest';
import { capture } from '../../scripts/lib/child.mjs';
import { createSite, exerciseLogins, installRuntime, serve } from './site.js';

it('logs instances in under Bun', async () => {
  const site = createSite(inject('installed'));
  const served = await serve(installRuntime('bun'), ['bun.mjs'], site.folder);
  try {
    await exerciseLogins(served, site);
    expect(served.output()).toContain('audit: login denied nonce_mismatch');
  } finally {
    await served.stop();
  }
});

// Bun's node:crypto parses DSA keys and throws at the first signature.
it('rejects a DSA document under Bun as unsupported, not as a defect, with node:crypto', async () => {
  const { folder } = createSite(inject('installed'));
  const { code, output } = await capture(installRuntime('bun'), ['dsa.mjs'], { cwd: folder });
  expect(JSON.parse(output)).toEqual({
    supports: ['rsa-sha256'],
    dsa: 'evidence_unverified: signature_algorithm_unsupported',
    rsa: 'logged in',
  });
  expect(code).toBe(0);
});

it('accepts the same document under Node', async () => {
  const { folder } = createSite(inject('installed'));
  const { output } = await capture(process.execPath, ['--no-warnings', 'dsa.mjs'], { cwd: folder });
  expect(JSON.parse(output)).toEqual({
    supports: ['dsa-sha1', 'dsa-sha256', 'rsa-sha256'],
    dsa: 'logged in',
    rsa: 'logged in',
  });
});
