/** `postern serve` for the conformance suite: a new database, AWS as the provider, and the policies that its cases name. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROFILES, type ProfileName, readPolicies, type Target } from '@postern/conformance';
import { servePostern } from '@postern/internal';

export type TargetUnderTest = Target & { close(): Promise<void> };

export async function startServer(profile: ProfileName): Promise<TargetUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-conformance-'));
  const configFile = join(folder, 'postern.json');
  const { mount } = PROFILES[profile];
  writeFileSync(
    configFile,
    JSON.stringify({
      listen: { port: 0 },
      profile,
      storage: { file: './postern.db' },
      audit: { file: './audit.log' },
      loginRate: false,
      peerRate: false,
      tokenRate: false,
      registry: { rate: false },
      policies: readPolicies(mount),
    }),
  );
  const server = await servePostern(configFile);
  const token = server.rootToken ?? '';
  return {
    ...{ url: server.url, profile: PROFILES[profile], mount, token, registryToken: token, transport: fetch },
    async close() {
      server.signal('SIGTERM');
      await server.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
