import type { InstanceFacts } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { decideInstance } from './decide-bindings.js';

const query = { accountId: '111111111111', region: 'us-east-1', instanceId: 'i-1' };
const facts = (changes: Partial<InstanceFacts> = {}): InstanceFacts => ({
  ...query,
  state: 'running',
  imageId: 'ami-1',
  vpcId: undefined,
  subnetId: undefined,
  instanceProfileArn: undefined,
  tags: new Map(),
  ...changes,
});

describe('the instance of a document', () => {
  it('passes when it runs where the document says', () => {
    const found = facts();
    expect(decideInstance(query, found)).toEqual({ allow: true, instance: found });
  });

  it('passes when the provider does not say whose it is', () => {
    expect(decideInstance(query, facts({ accountId: undefined })).allow).toBe(true);
  });

  it.each([
    ['is not known', undefined, 'instance_not_found'],
    ['is another one', facts({ instanceId: 'i-2' }), 'instance_not_found'],
    ['is stopped', facts({ state: 'stopped' }), 'instance_not_running'],
    ['is pending', facts({ state: 'pending' }), 'instance_not_running'],
    ['is in no state', facts({ state: '' }), 'instance_not_running'],
    ['is spelled running in another case', facts({ state: 'Running' }), 'instance_not_running'],
    ['is of another account (PROVIDER-1)', facts({ accountId: '222222222222' }), 'instance_account_mismatch'],
    ['is in another region (INSTANCE-1)', facts({ region: 'eu-west-1' }), 'instance_region_mismatch'],
  ])('is refused when it %s', (_name, found, code) => {
    expect(decideInstance(query, found)).toEqual({ allow: false, code });
  });
});
