/**
 * Kills the server with SIGKILL in the middle of publishing and deprecating, starts it again, and looks at everything: what
 * was acknowledged is there, what is listed is whole, and no archive lies in the folder that no version names.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHostedCatalogue } from '@postern/catalogue';
import { createSite, type ServingPostern, servePostern } from '@postern/internal';
import { createMemoryStorage } from '@postern/storage-memory';
import { createManualClock, createMemoryBlobStore, createModuleArchive } from '@postern/testkit';

const CLIENTS = 8;

export interface RegistryCrashReport {
  readonly rounds: number;
  /** Calls acknowledged over all rounds, and those under way when a kill came. */
  readonly published: number;
  readonly deprecated: number;
  readonly interrupted: number;
  /** What is not as it was acknowledged, or half there: must be empty. */
  readonly faults: readonly string[];
}

/** What a version may be found as: said by what was sent and what was answered. */
interface Expected {
  readonly module: string;
  readonly version: string;
  /** `asked`: sent, and no answer came. */
  published: 'asked' | 'yes';
  deprecated: 'no' | 'asked' | 'yes';
}

const idOf = ({ module, version }: Expected) => `acme/${module}/aws/${version}`;
const reasonOf = (expected: Expected) => `${idOf(expected)} is old.`;
const archiveOf = (expected: Expected) =>
  Uint8Array.from(createModuleArchive({ 'main.tf': `variable "x" {\n  default = "${idOf(expected)}"\n}\n` }));

export async function runRegistryCrashes(rounds: number): Promise<RegistryCrashReport> {
  const site = createSite({ registry: { rate: false } });
  const expected: Expected[] = [];
  const faults: string[] = [];
  const reference = createReference();
  let interrupted = 0;
  try {
    let server = await servePostern(site.configFile);
    const token = server.rootToken ?? '';
    for (let round = 0; round < rounds; round += 1) {
      const client = createClient(server, token);
      // Unlike waits, so that kills fall on every stage of a publication.
      let left = 40 + ((round * 37) % 80);
      const count = () => {
        left -= 1;
        if (left === 0) server.signal('SIGKILL');
      };
      const clients = Array.from({ length: CLIENTS }, async (_, number) => {
        for (let patch = 0; ; patch += 1) {
          const next: Expected = {
            module: `module-${number}`,
            version: `${round}.0.${patch}`,
            published: 'asked',
            deprecated: 'no',
          };
          expected.push(next);
          if (!(await client.publish(next))) break;
          next.published = 'yes';
          count();
          next.deprecated = 'asked';
          if (!(await client.deprecate(next))) break;
          next.deprecated = 'yes';
          count();
        }
        interrupted += 1;
      });
      await Promise.all(clients);
      if ((await server.ended) !== null) throw new Error('the server ended by itself');
      server = await servePostern(site.configFile);
      faults.push(...(await faultsOf(createClient(server, token), reference, expected, join(site.folder, 'archives'))));
    }
    server.signal('SIGTERM');
    if ((await server.ended) !== 0) throw new Error('the last server did not end in order');
    return {
      rounds,
      published: expected.filter(({ published }) => published === 'yes').length,
      deprecated: expected.filter(({ deprecated }) => deprecated === 'yes').length,
      interrupted,
      faults,
    };
  } finally {
    reference.remove();
    site.remove();
  }
}

async function* contentOf(expected: Expected): AsyncGenerator<Uint8Array> {
  yield archiveOf(expected);
}

