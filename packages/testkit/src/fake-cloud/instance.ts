/** One instance of the fake cloud: its life, its facts and its documents. */
import { sign } from 'node:crypto';
import type { Clock, InstanceFacts } from '@postern/ports';
import { base64Lines, type DocumentFields, documentText, pendingTimeText } from './document-text.js';
import type { IdSource } from './ids.js';
import type { FakeInstance, IdentityDocument, InstanceState, LaunchOptions, Pkcs7Options } from './instance-types.js';
import { regionKey } from './region-keys.js';
import { buildSignedData } from './signed-data.js';

export interface InstanceSurroundings {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly accountId: string;
  readonly region: string;
  /** Called when the instance vanishes. */
  readonly forget: (instanceId: string) => void;
}

export function makeInstance(around: InstanceSurroundings, options: LaunchOptions): FakeInstance {
  const { clock, ids } = around;
  const accountId = options.accountId ?? around.accountId;
  const region = options.region ?? around.region;
  const instanceId = options.instanceId ?? ids.resource('i');
  const imageId = options.imageId ?? ids.resource('ami');
  const vpcId = options.vpcId ?? ids.resource('vpc');
  const subnetId = options.subnetId ?? ids.resource('subnet');
  const privateIp = ids.privateIp();
  let state: InstanceState = options.state ?? 'running';
  let profileArn = options.instanceProfileArn;
  let tags: ReadonlyMap<string, string> = new Map(Object.entries(options.tags ?? {}));
  let pendingTimeMillis = wholeSecond(clock.now());
  let served: IdentityDocument | undefined;

  const ifAlive = (value: string | undefined): string | undefined => (state === 'terminated' ? undefined : value);
  const fields = (): DocumentFields => ({
    accountId,
    architecture: options.architecture ?? 'x86_64',
    availabilityZone: `${region}a`,
    billingProducts: null,
    devpayProductCodes: null,
    marketplaceProductCodes: null,
    imageId,
    instanceId,
    instanceType: options.instanceType ?? 't3.micro',
    kernelId: null,
    pendingTime: pendingTimeText(pendingTimeMillis),
    privateIp,
    ramdiskId: null,
    region,
    version: '2017-09-30',
  });
  const pkcs7Der = (how: Pkcs7Options = {}): Uint8Array => {
    const content = how.content ?? documentText({ ...fields(), ...how.fields });
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return buildSignedData(bytes, region, pendingTimeMillis, how);
  };

  const instance: FakeInstance = {
    instanceId,
    accountId,
    region,
    imageId,
    get vpcId() {
      return ifAlive(vpcId);
    },
    get subnetId() {
      return ifAlive(subnetId);
    },
    get instanceProfileArn() {
      return ifAlive(profileArn);
    },
    get state() {
      return state;
    },
    get pendingTime() {
      return pendingTimeText(pendingTimeMillis);
    },
    get pendingTimeMillis() {
      return pendingTimeMillis;
    },
    get tags() {
      return tags;
    },
    facts: () => factsOf(instance),
    stop() {
      refuseIfTerminated(state);
      state = 'stopped';
    },
    start() {
      if (state !== 'stopped') throw new TypeError(`only a stopped instance starts; this one is ${state}`);
      pendingTimeMillis = Math.max(wholeSecond(clock.now()), pendingTimeMillis + 1000);
      state = 'running';
      served = undefined;
    },
    terminate() {
      state = 'terminated';
    },
    vanish() {
      state = 'terminated';
      around.forget(instanceId);
    },
    setState(next) {
      state = next;
    },
    setTags(next) {
      tags = new Map(Object.entries(next));
    },
    setInstanceProfile(arn) {
      refuseIfTerminated(state);
      profileArn = arn;
    },
    identityDocument() {
      served ??= serve(documentText(fields()), region, pendingTimeMillis);
      return served;
    },
    pkcs7: (how) => base64Lines(pkcs7Der(how)),
    pkcs7Der,
  };
  return instance;
}

function factsOf(instance: FakeInstance): InstanceFacts {
  const { instanceId, accountId, region, state, imageId, vpcId, subnetId, instanceProfileArn, tags } = instance;
  return { instanceId, accountId, region, state, imageId, vpcId, subnetId, instanceProfileArn, tags: new Map(tags) };
}

/** Values made at first reading: a signature costs up to a millisecond, and most tests want one of the three. */
function serve(document: string, region: string, signedAt: number): IdentityDocument {
  const bytes = new TextEncoder().encode(document);
  let pkcs7: string | undefined;
  let rsa2048: string | undefined;
  let signature: string | undefined;
  return {
    document,
    documentBase64: Buffer.from(bytes).toString('base64'),
    get pkcs7() {
      pkcs7 ??= base64Lines(buildSignedData(bytes, region, signedAt, { encoding: 2 }));
      return pkcs7;
    },
    get rsa2048() {
      rsa2048 ??= base64Lines(buildSignedData(bytes, region, signedAt, { encoding: 5 }));
      return rsa2048;
    },
    get signature() {
      signature ??= base64Lines(sign('sha256', bytes, regionKey(region, 'identity-rsa').privateKey));
      return signature;
    },
  };
}

function wholeSecond(epochMillis: number): number {
  return Math.floor(epochMillis / 1000) * 1000;
}

function refuseIfTerminated(state: InstanceState): void {
  if (state === 'terminated') throw new TypeError('the instance is terminated');
}
