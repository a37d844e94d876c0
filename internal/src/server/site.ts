/** A folder to serve from: configuration, a provider module, and a cloud in this process whose documents it believes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeCloud, type FakeCloud } from '@postern/testkit';

export const IMAGE_ID = 'ami-0123456789abcdef0';
export const LOGIN_PATH = '/v1/auth/cloud/login';

/** Says of every instance that it runs. What an operator writes for a cloud of their own. */
const PROVIDER = `import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function createProvider({ options, directory }) {
  return {
    describeInstance: async ({ instanceId, accountId, region }) => ({
      instanceId, accountId, region, state: 'running', imageId: options.imageId,
      vpcId: undefined, subnetId: undefined, instanceProfileArn: undefined, tags: new Map(),
    }),
    rolesOfProfile: async () => undefined,
    describePrincipal: async () => undefined,
    builtInCertificates: JSON.parse(readFileSync(join(directory, 'certificates.json'), 'utf8')),
  };
}
`;

export interface Site {
  readonly folder: string;
  readonly configFile: string;
  readonly cloud: FakeCloud;
  /** Writes a role that any instance of the cloud may log in to. */
  writeRole(url: string, rootToken: string, name: string): Promise<void>;
  /** The `pkcs7` of a new instance. */
  newDocument(): { readonly instanceId: string; readonly pkcs7: string };
  remove(): void;
}

/** @param config members beside listen, storage, audit and provider, or instead of them. */
export function createSite(config: Readonly<Record<string, unknown>> = {}): Site {
  const folder = mkdtempSync(join(tmpdir(), 'postern-site-'));
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const configFile = join(folder, 'postern.json');
  writeFileSync(join(folder, 'provider.mjs'), PROVIDER);
  writeFileSync(join(folder, 'certificates.json'), JSON.stringify(cloud.defaultCertificates()));
  writeFileSync(
    configFile,
    JSON.stringify({
      listen: { port: 0 },
      storage: { file: './postern.db' },
      audit: { file: './audit.log' },
      loginRate: false,
      peerRate: false,
      tokenRate: false,
      provider: { module: './provider.mjs', options: { imageId: IMAGE_ID } },
      ...config,
    }),
  );
  return {
    folder,
    configFile,
    cloud,
    async writeRole(url, rootToken, name) {
      const response = await fetch(`${url}/v1/auth/cloud/role/${name}`, {
        method: 'POST',
        headers: { 'x-service-token': rootToken },
        body: JSON.stringify({ auth_type: 'ec2', bound_ami_id: [IMAGE_ID] }),
      });
      if (response.status !== 204)
        throw new Error(`the role was not written: ${response.status} ${await response.text()}`);
    },
    newDocument() {
      const instance = cloud.launchInstance({ imageId: IMAGE_ID });
      return { instanceId: instance.instanceId, pkcs7: instance.identityDocument().rsa2048.replaceAll('\n', '') };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
