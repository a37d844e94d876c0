import { verify, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from './fake-cloud.js';

const start = Date.UTC(2026, 1, 16, 0, 38, 27, 400);
const makeCloud = (seed = 'instances') => {
  const clock = createManualClock(start);
  return { clock, cloud: createFakeCloud({ clock, seed, region: 'eu-west-1' }) };
};

describe('an instance', () => {
  it('runs from launch, with ids in the shapes of the cloud', () => {
    const instance = makeCloud().cloud.launchInstance();
    expect(instance.state).toBe('running');
    expect(instance.instanceId).toMatch(/^i-[0-9a-f]{17}$/);
    expect(instance.imageId).toMatch(/^ami-[0-9a-f]{17}$/);
    expect(instance.vpcId).toMatch(/^vpc-[0-9a-f]{17}$/);
    expect(instance.subnetId).toMatch(/^subnet-[0-9a-f]{17}$/);
    expect(instance.accountId).toBe('111122223333');
    expect(instance.instanceProfileArn).toBeUndefined();
  });

  it('gets the same ids from the same seed and others from another', () => {
    const ids = (seed: string) => {
      const { cloud } = makeCloud(seed);
      return [1, 2, 3].map(() => cloud.launchInstance().instanceId);
    };
    expect(ids('a')).toEqual(ids('a'));
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(6);
  });

  it('keeps its pendingTime while stopped and gets a newer one when started', () => {
    const { clock, cloud } = makeCloud();
    const instance = cloud.launchInstance();
    expect(instance.pendingTime).toBe('2026-02-16T00:38:27Z');
    clock.advance(60_000);
    instance.stop();
    expect([instance.state, instance.pendingTime]).toEqual(['stopped', '2026-02-16T00:38:27Z']);
    instance.start();
    expect([instance.state, instance.pendingTime]).toEqual(['running', '2026-02-16T00:39:27Z']);
    expect(JSON.parse(instance.identityDocument().document).pendingTime).toBe('2026-02-16T00:39:27Z');
  });

  it('gets a pendingTime newer by a second when it restarts within the same instant', () => {
    const instance = makeCloud().cloud.launchInstance();
    instance.stop();
    instance.start();
    expect(instance.pendingTimeMillis).toBe(start - 400 + 1000);
  });

  it('starts only when stopped, and neither stops nor changes once terminated', () => {
    const instance = makeCloud().cloud.launchInstance();
    expect(() => instance.start()).toThrow(TypeError);
    instance.terminate();
    expect(() => instance.start()).toThrow(TypeError);
    expect(() => instance.stop()).toThrow(TypeError);
    expect(() => instance.setInstanceProfile('arn:aws:iam::111122223333:instance-profile/p')).toThrow(TypeError);
  });

  it('loses network and profile when terminated', () => {
    const instance = makeCloud().cloud.launchInstance({
      instanceProfileArn: 'arn:aws:iam::111122223333:instance-profile/p',
    });
    instance.terminate();
    expect(instance.facts()).toMatchObject({
      state: 'terminated',
      vpcId: undefined,
      subnetId: undefined,
      instanceProfileArn: undefined,
    });
  });

  it('is refused when its id is taken', () => {
    const { cloud } = makeCloud();
    const { instanceId } = cloud.launchInstance();
    expect(() => cloud.launchInstance({ instanceId })).toThrow(TypeError);
    cloud.instance(instanceId)?.vanish();
    expect(cloud.instance(instanceId)).toBeUndefined();
    expect(cloud.launchInstance({ instanceId }).instanceId).toBe(instanceId);
  });
});

describe('the identity document', () => {
  it('has the members, order and layout of the real one', () => {
    const instance = makeCloud().cloud.launchInstance({
      instanceId: 'i-0123456789abcdef0',
      imageId: 'ami-0123456789abcdef0',
      accountId: '123456789012',
    });
    const { document, documentBase64 } = instance.identityDocument();
    expect(document.replace(/10\.\d+\.\d+\.\d+/, '10.0.0.1')).toBe(
      [
        '{',
        '  "accountId" : "123456789012",',
        '  "architecture" : "x86_64",',
        '  "availabilityZone" : "eu-west-1a",',
        '  "billingProducts" : null,',
        '  "devpayProductCodes" : null,',
        '  "marketplaceProductCodes" : null,',
        '  "imageId" : "ami-0123456789abcdef0",',
        '  "instanceId" : "i-0123456789abcdef0",',
        '  "instanceType" : "t3.micro",',
        '  "kernelId" : null,',
        '  "pendingTime" : "2026-02-16T00:38:27Z",',
        '  "privateIp" : "10.0.0.1",',
        '  "ramdiskId" : null,',
        '  "region" : "eu-west-1",',
        '  "version" : "2017-09-30"',
        '}',
      ].join('\n'),
    );
    expect(Buffer.from(documentBase64, 'base64').toString()).toBe(document);
  });

  it('is served in lines of 76 and stays the same until the next start', () => {
    const instance = makeCloud().cloud.launchInstance();
    const served = instance.identityDocument();
    for (const text of [served.pkcs7, served.rsa2048, served.signature]) {
      const lines = text.split('\n');
      expect(lines.slice(0, -1).every((line) => line.length === 76)).toBe(true);
      expect(lines.at(-1)?.length).toBeLessThanOrEqual(76);
    }
    instance.setTags({ a: 'b' });
    expect(instance.identityDocument().pkcs7).toBe(served.pkcs7);
    instance.stop();
    instance.start();
    expect(instance.identityDocument().rsa2048).not.toBe(served.rsa2048);
  });

  it('has a signature that verifies with the identity certificate of its region only', () => {
    const { cloud } = makeCloud();
    const instance = cloud.launchInstance();
    const { document, signature } = instance.identityDocument();
    const verifies = (region: string, text: string) => {
      const key = new X509Certificate(cloud.certificates(region).identityRsa).publicKey;
      return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'));
    };
    expect(verifies('eu-west-1', document)).toBe(true);
    expect(verifies('eu-west-1', `${document}\n`)).toBe(false);
    expect(verifies('eu-west-2', document)).toBe(false);
  });
});
