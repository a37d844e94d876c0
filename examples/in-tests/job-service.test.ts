/** The service's own tests: no cloud, no network, no waiting. A fake cloud signs, a manual clock passes the time. */
import { createTestWorld, type TestWorld } from '@postern/testkit/world';
import { beforeEach, describe, expect, it } from 'vitest';
import { createJobService } from './job-service.mjs';

let world: TestWorld;
let service: ReturnType<typeof createJobService>;
const launch = (imageId = 'ami-worker') => world.cloud.launchInstance({ imageId });
const refused = (code: string) => ({ name: 'AuthError', code });

beforeEach(async () => {
  world = createTestWorld();
  service = createJobService(world.ports, world.options);
  await service.prepare();
});

describe('a worker', () => {
  it('logs in with the document of its instance and gets a job', async () => {
    const { token } = await service.login(launch().identityDocument().rsa2048);
    expect(await service.nextJob(token)).toBe('sweep the yard');
  });

  it('needs its nonce the second time', async () => {
    const pkcs7 = launch().identityDocument().rsa2048;
    const { nonce } = await service.login(pkcs7);
    await expect(service.login(pkcs7)).rejects.toMatchObject(refused('nonce_mismatch'));
    await service.login(pkcs7, nonce);
  });

  it('gets no job once its token has expired', async () => {
    const { token } = await service.login(launch().identityDocument().rsa2048);
    world.clock.advance(3_599_000);
    await service.nextJob(token);
    world.clock.advance(1_000);
    await expect(service.nextJob(token)).rejects.toMatchObject(refused('permission_denied'));
  });
});

describe('the service refuses', () => {
  it('an instance of another image', async () => {
    const pkcs7 = launch('ami-other').identityDocument().rsa2048;
    await expect(service.login(pkcs7)).rejects.toMatchObject(refused('bound_ami_id_mismatch'));
  });

  it('an instance that has stopped', async () => {
    const instance = launch();
    const pkcs7 = instance.identityDocument().rsa2048;
    instance.stop();
    await expect(service.login(pkcs7)).rejects.toMatchObject(refused('instance_not_running'));
  });

  it('a document that another key signed, and the audit trail says why', async () => {
    const forged = launch().pkcs7({ signers: ['imposter'] });
    await expect(service.login(forged)).rejects.toMatchObject(refused('evidence_unverified'));
    expect(world.events.at(-1)).toMatchObject({ outcome: 'denied', reason: 'signature_mismatch' });
  });
});

describe('a cloud that does not answer', () => {
  it('is unavailable, not a denial: the worker tries again', async () => {
    const pkcs7 = launch().identityDocument().rsa2048;
    world.cloud.behaviour.describeInstance.throttle({ times: 1, retryAfterSeconds: 5 });
    const failure = { name: 'AuthError', kind: 'unavailable', retryAfterSeconds: 5 };
    await expect(service.login(pkcs7)).rejects.toMatchObject(failure);
    await service.login(pkcs7);
  });
});
