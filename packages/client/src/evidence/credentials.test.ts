/** Keys from the environment, and from the role of the instance. */
import { inspect } from 'node:util';
import { type FakeImds, startFakeImds } from '@postern/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentCredentials, instanceRoleCredentials } from './credentials.js';

const [id, secret, token] = ['AKIAEXAMPLE', 'canary-secret', 'canary-token'];
const MISSING = { kind: 'evidence', code: 'credentials_missing' };

describe('of the environment', () => {
  const AWS = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };

  it('are those of the variables', async () => {
    const lasting = await environmentCredentials(AWS)();
    expect([lasting.accessKeyId, lasting.secretAccessKey, lasting.sessionToken]).toEqual([id, secret, undefined]);
    expect((await environmentCredentials({ ...AWS, AWS_SESSION_TOKEN: token })()).sessionToken).toBe(token);
    expect((await environmentCredentials({ ...AWS, AWS_SESSION_TOKEN: '' })()).sessionToken).toBeUndefined();
  });

  it.each([
    [{}],
    [{ AWS_ACCESS_KEY_ID: id }],
    [{ AWS_SECRET_ACCESS_KEY: secret }],
    [{ ...AWS, AWS_ACCESS_KEY_ID: '' }],
  ])('are missing from %j', async (environment) => {
    await expect(environmentCredentials(environment)()).rejects.toMatchObject(MISSING);
  });

  it('are read at each call', async () => {
    const environment: Record<string, string> = {};
    const provider = environmentCredentials(environment);
    await expect(provider()).rejects.toMatchObject(MISSING);
    Object.assign(environment, AWS);
    expect((await provider()).accessKeyId).toBe(id);
  });

  it('show no secret when printed', async () => {
    const keys = await environmentCredentials({ ...AWS, AWS_SESSION_TOKEN: token })();
    expect(inspect(keys, { showHidden: true }) + JSON.stringify(keys)).not.toContain('canary');
    expect(JSON.parse(JSON.stringify(keys))).toEqual({ accessKeyId: id });
  });
});

describe('of the instance profile', () => {
  const ROLES = '/latest/meta-data/iam/security-credentials/';
  const keys = { Code: 'Success', AccessKeyId: id, SecretAccessKey: secret, Token: token };
  let imds: FakeImds;
  beforeEach(async () => {
    imds = await startFakeImds();
    imds.files.set(ROLES, 'app@role\n');
    imds.files.set(`${ROLES}app%40role`, JSON.stringify(keys));
  });
  afterEach(() => imds.close());

  const ask = () => instanceRoleCredentials({ endpoint: imds.url, timeoutMs: 250 })();

  it('are those of its role', async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = await ask();
    expect([accessKeyId, secretAccessKey, sessionToken]).toEqual([id, secret, token]);
    imds.files.set(`${ROLES}app%40role`, JSON.stringify({ ...keys, Code: undefined }));
    expect((await ask()).accessKeyId).toBe(id);
  });

  it('are missing without a profile, a role in it, or keys of that', async () => {
    imds.files.set(`${ROLES}app%40role`, JSON.stringify({ Code: 'AssumeRoleUnauthorizedAccess' }));
    await expect(ask()).rejects.toMatchObject(MISSING);
    imds.files.delete(`${ROLES}app%40role`);
    await expect(ask()).rejects.toMatchObject(MISSING);
    imds.files.set(ROLES, '\n');
    await expect(ask()).rejects.toMatchObject(MISSING);
    imds.files.delete(ROLES);
    await expect(ask()).rejects.toMatchObject(MISSING);
  });

  it.each([
    ['a page', '<html>'],
    ['nothing', 'null'],
    ['no key', JSON.stringify({ ...keys, AccessKeyId: 1 })],
    ['no secret', JSON.stringify({ ...keys, SecretAccessKey: null })],
    ['no token', JSON.stringify({ ...keys, Token: undefined })],
  ])('are refused where the service gives %s', async (_name, text) => {
    imds.files.set(`${ROLES}app%40role`, text);
    await expect(ask()).rejects.toMatchObject({ code: 'metadata_answer_invalid' });
  });

  it('ask for no path that a name makes', async () => {
    imds.files.set(ROLES, '../../user-data');
    await expect(ask()).rejects.toMatchObject({ code: 'metadata_answer_invalid' });
    expect(imds.calls).toHaveLength(2);
  });
});
