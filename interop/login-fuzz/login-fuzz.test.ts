/** Random and mutated login bodies against the whole method (THREAT-39): answered, never with 500. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createHttpApp } from '@postern/http';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { expect, it } from 'vitest';
import { scaled } from '../scale.js';
import { fuzzLoginBodies } from './fuzz-login-bodies.js';

const COUNT = scaled(200_000);

it(`${COUNT} login bodies are answered, none with 500, none slowly`, async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 21));
  const cloud = createFakeCloud({ clock, seed: 'login fuzz' });
  const crypto = createNodeCrypto();
  const defects: unknown[] = [];
  const method = createAuthMethod(
    {
      storage: createMemoryStorage(),
      clock,
      crypto,
      cloud,
      audit: { record: () => undefined },
    },
    { builtInCertificates: cloud.defaultCertificates() },
  );
  const instance = cloud.launchInstance({ imageId: 'ami-1' });
  await method.handleAsHost({
    operation: 'role.write',
    params: { role: 'dev' },
    fields: { auth_type: 'ec2', bound_ami_id: 'ami-1' },
    requestId: 'setup',
    peerAddress: undefined,
  });
  const { rsa2048, documentBase64, signature } = instance.identityDocument();
  const app = createHttpApp({
    method,
    peerAddress: () => '192.0.2.1',
    health: () => ({ storageReachable: true, version: '0', serverTime: clock.now() }),
    onError: (error) => defects.push(error),
  });
  const report = await fuzzLoginBodies((request) => app.fetch(request, undefined), {
    count: COUNT,
    seed: 3,
    genuine: [
      JSON.stringify({ role: 'dev', pkcs7: rsa2048.replaceAll('\n', ''), nonce: 'n' }),
      JSON.stringify({ role: 'dev', identity: documentBase64, signature: signature.replaceAll('\n', ''), nonce: 'n' }),
    ],
    now: () => performance.now(),
  });
  console.log(
    `login bodies: ${report.sent}, by status ${JSON.stringify(report.byStatus)}, slowest ${report.slowestMs.toFixed(1)} ms`,
  );
  expect(defects).toEqual([]);
  // Mutants that change nothing that counts do log in: both verdicts were reached.
  expect(report.byStatus[200]).toBeGreaterThan(0);
  expect(report.byStatus[400]).toBeGreaterThan(COUNT / 2);
  expect(report.slowestMs).toBeLessThan(50);
}, 600_000);
