/** vault/api and its helper auth/aws, the official Go client of Vault: administers, logs in and keeps tokens, unmodified. */
import { startFakeImds } from '@postern/testkit';
import { expect, it } from 'vitest';
import { buildGoProgram, hasGo } from '../go-programs.js';
import { runClientProgram } from './client-program.js';
import { openVaultSite } from './vault-site.js';

it.skipIf(!hasGo)('vault/api configures, logs in by ec2 and iam, renews and revokes, unmodified', async () => {
  const program = buildGoProgram(new URL('go/', import.meta.url));
  const site = await openVaultSite();
  const instance = site.launch();
  const imds = await startFakeImds(instance);
  // The helper asks for it to see whether there is a metadata service at all.
  imds.files.set('/latest/meta-data/instance-id', instance.instanceId);
  try {
    const environment = { AWS_EC2_METADATA_SERVICE_ENDPOINT: imds.url, AWS_REGION: 'us-east-1' };
    const report = await runClientProgram([program], site.briefing, environment);
    console.log(report.stdout);
    expect(report.stderr.split('\n').filter((line) => !/\[(?:INFO|WARN)\]/.test(line))).toEqual(['']);
    expect(report.exitCode).toBe(0);
  } finally {
    await imds.close();
    await site.close();
  }
});
