/** docs/reference.md says what the catalogue says. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { expect, it } from 'vitest';
import { type Document, renderReference } from '../../test/reference/render-reference.js';
import { WIRE_PROFILES } from '../wire-profile.js';
import { createOpenApiDocument } from './document.js';

it('the reference is that of the operations there are', async () => {
  const clock = { now: () => 0 };
  const crypto = createNodeCrypto();
  const cloud = createFakeCloud({ clock });
  const { operations } = createAuthMethod({
    storage: createMemoryStorage(),
    clock,
    random: crypto,
    verifier: crypto,
    digest: crypto,
    hmac: crypto,
    cipher: crypto,
    instances: cloud.instanceDirectory,
    profiles: cloud.profileDirectory,
    principals: cloud.principalDirectory,
    audit: { record: () => undefined },
  });
  const profile = WIRE_PROFILES.neutral;
  const mountPath = profile.defaultMountPath;
  const made = createOpenApiDocument({ operations, mountPath, profile, version: '0', withRegistry: true });
  const document = JSON.parse(JSON.stringify(made)) as Document;
  await expect(renderReference(document, operations)).toMatchFileSnapshot('../../../../docs/reference.md');
});
