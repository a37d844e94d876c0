/** One login is one read and one commit (STORE-11): over a network each is a round trip. */
import { createHook } from 'node:async_hooks';
import type { Storage } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createIamWorld } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf, createTestMethod } from '../../test/create-test-method.js';
import { withMethods } from '../../test/intercept-commits.js';
import { TAG_KEY, taggedRole, tagText } from '../../test/role-tags.js';

/** 103 when it was written. */
const MOST_PROMISES = 110;

/** Calls of the storage, those of the audit trail's sinks left out. */
function counting() {
  const calls: string[] = [];
  const counted = (inner: Storage) =>
    withMethods(inner, {
      get: (...given) => {
        calls.push('get');
        return inner.get(...given);
      },
      getMany: (...given) => {
        calls.push('getMany');
        return inner.getMany(...given);
      },
      list: (...given) => {
        calls.push('list');
        return inner.list(...given);
      },
      commit: (...given) => {
        calls.push('commit');
        return inner.commit(...given);
      },
    });
  /** What a call asks of the storage. */
  const during = async (call: () => Promise<unknown>) => {
    calls.length = 0;
    await call();
    return [...calls];
  };
  return { counted, during };
}

/** The first login of a process also loads certificates and makes the key of the audit trail. */
async function ec2World() {
  const { counted, during } = counting();
  const test = createTestMethod({ storage: counted });
  const launch = () => test.cloud.launchInstance({ imageId: 'ami-1' });
  await test.putRole();
  await test.login(launch());
  return { ...test, during, launch };
}

describe('the reads and commits of a login', () => {
  it('of an instance are one each, first or repeated', async () => {
    const { login, launch, during } = await ec2World();
    const instance = launch();
    expect(await during(() => login(instance, { nonce: 'N' }))).toEqual(['getMany', 'commit']);
    expect(await during(() => login(instance, { nonce: 'N' }))).toEqual(['getMany', 'commit']);
  });

  it('of an instance by document and signature are one each', async () => {
    const { call, launch, during } = await ec2World();
    const { document, signature } = launch().identityDocument();
    const fields = { role: 'r', identity: Buffer.from(document).toString('base64'), signature };
    expect(await during(() => call('login', { fields }))).toEqual(['getMany', 'commit']);
  });

  it('of an instance with a role tag are one more: the cloud names the tag', async () => {
    const { login, launch, during, putRole } = await ec2World();
    await putRole(taggedRole());
    const instance = launch();
    instance.setTags({ [TAG_KEY]: await tagText() });
    expect(await during(() => login(instance, { nonce: 'N' }))).toEqual(['getMany', 'get', 'commit']);
  });

  it('of a principal that names its role are one each, one more where STS names it', async () => {
    const { counted, during } = counting();
    const test = createIamWorld({ storage: counted });
    const key = test.sts.issueAccessKey(test.cloud.createUser({ name: 'Bob' }));
    await test.putIamRole({ name: 'bob', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/Bob`] });
    await test.signIn(key, 'bob');
    expect(await during(() => test.signIn(key, 'bob'))).toEqual(['getMany', 'commit']);
    expect(await during(() => test.signIn(key))).toEqual(['getMany', 'get', 'commit']);
  });

  it('that is forged are one read, of whether another certificate is trusted by now', async () => {
    const { call, launch, during } = await ec2World();
    const bytes = Buffer.from(launch().identityDocument().rsa2048, 'base64');
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 40) ^ 1, bytes.length - 40);
    const forged = { fields: { role: 'r', pkcs7: bytes.toString('base64') } };
    const asked = await during(async () => expect(await codeOf(call('login', forged))).toBe('evidence_unverified'));
    expect(asked).toEqual(['get']);
  });

  it('that meets a conflict are read together once more', async () => {
    let strike = false;
    const { counted, during } = counting();
    const test = createTestMethod({
      storage: (inner) =>
        withMethods(counted(inner), {
          commit: async (operations, options) => {
            if (strike) {
              strike = false;
              await test.putRole({ boundAmiIds: ['ami-1'] });
            }
            return counted(inner).commit(operations, options);
          },
        }),
    });
    await test.putRole();
    await test.login(test.cloud.launchInstance({ imageId: 'ami-1' }));
    strike = true;
    const instance = test.cloud.launchInstance({ imageId: 'ami-1' });
    expect(await during(() => test.login(instance))).toEqual(['getMany', 'commit', 'getMany', 'commit']);
  });
});

describe('a login by certificates that were loaded before', () => {
  it('is refused once its certificate is not trusted any more, and let in once another is', async () => {
    const test = createTestMethod({ options: { builtInCertificates: [] } });
    const instance = test.cloud.launchInstance({ imageId: 'ami-1' });
    await test.putRole();
    const { pkcs7Rsa2048 } = test.cloud.certificates();
    const register = () =>
      test.host('config.certificate.write', { cert_name: 'own' }, { cloud_public_cert: pkcs7Rsa2048 });
    expect(await codeOf(test.login(instance, { nonce: 'N' }))).toBe('evidence_unverified');
    await register();
    await test.login(instance, { nonce: 'N' });
    await test.host('config.certificate.delete', { cert_name: 'own' });
    expect(await codeOf(test.login(instance, { nonce: 'N' }))).toBe('evidence_unverified');
    await register();
    await test.login(instance, { nonce: 'N' });
  });
});

/** Of one call, on storage and cloud in memory. Each await counts one, too. */
async function promisesOf(call: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') promises += 1;
    },
  });
  hook.enable();
  await call();
  hook.disable();
  return promises;
}

it('a login makes few promises: each costs about as much as a short hash', async () => {
  const { login, launch } = await ec2World();
  const instance = launch();
  await login(instance, { nonce: 'N' });
  expect(await promisesOf(() => login(instance, { nonce: 'N' }))).toBeLessThanOrEqual(MOST_PROMISES);
});
