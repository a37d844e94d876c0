/** docs/reference.md says what the catalogue says. */
import { createAuthMethod } from '@postern/core-auth';
import { createFakeCloud } from '@postern/testkit';
import { expect, it } from 'vitest';
import { memoryPorts } from '../../../test/memory-ports.js';
import { type Document, renderReference } from '../../../test/reference/render-reference.js';
import { registryPaths } from '../../registry/openapi.js';
import { REGISTRY_SCHEMAS } from '../../registry/openapi-schemas.js';
import { WIRE_PROFILES } from '../wire-profile.js';
import { createOpenApiDocument } from './document.js';

it('the reference is that of the operations there are', async () => {
  const clock = { now: () => 0 };
  const cloud = createFakeCloud({ clock });
  const { operations } = createAuthMethod(memoryPorts(cloud, clock));
  const profile = WIRE_PROFILES.neutral;
  const mountPath = profile.defaultMountPath;
  const made = createOpenApiDocument({
    operations,
    mountPath,
    profile,
    version: '0',
    further: { paths: registryPaths(), schemas: REGISTRY_SCHEMAS },
  });
  const document = JSON.parse(JSON.stringify(made)) as Document;
  await expect(renderReference(document, operations)).toMatchFileSnapshot('../../../../../docs/reference.md');
});
