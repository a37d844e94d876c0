/** `postern serve` with a registry, as an operator meets it: the line that says where it is, its folder, its end. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSite, type ServingPostern, type Site, servePostern } from '@postern/internal';
import { afterEach, describe, expect, it } from 'vitest';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function serve(registry: unknown): Promise<{ site: Site; server: ServingPostern; line: Record<string, string> }> {
  const site = createSite(registry === undefined ? {} : { registry });
  cleanUps.push(() => site.remove());
  const server = await servePostern(site.configFile);
  cleanUps.push(async () => {
    server.signal('SIGKILL');
    await server.ended;
  });
  const line = server
    .stderr()
    .split('\n')
    .find((each) => each.includes('"message":"listening"'));
  return { site, server, line: JSON.parse(line ?? '{}') };
}

describe('postern serve', () => {
  it('says where registry and page are, keeps archives beside the database, and ends in order', async () => {
    const { site, server, line } = await serve({});
    expect(line).toMatchObject({
      registry: `${server.url}/api/registry/v1/modules/`,
      page: `${server.url}/registry`,
    });
    expect(existsSync(join(site.folder, 'archives'))).toBe(true);
    expect((await fetch(`${server.url}/registry`)).status).toBe(401);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('gives clients the configured public address', async () => {
    const { line } = await serve({ publicUrl: 'https://registry.acme.example/', page: false, archives: './blobs' });
    expect(line['registry']).toBe('https://registry.acme.example/api/registry/v1/modules/');
    expect(line['page']).toBeUndefined();
  });

  it('says nothing of a registry that there is not', async () => {
    const { site, line } = await serve(undefined);
    expect(line['registry']).toBeUndefined();
    expect(existsSync(join(site.folder, 'archives'))).toBe(false);
  });
});
