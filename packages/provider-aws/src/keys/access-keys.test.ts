import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, OWN, OWN_KEY, SECRET_CANARY } from '../../test/aws-world.js';
import { errorXml, fail } from '../../test/fake-aws.js';

const NEW = { accessKeyId: 'AKIANEWNEWNEWNEWNEW1', secretAccessKey: 'new-secret-canary' };
const CURRENT = { accessKeyId: OWN_KEY, secretAccessKey: SECRET_CANARY };

let world: AwsWorld;
beforeEach(async () => {
  // What is configured is another pair: each call must sign with the one that it is given.
  const limits = { totalTimeoutMs: 1_500 };
  world = await createAwsWorld(
    { keyProof: { withinMs: 800, delayMs: 5 }, limits },
    { accessKey: 'AKIAELSE', maxRetries: 2 },
  );
});
afterEach(() => world.close());

const keys = () => world.provider.accessKeys;
const created = `<CreateAccessKeyResult><AccessKey><UserName>u</UserName><AccessKeyId>${NEW.accessKeyId}</AccessKeyId><SecretAccessKey>${NEW.secretAccessKey}</SecretAccessKey><Status>Active</Status></AccessKey></CreateAccessKeyResult>`;
const answering = (action: string, inner: string) => {
  world.aws.hook = (call) => call.action === action && `<${action}Response>${inner}</${action}Response>`;
};
const refusing = (action: string, status: number, code: string) => {
  world.aws.hook = (call, response) => call.action === action && fail(response, status, errorXml(code));
};

describe('creating a key', () => {
  it('signs with the pair that it is given, and names no user', async () => {
    answering('CreateAccessKey', created);
    expect(await keys().create(CURRENT)).toEqual(NEW);
    const [call] = world.aws.called('CreateAccessKey');
    expect(call?.accessKeyId).toBe(OWN_KEY);
    expect(call?.parameters.has('UserName')).toBe(false);
    expect(world.aws.calls).toHaveLength(1);
  });

  it('is never sent twice, however it fails: a second key would be left behind', async () => {
    refusing('CreateAccessKey', 500, 'ServiceFailure');
    await expect(keys().create(CURRENT)).rejects.toMatchObject({ code: 'unavailable' });
    world.aws.hook = (_, response) => Boolean(response.destroy());
    await expect(keys().create(CURRENT)).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.aws.called('CreateAccessKey')).toHaveLength(2);
  });

  it('is refused where the user has as many as allowed', async () => {
    refusing('CreateAccessKey', 409, 'LimitExceeded');
    expect(await keys().create(CURRENT)).toBeUndefined();
    expect(world.aws.called('CreateAccessKey')).toHaveLength(1);
  });

  it.each([
    ['AccessDenied', 403, 'denied'],
    ['InvalidClientTokenId', 403, 'misconfigured'],
  ])('%s means %s%s', async (code, status, meaning) => {
    refusing('CreateAccessKey', status, code);
    await expect(keys().create(CURRENT)).rejects.toMatchObject({ code: meaning });
  });

  it('could not be found out from an answer without a key', async () => {
    answering('CreateAccessKey', '<CreateAccessKeyResult/>');
    await expect(keys().create(CURRENT)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('proving a key', () => {
  it('waits until the provider knows it', async () => {
    world.aws.hook = () => {
      if (world.aws.calls.length === 4) world.aws.keys.set(NEW.accessKeyId, OWN);
      return false;
    };
    expect(await keys().prove(NEW)).toBe(true);
    expect(world.aws.called('GetCallerIdentity')).toHaveLength(4);
  });

  it('is false when the provider does not know it within the bound', async () => {
    const startedAt = performance.now();
    expect(await keys().prove(NEW)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('is not false, but not found out, when the provider is away', async () => {
    refusing('GetCallerIdentity', 503, 'ServiceUnavailable');
    await expect(keys().prove(NEW)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('ends when the caller gives up', async () => {
    await expect(keys().prove(NEW, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('listing keys', () => {
  it('tells all ids, over all pages', async () => {
    world.aws.hook = (call) => {
      const isFirst = call.parameters.get('Marker') === null;
      const rest = isFirst ? '<IsTruncated>true</IsTruncated><Marker>m</Marker>' : '<IsTruncated>false</IsTruncated>';
      const id = isFirst ? OWN_KEY : NEW.accessKeyId;
      return `<ListAccessKeysResponse><ListAccessKeysResult><AccessKeyMetadata><member><AccessKeyId>${id}</AccessKeyId></member></AccessKeyMetadata>${rest}</ListAccessKeysResult></ListAccessKeysResponse>`;
    };
    expect(await keys().list(CURRENT)).toEqual([OWN_KEY, NEW.accessKeyId]);
    expect(world.aws.calls.map(({ accessKeyId }) => accessKeyId)).toEqual([OWN_KEY, OWN_KEY]);
  });

  it('ends in time when the pages do not', async () => {
    const page = '<IsTruncated>true</IsTruncated><Marker>m</Marker><AccessKeyMetadata/>';
    answering('ListAccessKeys', `<ListAccessKeysResult>${page}</ListAccessKeysResult>`);
    await expect(keys().list(CURRENT)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('deleting a key', () => {
  it('names the key and signs with the pair that it is given', async () => {
    answering('DeleteAccessKey', '');
    await keys().delete(NEW, OWN_KEY);
    const [call] = world.aws.called('DeleteAccessKey');
    expect(call?.accessKeyId).toBe(NEW.accessKeyId);
    expect(call?.parameters.get('AccessKeyId')).toBe(OWN_KEY);
  });

  it('succeeds for a key that is gone, and fails where it is not permitted', async () => {
    refusing('DeleteAccessKey', 404, 'NoSuchEntity');
    await keys().delete(NEW, OWN_KEY);
    refusing('DeleteAccessKey', 403, 'AccessDenied');
    await expect(keys().delete(NEW, OWN_KEY)).rejects.toMatchObject({ code: 'denied' });
  });
});

it('no failure shows a secret', async () => {
  world.aws.hook = (_, response) =>
    fail(response, 403, errorXml('AccessDenied', `${SECRET_CANARY} ${NEW.secretAccessKey}`));
  for (const asked of [keys().create(CURRENT), keys().list(CURRENT), keys().delete(NEW, OWN_KEY), keys().prove(NEW)]) {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'denied' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/canary/);
  }
});
