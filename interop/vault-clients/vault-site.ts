/**
 * What an unmodified client of Vault is pointed at: Postern in the `vault` profile (WIRE-4) on a loopback address,
 * with a cloud around it that really signs documents and really verifies signed requests.
 */
import { createProviderConfiguration } from '@postern/core-auth';
import { createServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, type FakeCloud, type FakeCredentials, type FakeInstance } from '@postern/testkit';
import { createFollowingProvider } from './following-provider.js';
import { openOperatorDesk } from './operator-desk.js';

const HOME_REGION = 'us-east-1';
const FOREIGN_REGION = 'eu-west-1';
const PARTNER_ACCOUNT = '444455556666';
const IMAGE = 'ami-0123456789abcdef0';

/** Tokens and access-list entries end so soon that a client can see it within the age that a signature may have. */
const MAX_TTL_SECONDS = 300;

/** What a client program is told: one JSON object. Names as the programs read them. */
export interface Briefing {
  readonly url: string;
  readonly root_token: string;
  /** Where the program does what no client of Vault can: put tags on an instance, terminate it, let time pass. */
  readonly desk: string;
  readonly image: string;
  /** Instances by the part they play; each with its signed document. */
  readonly instances: Readonly<Record<'first' | 'tagged' | 'foreign' | 'partner', BriefedInstance>>;
  /** Base64 of the PEM that the foreign region's documents are signed with: not among the built-in ones. */
  readonly foreign_certificate: string;
  readonly partner: { readonly account: string; readonly role_arn: string };
  readonly user: BriefedKey;
  readonly session: BriefedKey;
}

interface BriefedInstance {
  readonly instance_id: string;
  readonly pkcs7: string;
}

export interface BriefedKey {
  /** Of the user, or of the role whose session it is. */
  readonly arn: string;
  readonly access_key: string;
  readonly secret_key: string;
  readonly session_token: string | null;
}

export interface VaultSite {
  readonly briefing: Briefing;
  /** One more instance of the briefed image. */
  launch(): FakeInstance;
  close(): Promise<void>;
}

export async function openVaultSite(): Promise<VaultSite> {
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs };
  const cloud = createFakeCloud({ clock, region: HOME_REGION });
  const { sts } = cloud;
  const storage = createMemoryStorage();
  const server = await createServer({
    storage,
    clock,
    audit: { record: () => undefined },
    profile: 'vault',
    auth: { defaultTtlSeconds: MAX_TTL_SECONDS / 2, maxTtlSeconds: MAX_TTL_SECONDS },
    provider: {
      ...createFollowingProvider(cloud, createProviderConfiguration(storage)),
      builtInCertificates: cloud.defaultCertificates([HOME_REGION]),
    },
  });
  const desk = await openOperatorDesk({
    setTags: (instanceId, tags) => instanceOf(cloud, instanceId).setTags(tags),
    terminate: (instanceId) => instanceOf(cloud, instanceId).terminate(),
    letPass: (seconds) => {
      aheadMs += seconds * 1000;
    },
  });
  const user = cloud.createUser({ name: 'alice', path: '/staff/' });
  const role = cloud.createRole({ name: 'deployer' });
  const partnerRole = cloud.createRole({ name: 'postern', accountId: PARTNER_ACCOUNT });
  return {
    briefing: {
      url: server.url,
      root_token: await server.method.createRootToken(),
      desk: desk.url,
      image: IMAGE,
      instances: {
        first: briefed(cloud.launchInstance({ imageId: IMAGE })),
        tagged: briefed(cloud.launchInstance({ imageId: IMAGE })),
        foreign: briefed(cloud.launchInstance({ imageId: IMAGE, region: FOREIGN_REGION })),
        partner: briefed(cloud.launchInstance({ imageId: IMAGE, accountId: PARTNER_ACCOUNT })),
      },
      foreign_certificate: Buffer.from(cloud.certificates(FOREIGN_REGION).pkcs7Rsa2048).toString('base64'),
      partner: { account: PARTNER_ACCOUNT, role_arn: partnerRole.arn },
      user: briefedKey(user.arn, sts.issueAccessKey(user)),
      session: briefedKey(role.arn, sts.assumeRole(role, { sessionName: 'build-42' })),
    },
    launch: () => cloud.launchInstance({ imageId: IMAGE }),
    async close() {
      await desk.close();
      await server.close();
    },
  };
}

function briefed(instance: FakeInstance): BriefedInstance {
  return {
    instance_id: instance.instanceId,
    pkcs7: instance.identityDocument().rsa2048.replaceAll('\n', ''),
  };
}

function briefedKey(arn: string, credentials: FakeCredentials): BriefedKey {
  return {
    arn,
    access_key: credentials.accessKeyId,
    secret_key: credentials.secretAccessKey,
    session_token: credentials.sessionToken ?? null,
  };
}

function instanceOf(cloud: FakeCloud, instanceId: string): FakeInstance {
  const instance = cloud.instance(instanceId);
  if (instance === undefined) throw new TypeError(`the cloud has no instance ${instanceId}`);
  return instance;
}
