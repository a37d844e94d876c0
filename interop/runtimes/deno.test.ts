import { expect, inject, it } from 'vitest';
import { createSite, exerciseLogins, installRuntime, serve } from './site.js';

it('logs instances in under Deno, without a permission but that to listen', async () => {
  const site = createSite(inject('installed'));
  const args = ['serve', '--no-prompt', '--host', '127.0.0.1', '--port', '0', 'deno.mjs'];
  const served = await serve(installRuntime('deno'), args, site.folder);
  try {
    await exerciseLogins(served, site);
    expect(served.output()).toContain('audit: login denied nonce_mismatch');
  } finally {
    await served.stop();
  }
});
