/** The tour, step by step: what Postern gives to whom, and what it refuses. */
import type { FakeCloud } from '@postern/testkit';
import { type Caller, grantOf, type Tour, TourFailure } from './tour.js';

export const MOUNT = '/v1/auth/cloud';
export const IMAGE_ID = 'ami-0123456789abcdef0';
export const ROLE = 'web';
const MIGRATING_ROLE = 'web-migrating';

const NOBODY = undefined;

export interface Step {
  readonly title: string;
  readonly run: (tour: Tour) => Promise<void>;
}

/** The steps in their order; each may build on those before it. */
export function tourSteps(cloud: FakeCloud, admin: Caller): readonly Step[] {
  const first = cloud.launchInstance({ imageId: IMAGE_ID });
  const second = cloud.launchInstance({ imageId: IMAGE_ID });
  const moving = cloud.launchInstance({ imageId: IMAGE_ID });
  const instance = (id: string, token: string | undefined = NOBODY): Caller => ({ name: `instance ${id}`, token });
  const pkcs7Of = (which: typeof first) => which.identityDocument().rsa2048.replaceAll('\n', '');
  const stranger: Caller = { name: 'attacker', token: NOBODY };
  const login = (tour: Tour, by: Caller, body: Readonly<Record<string, string>>, denied?: string) =>
    tour.call({
      method: 'POST',
      path: `${MOUNT}/login`,
      by,
      body,
      ...(denied === undefined ? { status: 200 } : { status: 400, code: denied }),
    });
  const constraints = { auth_type: 'ec2', bound_account_id: [cloud.ownAccountId], bound_ami_id: [IMAGE_ID] };
  const writeRole = (tour: Tour, name: string, more: Readonly<Record<string, unknown>>) =>
    tour.call({
      method: 'POST',
      path: `${MOUNT}/role/${name}`,
      by: admin,
      body: { ...constraints, ...more },
      status: 204,
    });

  let nonce = '';
  let token = '';
  const holder = (): Caller => instance(first.instanceId, token);
  const ofToken = (tour: Tour, method: 'GET' | 'POST', name: string, status: number, code?: string) =>
    tour.call({
      method,
      path: `/v1/auth/token/${name}`,
      by: holder(),
      status,
      ...(code === undefined ? {} : { code }),
    });

  return [
    {
      title: 'An administrator creates a role: who can log in',
      async run(tour) {
        tour.pages.say('Any running instance of this account with this image.');
        await writeRole(tour, ROLE, { token_policies: ['web'], token_ttl: '1h' });
        tour.pages.good('the role exists');
      },
    },
    {
      title: 'An instance logs in with its signed identity document',
      async run(tour) {
        tour.pages.say('AWS signed the document. The instance needed no secret.');
        const grant = grantOf(await login(tour, instance(first.instanceId), { role: ROLE, pkcs7: pkcs7Of(first) }));
        nonce = grant.metadata['nonce'] ?? '';
        token = grant.client_token;
        if (nonce === '') throw new TourFailure('the answer should carry a nonce');
        tour.pages.good('a token, and a nonce that only this instance knows');
      },
    },
    {
      title: 'It logs in again with its nonce',
      async run(tour) {
        const grant = grantOf(
          await login(tour, instance(first.instanceId), { role: ROLE, pkcs7: pkcs7Of(first), nonce }),
        );
        token = grant.client_token;
        tour.pages.good('a new token');
      },
    },
    {
      title: 'An attacker has the document, but not the nonce',
      async run(tour) {
        await login(tour, stranger, { role: ROLE, pkcs7: pkcs7Of(first) }, 'nonce_mismatch');
        tour.pages.good('denied: a copied document is not enough');
      },
    },
    {
      title: "One instance's document with another's signature",
      async run(tour) {
        const { documentBase64 } = second.identityDocument();
        const signature = first.identityDocument().signature.replaceAll('\n', '');
        await login(
          tour,
          instance(second.instanceId),
          { role: ROLE, identity: documentBase64, signature },
          'evidence_unverified',
        );
        tour.pages.good('denied: the signature does not match');
      },
    },
    {
      title: 'A document with a changed instance id',
      async run(tour) {
        const forged = replaceBytes(pkcs7Of(second), second.instanceId, first.instanceId);
        await login(tour, instance(second.instanceId), { role: ROLE, pkcs7: forged, nonce }, 'evidence_unverified');
        tour.pages.good('denied, even with the right nonce: one changed byte breaks the signature');
      },
    },
    {
      title: 'An instance that moved to new hardware and lost its nonce',
      async run(tour) {
        tour.pages.say('A role can allow migration: the document is newer than the stored one.');
        await writeRole(tour, MIGRATING_ROLE, { allow_instance_migration: true });
        const before = pkcs7Of(moving);
        grantOf(await login(tour, instance(moving.instanceId), { role: MIGRATING_ROLE, pkcs7: before }));
        moving.stop();
        moving.start();
        grantOf(await login(tour, instance(moving.instanceId), { role: MIGRATING_ROLE, pkcs7: pkcs7Of(moving) }));
        tour.pages.good('allowed, with a new nonce');
        await login(tour, instance(moving.instanceId), { role: MIGRATING_ROLE, pkcs7: before }, 'document_older');
        tour.pages.good('denied: the document from before the move is outdated');
      },
    },
    {
      title: 'The token: looked up, renewed, revoked',
      async run(tour) {
        await ofToken(tour, 'GET', 'lookup-self', 200);
        grantOf(await ofToken(tour, 'POST', 'renew-self', 200));
        await ofToken(tour, 'POST', 'revoke-self', 204);
        await ofToken(tour, 'GET', 'lookup-self', 403, 'permission_denied');
        tour.pages.good('a revoked token is rejected');
      },
    },
    {
      title: 'The administrator reads the access list',
      async run(tour) {
        const list = `${MOUNT}/identity-accesslist`;
        const { data } = await tour.call({ method: 'LIST', path: list, by: admin, status: 200 });
        const keys: unknown = data?.['keys'];
        if (!Array.isArray(keys) || !keys.includes(first.instanceId)) {
          throw new TourFailure(`the list should name ${first.instanceId}`);
        }
        await tour.call({ method: 'GET', path: `${list}/${first.instanceId}`, by: admin, status: 200 });
        tour.pages.good('one entry per instance; after deleting it the instance can log in again');
      },
    },
  ];
}

/** The base64 of bytes in which one ASCII text is exchanged for another of equal length. */
function replaceBytes(base64: string, from: string, to: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const at = bytes.indexOf(from, 0, 'latin1');
  if (at < 0 || from.length !== to.length) throw new TourFailure('the document should name its instance');
  bytes.write(to, at, 'latin1');
  return bytes.toString('base64');
}
