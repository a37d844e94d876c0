/** The server-ID header goes by the name of the wire profile, without a word from the embedder (WIRE-2, STS-6). */
import { describe, expect, it } from 'vitest';
import { openHttpSite } from '../../test/http-site.js';

const NAMES = { neutral: 'X-Service-Cloud-IAM-Server-ID', vault: 'X-Vault-AWS-IAM-Server-ID' } as const;
const SERVER_ID = 'postern.example.org';

/** @param configured name in the options of the method. */
async function open(profile: keyof typeof NAMES, configured?: string) {
  const auth = configured === undefined ? {} : { iamServerIdHeaderName: configured };
  const site = await openHttpSite(profile, { auth });
  const user = site.cloud.createUser({ name: 'Bob' });
  await site.ask('POST', 'role/bob', { bound_iam_principal_arn: user.arn });
  await site.ask('POST', 'config/client', { iam_server_id_header_value: SERVER_ID });
  const credentials = site.sts.issueAccessKey(user);
  const sign = (headerName: string) => ({ ...site.sts.signLogin({ credentials, serverId: SERVER_ID, headerName }) });
  return {
    login: async (headerName: string) =>
      (await site.send('POST', site.mount('login'), { body: sign(headerName), token: '' })).status,
    explain: async (headerName: string) => {
      const { body } = await site.ask('POST', 'role/bob/explain', sign(headerName));
      const { data } = body as { data: { would_allow: boolean } };
      return data.would_allow;
    },
  };
}

describe.each([
  ['neutral', 'vault'],
  ['vault', 'neutral'],
] as const)('the server-ID header of the %s profile', (profile, other) => {
  it('has its name, at login and in an explanation', async () => {
    const { login, explain } = await open(profile);
    expect([await login(NAMES[profile]), await login(NAMES[other])]).toEqual([200, 400]);
    expect([await explain(NAMES[profile]), await explain(NAMES[other])]).toEqual([true, false]);
  });

  it('has the name that the embedder gave it', async () => {
    const { login } = await open(profile, 'X-Own-Server-ID');
    expect([await login('X-Own-Server-ID'), await login(NAMES[profile])]).toEqual([200, 400]);
  });
});
