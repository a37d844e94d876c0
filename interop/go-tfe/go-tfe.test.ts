/** go-tfe, the platform's own client, as a JSON:API client of the registry, unmodified (REGAPI-1, REG-5). */
import { expect, it } from 'vitest';
import { buildGoProgram, hasGo } from '../go-programs.js';
import { tarGz } from '../terraform/archives.js';
import { moduleFiles } from '../terraform/module-files.js';
import { MANAGER_TOKEN, openRegistrySite } from '../terraform/registry-site.js';
import { runClientProgram } from '../vault-clients/client-program.js';

it.skipIf(!hasGo)('go-tfe deprecates, reinstates, publishes, reads and deletes, and keeps to the rate', async () => {
  const program = buildGoProgram(new URL('go/', import.meta.url));
  const site = await openRegistrySite({ perSecond: 20, burst: 5 });
  try {
    const report = await runClientProgram([program], {
      url: site.url,
      manager_token: MANAGER_TOKEN,
      archive: Buffer.from(tarGz(moduleFiles('3.0.0'))).toString('base64'),
    });
    console.log(report.stdout);
    expect(report.stderr).toBe('');
    expect(report.exitCode).toBe(0);
    expect(site.requests[0]).toBe('GET /api/v2/ping');
  } finally {
    await site.close();
  }
});
