/** Logins of instances by their documents and of principals by requests that aws4 signs, and what is refused of them. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import aws4 from 'aws4';
import { did, empty, expectMembers, missing, refused } from './checks.mjs';
import { SERVER_ID } from './configuration.mjs';

const LOGIN = 'auth/aws/login';
const ACCESS_LIST = 'auth/aws/identity-accesslist';
const STS_BODY = 'Action=GetCallerIdentity&Version=2011-06-15';

export async function logInByEc2(vault, guest, { instances, partner: associated }) {
  const { first, foreign, partner } = instances;
  const login = (instance, more) => guest().write(LOGIN, { role: 'web', pkcs7: instance.pkcs7, ...more });

  const { auth } = await login(first);
  deepStrictEqual(auth.policies.toSorted(), ['default', 'metrics', 'web']);
  expectMembers(auth, { lease_duration: 60, renewable: true });
  expectMembers(auth.metadata, { role: 'web', account_id: '111122223333', auth_type: 'ec2' });
  const { nonce } = auth.metadata;
  ok(!('nonce' in (await login(first, { nonce })).auth.metadata));
  await refused(400, { code: 'nonce_mismatch' }, () => login(first));
  await login(foreign, { nonce: 'mine' });
  await refused(400, { code: 'account_not_allowed' }, () => login(partner, { nonce: 'mine' }));
  await empty(vault.write(`auth/aws/config/sts/${associated.account}`, { sts_role: associated.role_arn }));
  await login(partner, { nonce: 'mine' });
  did('logged instances in by PKCS#7, of another region and another account too');

  const all = [first, foreign, partner].map(({ instance_id }) => instance_id).sort();
  deepStrictEqual((await vault.list(ACCESS_LIST)).data, { keys: all });
  const path = `${ACCESS_LIST}/${first.instance_id}`;
  expectMembers((await vault.read(path)).data, { role: 'web', client_nonce: nonce });
  await empty(vault.delete(path));
  await missing(() => vault.read(path));
  await login(first, { nonce: 'mine' });
  did('read, listed and cleared the access list');
}

export async function logInByIam(guest, { user, session }) {
  for (const key of [user, session]) {
    const caller = guest();
    const { auth } = await caller.awsIamLogin({ role: 'people', ...signed(key) });
    deepStrictEqual(auth.policies.toSorted(), ['default', 'deploy']);
    expectMembers(auth.metadata, { auth_type: 'iam', account_id: '111122223333' });
    deepStrictEqual(caller.token, auth.client_token);
    deepStrictEqual((await caller.tokenLookupSelf()).data.accessor, auth.accessor);
  }
  did('logged a user and a role session in with awsIamLogin');

  const login = (fields) => () => guest().awsIamLogin({ role: 'people', ...fields });
  await refused(400, { code: 'evidence_unverified' }, login(signed(user, null)));
  await refused(400, { code: 'evidence_unverified' }, login(signed(user, 'other.example.org')));
  await refused(400, { code: 'caller_identity_refused' }, login(signed({ ...user, secret_key: 'x'.repeat(40) })));
  did('was refused without the server id, with another, and with a wrong secret');
}

/** The four fields of a login, as node-vault's documentation makes them: signed by aws4. */
function signed({ access_key, secret_key, session_token }, serverId = SERVER_ID) {
  const { headers } = aws4.sign(
    {
      service: 'sts',
      method: 'POST',
      body: STS_BODY,
      headers: serverId === null ? {} : { 'X-Vault-AWS-IAM-Server-ID': serverId },
    },
    {
      accessKeyId: access_key,
      secretAccessKey: secret_key,
      ...(session_token === null ? {} : { sessionToken: session_token }),
    },
  );
  const base64 = (text) => Buffer.from(text).toString('base64');
  return {
    iam_http_request_method: 'POST',
    iam_request_url: base64('https://sts.amazonaws.com/'),
    iam_request_body: base64(STS_BODY),
    iam_request_headers: base64(JSON.stringify(headers)),
  };
}
