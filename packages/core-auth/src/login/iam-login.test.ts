/** The iam flow in order (LOGIN-4): evidence, role, principal, grant; case ids named. */
import { callerIdentityFields, createFaultStorage, signCallerIdentityRequest } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createIamWorld, type IamWorld } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf, START, tokenParameters } from '../../test/create-test-method.js';
import { interceptCommits } from '../../test/intercept-commits.js';
import { createAuthMethod } from '../auth-method.js';

const HOURS_768 = 768 * 3600;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function world(how: Parameters<typeof createIamWorld>[0] = {}) {
  const test = createIamWorld(how);
  const bob = test.cloud.createUser({ name: 'Bob', path: '/path/' });
  const key = test.sts.issueAccessKey(bob);
  await test.putIamRole({ name: 'bob', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/Bob`] });
  return { ...test, bob, key };
}

describe('an iam login', () => {
  it('finds the role by the name of the user, in any case, and gives a token', async () => {
    const test = await world();
    const auth = await test.signIn(test.key);
    expect(auth).toMatchObject({
      policies: ['default'],
      metadata: { role_id: 'id-of-r', account_id: ACCOUNT, auth_type: 'iam' },
      lease_duration: HOURS_768,
      renewable: true,
      token_type: 'service',
    });
    expect(auth.entity_id).toMatch(UUID);
    const stored = await test.inside.collections.tokens.get(auth.accessor);
    expect(stored?.value).toMatchObject({
      displayName: 'cloud-Bob',
      aliasName: 'id-of-r',
      issuedAt: START,
      renewal: {
        authType: 'iam',
        role: 'bob',
        accountId: ACCOUNT,
        canonicalArn: `arn:aws:iam::${ACCOUNT}:user/Bob`,
        clientArn: test.bob.arn,
        uniqueId: test.bob.uniqueId,
        inferredEntityId: '',
      },
    });
  });

  it('costs one call of STS and no other (LOGIN-7)', async () => {
    const test = await world();
    await test.signIn(test.key, 'bob');
    expect(test.sts.calls).toMatchObject([
      { endpoint: 'https://sts.amazonaws.com', host: 'sts.amazonaws.com', outcome: 'ok' },
    ]);
    expect(test.cloud.calls).toEqual([]);
  });

  it('costs one call of STS even where the storage makes it decide again', async () => {
    let conflicts = 0;
    const test = await world({
      storage: (inner) => {
        const storage = createFaultStorage(inner);
        for (conflicts = 0; conflicts < 5; conflicts += 1) storage.failNextCommit('conflict');
        return storage;
      },
    });
    await test.signIn(test.key, 'bob');
    expect(conflicts).toBe(5);
    expect(test.sts.calls).toHaveLength(1);
  });

  it('makes no access-list entry', async () => {
    const test = await world();
    await test.signIn(test.key);
    expect(await test.inside.collections.accessList.allIds()).toEqual([]);
  });

  it.each([['bob'], ['BOB'], ['Bob']])('takes the role %s', async (role) => {
    const test = await world();
    await test.signIn(test.key, role);
    expect(test.events.at(-1)?.role).toBe('bob');
  });

  it.each([
    ['POST', 'base64'],
    ['POST', 'json'],
    ['POST', 'object'],
    ['POST', 'list'],
    ['GET', 'base64'],
    ['GET', 'object'],
  ] as const)('passes with %s and headers as %s', async (method, headersForm) => {
    const test = await world();
    const fields = { ...test.sts.signLogin({ credentials: test.key, method, headersForm }) };
    expect((await test.call('login', { fields })).auth?.renewable).toBe(true);
  });

  it.each([
    [
      'a role session',
      (w: IamWorld) => w.sts.assumeRole(w.cloud.createRole({ name: 'deploy' }), { sessionName: 's1' }),
    ],
    ['a session of a user', (w: IamWorld) => w.sts.issueSessionToken(w.cloud.createUser({ name: 'deploy' }))],
  ])('passes for %s', async (_name, credentialsOf) => {
    const test = createIamWorld();
    const credentials = credentialsOf(test);
    const bound = ['user', 'role'].map((type) => `arn:aws:iam::${ACCOUNT}:${type}/deploy`);
    await test.putIamRole({ name: 'deploy', boundIamPrincipalArns: bound });
    expect((await test.signIn(credentials)).metadata['account_id']).toBe(ACCOUNT);
  });

  it.each([
    ['root', (w: IamWorld) => w.sts.issueRootKey()],
    ['a federated user', (w: IamWorld) => w.sts.issueFederatedUser('Bob')],
  ])('never passes for %s', async (_name, credentialsOf) => {
    const test = await world();
    await test.putIamRole({ name: 'all', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:*`] });
    expect(await codeOf(test.signIn(credentialsOf(test), 'all'))).toBe('evidence_unverified');
  });

  it('is refused where the host asks no STS', async () => {
    const test = await world();
    const { callerIdentity: _none, ...cloud } = test.cloud;
    const method = createAuthMethod({ ...test.context.ports, cloud });
    const fields = { ...test.sts.signLogin({ credentials: test.key }) };
    const call = { operation: 'login', params: {}, fields, token: undefined, requestId: 'x', peerAddress: undefined };
    expect(await codeOf(method.handle(call))).toBe('auth_type_not_enabled');
  });
});

