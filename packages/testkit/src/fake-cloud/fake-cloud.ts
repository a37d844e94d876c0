/**
 * A cloud for tests, the sandbox and embedders: launches instances, signs their identity documents as the real one does,
 * answers the directory ports from what it launched, and misbehaves on demand.
 */
import { sign } from 'node:crypto';
import type { InstanceQuery, PrincipalQuery, ProfileQuery } from '@postern/ports';
import { createFakeSts } from '../fake-sts/fake-sts.js';
import { accountRule, type FakeCloudCall, governMethod } from './behaviour.js';
import { certificatePem, selfSignedCertificate } from './certificate.js';
import { base64Lines } from './document-text.js';
import type { FakeCloud, FakeCloudOptions, TrustedCertificate } from './fake-cloud-types.js';
import { idSource, partitionOf, seededRandom, systemRandom } from './ids.js';
import { makeInstance } from './instance.js';
import type { FakeInstance } from './instance-types.js';
import { principalRegistry } from './principals.js';
import { regionKey } from './region-keys.js';
import { buildSignedData } from './signed-data.js';
import { abortableSleep } from './sleep.js';

/** Of every region that was asked for: like its keys they last as long as the process, and a method parses them once. */
const certificatesOf = new Map<string, ReturnType<FakeCloud['certificates']>>();
const trustedOf = new Map<string, readonly TrustedCertificate[]>();

/**
 * Makes a cloud with nothing in it.
 *
 * @example
 * const cloud = createFakeCloud({ clock, seed: 'login tests' });
 * const instance = cloud.launchInstance({ imageId: 'ami-0123456789abcdef0' });
 * const pkcs7 = instance.identityDocument().rsa2048;
 */
export function createFakeCloud(options: FakeCloudOptions): FakeCloud {
  const { clock, region = 'us-east-1', ownAccountId = '111122223333', sleep = abortableSleep } = options;
  const random = options.random ?? (options.seed === undefined ? systemRandom : seededRandom(options.seed));
  const ids = idSource(random);
  const regions = new Set([region, ...(options.regions ?? [])]);
  const associated = new Set(options.associatedAccountIds ?? []);
  const calls: FakeCloudCall[] = [];
  const instances = new Map<string, FakeInstance>();
  const lookupsUntilVisible = new Map<string, number>();
  const principals = principalRegistry(ids, partitionOf(region), ownAccountId);

  const admit = accountRule((accountId) => accountId === ownAccountId || associated.has(accountId));
  const describeInstance = governMethod<InstanceQuery>(sleep, admit, (query) =>
    calls.push({ method: 'describeInstance', query, at: clock.now() }),
  );
  const rolesOfProfile = governMethod<ProfileQuery>(sleep, admit, (query) =>
    calls.push({ method: 'rolesOfProfile', query, at: clock.now() }),
  );
  const describePrincipal = governMethod<PrincipalQuery>(sleep, admit, (query) =>
    calls.push({ method: 'describePrincipal', query, at: clock.now() }),
  );

  const pemOf: FakeCloud['issueCertificate'] = ({ region: where = region, kind, holder, ...how }) =>
    certificatePem(selfSignedCertificate(regionKey(where, kind, holder), how));
  const certificates: FakeCloud['certificates'] = (where = region) => {
    const known = certificatesOf.get(where) ?? {
      pkcs7Dsa: pemOf({ region: where, kind: 'pkcs7-dsa' }),
      pkcs7Rsa2048: pemOf({ region: where, kind: 'pkcs7-rsa2048' }),
      identityRsa: pemOf({ region: where, kind: 'identity-rsa' }),
    };
    certificatesOf.set(where, known);
    return known;
  };
  const trusted = (where: string): readonly TrustedCertificate[] => {
    const pem = certificates(where);
    const known = trustedOf.get(where) ?? [
      { pem: pem.pkcs7Dsa, type: 'pkcs7', regions: [where], name: `${where} dsa` },
      { pem: pem.pkcs7Rsa2048, type: 'pkcs7', regions: [where], name: `${where} rsa2048` },
      { pem: pem.identityRsa, type: 'identity', regions: [where], name: `${where} rsa` },
    ];
    trustedOf.set(where, known);
    return known;
  };

  const principal: FakeCloud['principal'] = (arn) => principals.byArn(arn);
  const seed = options.seed === undefined ? {} : { seed: options.seed };
  const sts = createFakeSts({ cloud: { region, ownAccountId, principal }, clock, sleep, ...seed });

  return {
    region,
    ownAccountId,
    sts,
    callerIdentity: sts.source,
    describeInstance: (query, callOptions) =>
      describeInstance.answer(query, callOptions, () => {
        const instance = instances.get(query.instanceId);
        if (instance?.accountId !== query.accountId || instance.region !== query.region) return undefined;
        const hiddenFor = lookupsUntilVisible.get(query.instanceId) ?? 0;
        if (hiddenFor === 0) return instance.facts();
        lookupsUntilVisible.set(query.instanceId, hiddenFor - 1);
        return undefined;
      }),
    rolesOfProfile: (query, callOptions) =>
      rolesOfProfile.answer(query, callOptions, () =>
        principals.rolesOfProfile(query.accountId, query.instanceProfileArn),
      ),
    describePrincipal: (query, callOptions) =>
      describePrincipal.answer(query, callOptions, () => principals.find(query)),
    behaviour: { describeInstance, rolesOfProfile, describePrincipal },
    calls,
    clearCalls: () => calls.splice(0),
    associateAccount: (accountId) => associated.add(accountId),
    dissociateAccount: (accountId) => associated.delete(accountId),
    launchInstance(launch = {}) {
      const instance = makeInstance(
        { clock, ids, accountId: ownAccountId, region, forget: (id) => instances.delete(id) },
        launch,
      );
      if (instances.has(instance.instanceId)) throw new TypeError('an instance of that id is there already');
      instances.set(instance.instanceId, instance);
      lookupsUntilVisible.set(instance.instanceId, launch.invisibleForCalls ?? options.invisibleForCalls ?? 0);
      regions.add(instance.region);
      return instance;
    },
    instance: (instanceId) => instances.get(instanceId),
    createUser: (user) => principals.create('user', user),
    createRole: (role) => principals.create('role', role),
    principal,
    createInstanceProfile: (profile) => principals.createProfile(profile),
    certificates,
    issueCertificate: pemOf,
    defaultCertificates: (wanted = [...regions]) => wanted.flatMap(trusted),
    signContent(content, { region: where = region, ...how } = {}) {
      return base64Lines(buildSignedData(bytesOf(content), where, clock.now(), how));
    },
    signIdentity(document, { region: where = region, holder } = {}) {
      return base64Lines(sign('sha256', bytesOf(document), regionKey(where, 'identity-rsa', holder).privateKey));
    },
  };
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