/** The bytes that must be served: each upload as a catalogue that nothing disturbs packs it again (PUBLISH-6). */
function createReference() {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'postern-reference-'));
  const catalogue = createHostedCatalogue({
    storage: createMemoryStorage(),
    blobs: createMemoryBlobStore(),
    clock: createManualClock(0),
    scratchFolder,
  });
  const known = new Map<string, Buffer>();
  return {
    async served(expected: Expected): Promise<Buffer> {
      const id = idOf(expected);
      const bytes = known.get(id) ?? (await publishAndRead(expected));
      known.set(id, bytes);
      return bytes;
    },
    remove: () => rmSync(scratchFolder, { recursive: true, force: true }),
  };

  async function publishAndRead(expected: Expected): Promise<Buffer> {
    const version = { namespace: 'acme', name: expected.module, provider: 'aws', version: expected.version };
    await catalogue.publish({ version, owner: 'reference', content: contentOf(expected) });
    const archive = await catalogue.archive(version);
    if (archive === undefined) throw new Error(`the reference has no ${idOf(expected)}`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive.content) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

function createClient({ url }: ServingPostern, token: string) {
  const authorization = `Bearer ${token}`;
  const managed = ({ module, version }: Expected) =>
    `${url}/api/v2/organizations/acme/registry-modules/private/acme/${module}/aws/${version}`;
  const reads = `${url}/api/registry/v1/modules`;
  /** Whether it was acknowledged; false when the server went away before it answered. */
  async function change(path: string, status: number, init: RequestInit): Promise<boolean> {
    let response: Response;
    try {
      response = await fetch(path, init);
      await response.arrayBuffer();
    } catch {
      return false;
    }
    if (response.status === status) return true;
    // One publication at a time of a token: on a busy machine the others wait too long.
    if (response.status === 429) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return change(path, status, init);
    }
    throw new Error(`a change was refused: ${response.status}`);
  }
  return {
    publish: (expected: Expected) =>
      change(managed(expected), 201, {
        method: 'PUT',
        headers: { authorization, 'content-type': 'application/gzip' },
        body: archiveOf(expected),
      }),
    deprecate: (expected: Expected) => {
      const deprecation = { 'deprecated-status': 'Deprecated', reason: reasonOf(expected) };
      return change(managed(expected), 200, {
        method: 'PATCH',
        headers: { authorization, 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'module-versions', attributes: { deprecation } } }),
      });
    },
    /** By version: its reason, or null. */
    async versions(module: string): Promise<ReadonlyMap<string, string | null>> {
      const answer = await fetch(`${reads}/acme/${module}/aws/versions`, { headers: { authorization } });
      if (answer.status === 404) return new Map();
      const { modules } = (await answer.json()) as {
        modules: { versions: { version: string; deprecation: { reason: string } | null }[] }[];
      };
      return new Map((modules[0]?.versions ?? []).map((each) => [each.version, each.deprecation?.reason ?? null]));
    },
    /** The whole of a version: its description read, its archive downloaded. @returns the archive's bytes. */
    async download(expected: Expected): Promise<Uint8Array> {
      const at = `${reads}/${idOf(expected)}`;
      const read = await fetch(at, { headers: { authorization } });
      if (read.status !== 200) throw new Error(`the read answered ${read.status}`);
      await read.arrayBuffer();
      const download = await fetch(`${at}/download`, { headers: { authorization } });
      const { location } = (await download.json()) as { location: string };
      const archive = await fetch(new URL(location, `${at}/download`));
      if (archive.status !== 200) throw new Error(`the download answered ${archive.status}`);
      return new Uint8Array(await archive.arrayBuffer());
    },
  };
}

async function faultsOf(
  client: ReturnType<typeof createClient>,
  reference: ReturnType<typeof createReference>,
  all: readonly Expected[],
  archives: string,
): Promise<string[]> {
  const faults: string[] = [];
  const modules = [...new Set(all.map(({ module }) => module))];
  const lists = new Map<string, ReadonlyMap<string, string | null>>();
  for (const module of modules) lists.set(module, await client.versions(module));
  let listed = 0;
  for (const expected of all) {
    const reason = lists.get(expected.module)?.get(expected.version);
    if (reason === undefined) {
      if (expected.published === 'yes') faults.push(`${idOf(expected)} is lost`);
      continue;
    }
    listed += 1;
    const mayBeActive = expected.deprecated !== 'yes';
    const mayBeDeprecated = expected.deprecated !== 'no';
    const isExpected = reason === null ? mayBeActive : mayBeDeprecated && reason === reasonOf(expected);
    if (!isExpected) faults.push(`${idOf(expected)} reads ${reason}`);
    try {
      const bytes = await client.download(expected);
      if (!(await reference.served(expected)).equals(bytes)) faults.push(`${idOf(expected)} has other bytes`);
    } catch (error) {
      faults.push(`${idOf(expected)} is half there: ${String(error)}`);
    }
  }
  const count = () => readdirSync(archives, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).length;
  // What was left is removed while the server serves.
  const deadline = Date.now() + 10_000;
  while (count() !== listed && Date.now() < deadline) await sleep(100);
  if (count() !== listed) faults.push(`${count()} archives lie in the folder for ${listed} versions`);
  return faults;
}