describe('before the network', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  it.each([
    ['a method in lower case', { iam_http_request_method: 'post' }],
    ['an empty URL', { iam_request_url: '' }],
    ['a URL that is not base64', { iam_request_url: '%%%' }],
    ['a URL with a query', { iam_request_url: base64('https://sts.amazonaws.com/?a=b') }],
    ['an empty body', { iam_request_body: '' }],
    ['another action', { iam_request_body: base64('Action=AssumeRole') }],
    ['a second parameter', { iam_request_body: base64('Action=GetCallerIdentity&Foo=1') }],
    ['a parameter name in lower case', { iam_request_body: base64('action=GetCallerIdentity') }],
    ['no headers', { iam_request_headers: '' }],
    ['no action', { iam_request_body: base64('Version=2011-06-15') }],
  ])('refuses %s, and sends nothing to STS', async (_id, changes) => {
    const test = await world();
    const fields = { ...test.sts.signLogin({ credentials: test.key }), ...changes };
    expect(await codeOf(test.call('login', { fields }))).toBe('evidence_unverified');
    expect(test.sts.calls).toEqual([]);
    expect(test.events.at(-1)).toMatchObject({ outcome: 'denied', authType: 'iam', reason: expect.any(String) });
  });
});

describe('after the call', () => {
  it('there is no role of the name of the user', async () => {
    const test = await world();
    const eve = test.sts.issueAccessKey(test.cloud.createUser({ name: 'eve' }));
    expect(await codeOf(test.signIn(eve))).toBe('role_not_found');
    expect(test.sts.calls).toHaveLength(1);
    expect(test.events.at(-1)).toMatchObject({ principal: `arn:aws:iam::${ACCOUNT}:user/eve`, code: 'role_not_found' });
  });

  it.each([['a+b'], ['a@b'], ['a=b']])('no role can be named after the user %s', async (name) => {
    const test = await world();
    const key = test.sts.issueAccessKey(test.cloud.createUser({ name }));
    expect(await codeOf(test.signIn(key))).toBe('role_not_found');
  });

  it('the peer must be of the bounds of the role, before anything is asked about the principal', async () => {
    const test = await world();
    const token = tokenParameters({ boundCidrs: ['192.0.2.0/24'] });
    await test.putIamRole({ name: 'bob', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/*`], token });
    expect(await codeOf(test.signIn(test.key))).toBe('peer_address_not_allowed');
    expect(test.cloud.calls).toEqual([]);
    const auth = await test.signIn(test.key, 'bob', { peerAddress: '192.0.2.7' });
    expect((await test.inside.collections.tokens.get(auth.accessor))?.value.boundCidrs).toEqual(['192.0.2.0/24']);
  });

  it('the role must be of type iam (prn-016)', async () => {
    const test = await world();
    await test.putRole({ name: 'e', boundAmiIds: ['ami-1'] });
    expect(await codeOf(test.signIn(test.key, 'e'))).toBe('role_auth_type_mismatch');
  });

  it.each([['a role that grants root', { policies: ['root'] }, 'policy_not_grantable']] as const)(
    '%s is refused',
    async (_name, parameters, code) => {
      const test = await world();
      await test.putIamRole({
        name: 'bob',
        boundIamPrincipalArns: [test.bob.arn],
        token: tokenParameters(parameters),
      });
      expect(await codeOf(test.signIn(test.key))).toBe(code);
      expect(await test.tokens()).toEqual([]);
    },
  );

  it('a role that changes before the commit is judged again', async () => {
    const test = await world();
    let isFirst = true;
    const slow = createIamWorld({
      beside: test,
      storage: (inner) =>
        interceptCommits(inner, async (...commit) => {
          // Between decision and commit an operator binds the role to somebody else.
          if (isFirst) await test.putIamRole({ name: 'bob', boundIamPrincipalArns: ['arn:aws:iam::9:user/x'] });
          isFirst = false;
          return inner.commit(...commit);
        }),
    });
    expect(await codeOf(slow.signIn(test.key, 'bob'))).toBe('bound_iam_principal_arn_mismatch');
    expect(await test.tokens()).toEqual([]);
    expect(test.sts.calls).toHaveLength(1);
  });

  it('is refused where the role is deleted before the commit', async () => {
    const test = await world();
    const slow = createIamWorld({
      beside: test,
      storage: (inner) =>
        interceptCommits(inner, async (...commit) => {
          await test.host('role.delete', { role: 'bob' });
          return inner.commit(...commit);
        }),
    });
    expect(await codeOf(slow.signIn(test.key))).toBe('role_not_found');
    expect(await test.tokens()).toEqual([]);
  });

  it.each([
    ['unavailable', 'storage_unavailable', 0],
    ['lost_unknown', 'storage_outcome_unknown', 0],
    ['applied_unknown', 'allowed', 1],
    ['duplicate', 'allowed', 1],
  ] as const)('a commit that suffers %s ends in %s', async (fault, code, tokens) => {
    const first = await world();
    const faults: { strike?: () => void } = {};
    const test = createIamWorld({
      beside: first,
      storage: (inner) => {
        const storage = createFaultStorage(inner);
        faults.strike = () => storage.failNextCommit(fault);
        return storage;
      },
    });
    // The audit key is there before.
    await codeOf(first.call('token.lookup-self', { token: 'x' }));
    faults.strike?.();
    expect(await codeOf(test.signIn(first.key))).toBe(code);
    expect(await first.tokens()).toHaveLength(tokens);
  });

  it('a login is refused and leaves no token while audit events are not recorded', async () => {
    const test = await world({
      audit: ({ operation }) => {
        if (operation === 'login') throw new Error('disk full');
      },
    });
    await test.signIn(test.key);
    test.clock.advance(60_001);
    expect(await codeOf(test.signIn(test.key))).toBe('audit_unavailable');
    expect(await test.tokens()).toHaveLength(1);
  });
});

describe('the server-ID header', () => {
  it.each([
    ['neutral', undefined, 'X-Service-Cloud-IAM-Server-ID'],
    ['vault', 'X-Vault-AWS-IAM-Server-ID', 'X-Vault-AWS-IAM-Server-ID'],
  ])('has the name of the %s profile (STS-6)', async (_profile, configured, headerName) => {
    const options = configured === undefined ? {} : { iamServerIdHeaderName: configured };
    const test = await world({ options });
    await test.host('config.client.write', {}, { iam_server_id_header_value: 'postern.example.org' });
    const login = (more: { serverId?: string; headerName?: string }) =>
      codeOf(test.call('login', { fields: { ...test.sts.signLogin({ credentials: test.key, ...more }) } }));
    expect(await login({ serverId: 'postern.example.org', headerName })).toBe('allowed');
    const otherName = headerName.startsWith('X-Vault') ? 'X-Service-Cloud-IAM-Server-ID' : 'X-Vault-AWS-IAM-Server-ID';
    expect(await login({ serverId: 'postern.example.org', headerName: otherName })).toBe('evidence_unverified');
    expect(await login({ serverId: 'evil.example.org', headerName })).toBe('evidence_unverified');
    expect(await login({})).toBe('evidence_unverified');
    expect(test.sts.calls).toHaveLength(1);
  });

  it('must be the name of a header', () => {
    expect(() => createIamWorld({ options: { iamServerIdHeaderName: 'X Bad' } })).toThrow(TypeError);
  });
});

describe('a signed request', () => {
  it.each([
    [undefined, ['allowed', 'allowed']],
    [false, ['allowed', 'allowed']],
    [true, ['allowed', 'evidence_unverified']],
  ])('sent twice, replays refused: %s (STS-14, THREAT-24)', async (refuseReplays, expected) => {
    const test = await world(refuseReplays === undefined ? {} : { options: { refuseReplays } });
    const fields = { ...test.sts.signLogin({ credentials: test.key }) };
    const codes = [await codeOf(test.call('login', { fields })), await codeOf(test.call('login', { fields }))];
    expect(codes).toEqual(expected);
  });

  it('whose signature does not hold is refused by STS', async () => {
    const test = await world();
    const signed = signCallerIdentityRequest({
      credentials: { ...test.key, secretAccessKey: 'guessed' },
      date: test.clock.now(),
    });
    expect(await codeOf(test.call('login', { fields: { ...callerIdentityFields(signed) } }))).toBe(
      'caller_identity_refused',
    );
  });

  it('leaves no signature, session token or secret in the audit trail', async () => {
    const test = await world();
    const credentials = test.sts.issueSessionToken(test.bob);
    const signed = signCallerIdentityRequest({ credentials, date: test.clock.now() });
    await test.call('login', { fields: { ...callerIdentityFields(signed), role: 'bob' } });
    await codeOf(test.call('login', { fields: { ...callerIdentityFields(signed), role: 'nope' } }));
    const authorization = signed.headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
    const signature = /Signature=([0-9a-f]{64})/.exec(authorization)?.[1];
    expect(signature).toHaveLength(64);
    const told = JSON.stringify(test.events);
    for (const secret of [signature ?? '', credentials.sessionToken ?? '', credentials.secretAccessKey]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(told).not.toContain(secret);
    }
  });
});
