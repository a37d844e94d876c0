/** workerd is the engine of Cloudflare Workers; wrangler and miniflare start this very binary. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { capture } from '../../scripts/lib/child.mjs';
import { toolEntry } from '../../scripts/lib/workspace.mjs';
import { createSite, exerciseLogins, installRuntime, serve } from './site.js';

/** As docs/cookbook/runtimes.md says it. */
const BUNDLE = ['--bundle', '--format=esm', '--conditions=workerd,worker,browser'];

it('logs instances in inside a Worker, without the flag nodejs_compat', async () => {
  const site = createSite(inject('installed'));
  const bundled = await capture(
    process.execPath,
    [toolEntry('esbuild', 'esbuild'), 'worker.mjs', '--outfile=bundle.mjs', '--log-level=error', ...BUNDLE],
    { cwd: site.folder },
  );
  expect(bundled).toEqual({ code: 0, output: '' });
  cpSync(join(import.meta.dirname, 'workerd.capnp'), join(site.folder, 'workerd.capnp'));
  const served = await serve(installRuntime('workerd'), ['serve', 'workerd.capnp', '--control-fd=3'], site.folder);
  try {
    await exerciseLogins(served, site);
    expect(served.output()).toContain('audit: login denied nonce_mismatch');
  } finally {
    await served.stop();
  }
});
