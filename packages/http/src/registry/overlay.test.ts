/** Archives with the check block in them, unpacked by other programs (OVERLAY-1). */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { addFilesToArchive } from '@postern/catalogue';
import { createModuleArchive } from '@postern/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEPRECATE, MODULE, openRegistrySite, READ, REVERT } from '../../test/registry/registry-site.js';

const MAIN = new TextEncoder().encode('variable "x" {}\n'.repeat(200));
const TERRAFORM = { 'user-agent': 'Terraform/1.15.9', 'x-terraform-version': '1.15.9' };
const FILE = 'zz_postern_deprecation.tf';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-overlay-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** With a comment at its end, which readers must step over. */
function zipOf(name: string, content: Uint8Array): Uint8Array {
  const packed = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed]);
  const central = Buffer.concat([
    Buffer.from('PK\u0001\u0002\u0014\u0000'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  end.writeUInt16LE(3, 20);
  return Uint8Array.from(Buffer.concat([local, central, end, Buffer.from('PK!')]));
}

const tarOf = (name: string, content: Uint8Array) =>
  Uint8Array.from(createModuleArchive({ [name]: new TextDecoder().decode(content) }));

function siteOf(format: 'tar.gz' | 'zip', content: Uint8Array) {
  return openRegistrySite({
    versions: [{ address: { ...MODULE, version: '1.0.0' }, format, content }],
    app: { overlay: { wants: ({ name }) => name === 'network', addFiles: addFilesToArchive } },
  });
}

async function fetchArchive(site: ReturnType<typeof openRegistrySite>, headers: Record<string, string> = TERRAFORM) {
  const path = `${READ}/1.0.0/download`;
  const url = new URL((await site.get(path, { headers })).body.location, `http://registry.test${path}`);
  const response = await site.fetch('GET', url.href, { token: null });
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  return { bytes, url, etag: response.headers.get('etag'), digest: response.headers.get('repr-digest') };
}

function unpack(bytes: Uint8Array, format: string): readonly string[] {
  const file = join(folder, `archive.${format}`);
  const target = join(folder, 'out');
  writeFileSync(file, bytes);
  const script =
    'import sys,tarfile,zipfile\na=sys.argv\n' +
    'z=zipfile.ZipFile(a[1]) if a[1].endswith("zip") else tarfile.open(a[1])\nz.extractall(a[2])\n' +
    'assert not isinstance(z,zipfile.ZipFile) or z.testzip() is None';
  execFileSync('python3', ['-c', script, file, target]);
  return readdirSync(target).sort();
}

describe.each([
  ['tar.gz', tarOf('main.tf', MAIN)],
  ['zip', zipOf('main.tf', MAIN)],
] as const)('%s', (format, content) => {
  it('of a deprecated version holds the check block, and all that was published', async () => {
    const site = siteOf(format, content);
    await site.patch(DEPRECATE);
    const { bytes, etag, digest } = await fetchArchive(site);
    expect(unpack(bytes, format)).toEqual(['main.tf', FILE]);
    expect(readFileSync(join(folder, 'out', 'main.tf'))).toEqual(Buffer.from(MAIN));
    expect(readFileSync(join(folder, 'out', FILE), 'utf8')).toContain(
      'Module version 1.0.0 of acme/network/aws is deprecated.',
    );
    expect(digest).toBeNull();
    await site.deprecate({ reason: 'Another.' });
    expect((await fetchArchive(site)).etag).not.toBe(etag);
  });

  it('R-B4: holds the check block in the folder of each submodule', async () => {
    const site = siteOf(format, content);
    const submodules = [`modules/${'long-'.repeat(24)}name`, 'modules/subnet'].map((path) => {
      const none = { inputs: [], outputs: [], dependencies: [], providerDependencies: [], resources: [] };
      return { path, name: '', readme: '', empty: false, ...none };
    });
    site.catalogue.add({ address: { ...MODULE, version: '1.0.0' }, format, content, submodules });
    await site.patch(DEPRECATE);
    expect(unpack((await fetchArchive(site)).bytes, format)).toEqual(['main.tf', 'modules', FILE]);
    for (const { path } of submodules) {
      expect(readFileSync(join(folder, 'out', path, FILE), 'utf8')).toContain('is deprecated.');
    }
  });

  it('is as it was published for clients that are too old, and once reinstated', async () => {
    const site = siteOf(format, content);
    await site.patch(DEPRECATE);
    for (const headers of [
      { 'user-agent': 'Terraform/1.4.9', 'x-terraform-version': '1.4.9' },
      { 'user-agent': 'curl/8' },
    ]) {
      const { bytes, url } = await fetchArchive(site, headers);
      expect(url.searchParams.has('overlay')).toBe(false);
      expect(bytes).toEqual(content);
    }
    const { url } = await fetchArchive(site);
    await site.patch(REVERT);
    const response = await site.fetch('GET', url.href, { token: null });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
  });

  it('is added only where the option is on', async () => {
    const site = openRegistrySite({ versions: [{ address: { ...MODULE, version: '1.0.0' }, format, content }] });
    await site.patch(DEPRECATE);
    expect((await fetchArchive(site)).bytes).toEqual(content);
  });
});

describe('a zip that cannot be spliced', () => {
  it.each([
    ['no zip at all', new TextEncoder().encode('not a zip')],
    [
      'bytes before the end',
      Uint8Array.from([...zipOf('main.tf', MAIN).slice(0, -26), 0, ...zipOf('main.tf', MAIN).slice(-26)].slice(0, -1)),
    ],
  ])('%s is sent as it is', async (_name, content) => {
    const site = siteOf('zip', content);
    await site.patch(DEPRECATE);
    expect((await fetchArchive(site)).bytes).toEqual(content);
  });
});
