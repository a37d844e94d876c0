/** The second half of the tour: principals log in with a signed GetCallerIdentity request, and what is refused of them. */
import type { CallerIdentityFields, FakeCloud, FakeCredentials, FakeSts } from '@postern/testkit';
import { IMAGE_ID, MOUNT, type Step } from './steps.js';
import { type Caller, grantOf, type Tour, TourFailure } from './tour.js';

const SERVER_ID = 'postern.sandbox';
const PRINCIPAL_ROLE = 'deploy';
const INFERRING_ROLE = 'batch';
const PARTNER_ROLE = 'partner';
const PARTNER_ACCOUNT = '444455556666';

/** The steps in their order, after those of instances. */
export function principalSteps(cloud: FakeCloud, sts: FakeSts, admin: Caller): readonly Step[] {
  const deployer = cloud.createRole({ name: 'deployer', path: '/ci/' });
  const alice = cloud.createUser({ name: 'alice' });
  const worker = cloud.createRole({ name: 'worker' });
  const profile = cloud.createInstanceProfile({ name: 'worker', roleArns: [worker.arn] });
  const build = sts.assumeRole(deployer, { sessionName: 'build-42' });

  const configure = (tour: Tour, path: string, body: Readonly<Record<string, unknown>>) =>
    tour.call({ method: 'POST', path: `${MOUNT}/${path}`, by: admin, body, status: 204 });
  const login = (tour: Tour, name: string, role: string, signed: CallerIdentityFields, denied?: string) =>
    tour.call({
      method: 'POST',
      path: `${MOUNT}/login`,
      by: { name, token: undefined },
      body: { role, ...signed },
      ...(denied === undefined ? { status: 200 } : { status: 400, code: denied }),
    });
  const signedBy = (credentials: FakeCredentials) => sts.signLogin({ credentials, serverId: SERVER_ID });

  return [
    {
      title: 'An IAM role and an IAM user log in',
      async run(tour) {
        tour.pages.say('Each signs a GetCallerIdentity request. Postern sends it to STS, which returns the identity.');
        await configure(tour, 'config/client', { iam_server_id_header_value: SERVER_ID });
        await configure(tour, `role/${PRINCIPAL_ROLE}`, {
          auth_type: 'iam',
          bound_iam_principal_arn: [deployer.arn, alice.arn],
          token_policies: ['deploy'],
        });
        grantOf(await login(tour, 'session build-42 of role deployer', PRINCIPAL_ROLE, signedBy(build)));
        grantOf(await login(tour, 'user alice', PRINCIPAL_ROLE, signedBy(sts.issueAccessKey(alice))));
        tour.pages.good('allowed: their secret keys never left their machines');
      },
    },
    {
      title: 'A signed request that names another host',
      async run(tour) {
        const before = sts.calls.length;
        const forged = sts.signLogin({
          credentials: build,
          serverId: SERVER_ID,
          host: 'sts.amazonaws.com.example.net',
        });
        await login(tour, 'attacker', PRINCIPAL_ROLE, forged, 'evidence_unverified');
        if (sts.calls.length !== before) throw new TourFailure('nothing should have been sent anywhere');
        tour.pages.good('denied, and no request was sent');
      },
    },
    {
      title: 'A request signed for another server, with its server id removed',
      async run(tour) {
        const stripped = sts.signLogin({ credentials: build });
        await login(tour, 'attacker', PRINCIPAL_ROLE, stripped, 'evidence_unverified');
        tour.pages.good('denied: the server id must be signed');
      },
    },
    {
      title: 'A role session that claims to be an instance',
      async run(tour) {
        tour.pages.say(
          'The role infers the instance: it must be running, and its profile must contain the role that signed.',
        );
        const instance = cloud.launchInstance({ imageId: IMAGE_ID, instanceProfileArn: profile.arn });
        const other = cloud.launchInstance({ imageId: IMAGE_ID });
        await configure(tour, `role/${INFERRING_ROLE}`, {
          auth_type: 'iam',
          inferred_entity_type: 'ec2_instance',
          inferred_aws_region: cloud.region,
          bound_ami_id: [IMAGE_ID],
        });
        const own = signedBy(sts.instanceCredentials(instance, worker));
        grantOf(await login(tour, `instance ${instance.instanceId}`, INFERRING_ROLE, own));
        const posing = signedBy(sts.assumeRole(worker, { sessionName: other.instanceId }));
        await login(tour, `posing as ${other.instanceId}`, INFERRING_ROLE, posing, 'inferred_profile_missing');
        tour.pages.good('allowed as itself, denied as another instance');
      },
    },
    {
      title: 'An instance of another AWS account',
      async run(tour) {
        const partner = cloud.launchInstance({ accountId: PARTNER_ACCOUNT, imageId: IMAGE_ID });
        const body = { role: PARTNER_ROLE, pkcs7: partner.identityDocument().rsa2048.replaceAll('\n', '') };
        const path = `${MOUNT}/login`;
        const by: Caller = { name: `instance ${partner.instanceId}`, token: undefined };
        await configure(tour, `role/${PARTNER_ROLE}`, { auth_type: 'ec2', bound_account_id: [PARTNER_ACCOUNT] });
        await tour.call({ method: 'DELETE', path: `${MOUNT}/config/sts/${PARTNER_ACCOUNT}`, by: admin, status: 204 });
        await tour.call({ method: 'POST', path, by, body, status: 400, code: 'account_not_allowed' });
        tour.pages.good('denied before any AWS call: the account is not associated');
        await configure(tour, `config/sts/${PARTNER_ACCOUNT}`, {
          sts_role: `arn:aws:iam::${PARTNER_ACCOUNT}:role/postern`,
        });
        grantOf(await tour.call({ method: 'POST', path, by, body, status: 200 }));
        tour.pages.good('allowed, after an administrator configured a role to assume in that account');
      },
    },
  ];
}
