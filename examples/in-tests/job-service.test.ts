/** The service's own tests: no cloud, no network, no waiting. A fake cloud signs, a manual clock passes the time. */
import { createNodeCrypto } from '@postern/crypto-node';
import type { AuditEvent } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { createJobService } from './job-service.mjs';

function createWorld() {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const cloud = createFakeCloud({ clock, seed: 'job service' });
  const node = createNodeCrypto();
  const events: AuditEvent[] = [];
  const service = createJobService(
    {
      storage: createMemoryStorage(),
      clock,
      crypto: node,
      cloud,
      audit: { record: (event) => void events.push(event) },
    },
    { builtInCertificates: cloud.defaultCertificates() },
  );
  return { clock, cloud, events, service };
}

let world: ReturnType<typeof createWorld>;
const launch = (imageId = 'ami-worker') => world.cloud.launchInstance({ imageId });
const refused = (code: string) => ({ name: 'AuthError', code });

beforeEach(async () => {
  world = createWorld();
  await world.service.prepare();
});

describe('a worker', () => {
  it('logs in with the document of its instance and gets a job', async () => {
    const { token } = await world.service.login(launch().identityDocument().rsa2048);
    expect(await world.service.nextJob(token)).toBe('sweep the yard');
  });

  it('needs its nonce the second time', async () => {
    const pkcs7 = launch().identityDocument().rsa2048;
    const { nonce } = await world.service.login(pkcs7);
    await expect(world.service.login(pkcs7)).rejects.toMatchObject(refused('nonce_mismatch'));
    await world.service.login(pkcs7, nonce);
  });

  it('gets no job once its token has expired', async () => {
    const { token } = await world.service.login(launch().identityDocument().rsa2048);
    world.clock.advance(3_599_000);
    await world.service.nextJob(token);
    world.clock.advance(1_000);
    await expect(world.service.nextJob(token)).rejects.toMatchObject(refused('permission_denied'));
  });
});

describe('nobody else', () => {
  it('logs in: not from another image', async () => {
    const pkcs7 = launch('ami-other').identityDocument().rsa2048;
    await expect(world.service.login(pkcs7)).rejects.toMatchObject(refused('bound_ami_id_mismatch'));
  });

  it('logs in: not after the instance has stopped', async () => {
    const instance = launch();
    const pkcs7 = instance.identityDocument().rsa2048;
    instance.stop();
    await expect(world.service.login(pkcs7)).rejects.toMatchObject(refused('instance_not_running'));
  });

  it('logs in: not with a document that somebody else signed, and the audit trail says why', async () => {
    const forged = launch().pkcs7({ signers: ['imposter'] });
    await expect(world.service.login(forged)).rejects.toMatchObject(refused('evidence_unverified'));
    expect(world.events.at(-1)).toMatchObject({ outcome: 'denied', reason: 'signature_mismatch' });
  });
});

describe('a cloud that does not answer', () => {
  it('is no denial: the worker may try again', async () => {
    const pkcs7 = launch().identityDocument().rsa2048;
    world.cloud.behaviour.describeInstance.throttle({ times: 1, retryAfterSeconds: 5 });
    const failure = { name: 'AuthError', kind: 'unavailable', retryAfterSeconds: 5 };
    await expect(world.service.login(pkcs7)).rejects.toMatchObject(failure);
    await world.service.login(pkcs7);
  });
});
