/** vault-auth-aws, a login helper for Node: credentials from the SDK's own chain, the server ID is the host it speaks to. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runClientProgram } from './client-program.js';
import { type BriefedKey, openVaultSite, type VaultSite } from './vault-site.js';

const LOGIN = fileURLToPath(new URL('vault-auth-aws/login.mjs', import.meta.url));
const ROLE = 'people';

let site: VaultSite;

beforeEach(async () => {
  site = await openVaultSite();
  const { user, session } = site.briefing;
  await write('config/client', { iam_server_id_header_value: '127.0.0.1' });
  await write(`role/${ROLE}`, { auth_type: 'iam', bound_iam_principal_arn: [user.arn, session.arn] });
});
afterEach(() => site.close());

async function write(path: string, body: unknown): Promise<void> {
  const { url, root_token } = site.briefing;
  const response = await fetch(`${url}/v1/auth/aws/${path}`, {
    method: 'POST',
    headers: { 'x-vault-token': root_token },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(204);
}

async function logIn(key: BriefedKey): Promise<unknown> {
  const report = await runClientProgram(
    [process.execPath, LOGIN],
    { url: site.briefing.url, role: ROLE },
    {
      AWS_ACCESS_KEY_ID: key.access_key,
      AWS_SECRET_ACCESS_KEY: key.secret_key,
      ...(key.session_token === null ? {} : { AWS_SESSION_TOKEN: key.session_token }),
    },
  );
  expect(report.stderr).toBe('');
  return JSON.parse(report.stdout);
}

it.each(['user', 'session'] as const)('vault-auth-aws logs a %s in, unmodified', async (name) => {
  const answer = await logIn(site.briefing[name]);
  expect(answer).toMatchObject({
    answer: {
      request_id: expect.any(String),
      auth: { client_token: expect.any(String), policies: ['default'], metadata: { auth_type: 'iam' } },
    },
  });
});

it('vault-auth-aws tells that its request was signed for another server', async () => {
  await write('config/client', { iam_server_id_header_value: 'other.example.org' });
  expect(await logIn(site.briefing.user)).toMatchObject({ refused: { code: 'evidence_unverified' } });
});
