/** Snippets of docs/client.md and of the READMEs of client, server and provider-aws. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openStage } from '../login-client/stage.mjs';

// Below, what the pages show.

// #region client
import { collectInstanceEvidence, createPosternClient, fileNonceStore, keepLoggedIn } from '@postern/client';

// #endregion

// #region principal
import { environmentCredentials } from '@postern/client';

// #endregion

// #region server
import { createServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';

// #endregion

// #region provider-aws
import { createProviderConfiguration } from '@postern/core-auth';
import { createAwsProvider } from '@postern/provider-aws';

// #endregion

const folder = mkdtempSync(join(tmpdir(), 'postern-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('client', async () => {
  const { url, metadata: endpoint, close } = await openStage();
  // #region client
  const client = createPosternClient({ url });
  const nonces = fileNonceStore(join(folder, 'nonces')); // on the disk of the instance: a restart needs it
  const evidence = () => collectInstanceEvidence({ endpoint });
  const session = keepLoggedIn(client, (_, { signal }) =>
    client.loginWithInstance({ role: 'web', nonces, evidence, signal }),
  );

  const token = await session.token(); // a valid one, whenever you ask
  await session.close();
  // #endregion
  expect(token).toMatch(/^pst_/);
  await close();
});

it('principal', async () => {
  const client = createPosternClient({ url: 'http://127.0.0.1:9', maxAttempts: 1 });
  const login = () =>
    // #region principal
    client.loginWithPrincipal({
      role: 'deploy',
      serverId: 'postern.example.com', // what the server requires as iam_server_id_header_value
      credentials: environmentCredentials({ AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }),
    });
  // #endregion
  await expect(login()).rejects.toMatchObject({ kind: 'unavailable' });
});

it('server', async () => {
  const provider = {
    describeInstance: async () => undefined,
    rolesOfProfile: async () => undefined,
    describePrincipal: async () => undefined,
  };
  // #region server
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: (event) => console.error(event.operation, event.outcome) },
    provider, // or createAwsProvider(…) of @postern/provider-aws
  });
  const health = await fetch(`${server.url}/v1/sys/health`);
  await server.close();
  // #endregion
  expect(health.status).toBe(200);
});

it('provider-aws', () => {
  const storage = createMemoryStorage();
  // #region provider-aws
  // Credentials and endpoints of config/client, else those of the environment. AWS clients load with the first call.
  const cloud = createAwsProvider({ configuration: createProviderConfiguration(storage) });
  // #endregion
  expect(typeof cloud.describeInstance).toBe('function');
});
