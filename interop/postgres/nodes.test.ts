/** Several servers on one database: what one has acknowledged counts at the other at once, and one's death costs it nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { IMAGE_ID, servePostern, startPostern } from '@postern/internal';
import { createFakeCloud, createModuleArchive } from '@postern/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster, PASSWORD } from './cluster.js';
import { ask, login, lookUp, type Node, remove, startTwoNodes, type TwoNodes, writeRole } from './two-nodes.js';

let cluster: Cluster;
let nodes: TwoNodes;
beforeAll(async () => {
  cluster = await createCluster();
  nodes = await startTwoNodes({ postgres: { url: cluster.connectionString, schema: 'postern' } });
});
afterAll(async () => {
  await nodes.end();
  await cluster.remove();
});

describe('two servers on one database', () => {
  it('start at once and print one root token, which opens both; neither tells the password of the database', async () => {
    const { a, b, rootTokens, rootToken } = nodes;
    expect(rootTokens).toHaveLength(1);
    expect([await lookUp(a, rootToken), await lookUp(b, rootToken)]).toEqual([200, 200]);
    // That of the other was revoked, not left behind: the accessor of one token is all there is.
    const accessors = await cluster.query(
      "SELECT 1 FROM postern.records WHERE convert_from(value, 'UTF8') LIKE '%auth/token/root%'",
    );
    expect(accessors).toHaveLength(1);
    for (const { server } of [a, b]) {
      const said = decodeURIComponent((server.stderr() + server.stdout()).replaceAll('%', '%25'));
      expect(said).not.toContain(PASSWORD);
      expect(said).not.toContain(encodeURIComponent(PASSWORD));
    }
  });

  it('give one token among 200 concurrent first logins of one instance', async () => {
    const { a, b, rootToken, site } = nodes;
    expect(await writeRole(a, rootToken)).toBe(204);
    const { pkcs7, instanceId } = site.newDocument();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => login(n % 2 === 0 ? a : b, pkcs7)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const [won] = answers.filter(({ status }) => status === 200);
    expect([await lookUp(a, won?.token ?? ''), await lookUp(b, won?.token ?? '')]).toEqual([200, 200]);
    expect((await ask(b, rootToken, `auth/cloud/identity-accesslist/${instanceId}`)).status).toBe(200);
  });

  it('look up, renew and revoke each other’s tokens at once', async () => {
    const { a, b, site } = nodes;
    for (let turn = 0; turn < 5; turn += 1) {
      const { status, token } = await login(a, site.newDocument().pkcs7);
      expect(status).toBe(200);
      expect(await lookUp(b, token)).toBe(200);
      expect((await ask(b, token, 'auth/token/renew-self', { increment: '30m' })).status).toBe(200);
      expect((await ask(a, token, 'auth/token/lookup-self')).status).toBe(200);
      expect((await ask(b, token, 'auth/token/revoke-self', {})).status).toBe(204);
      expect(await lookUp(a, token)).toBe(403);
    }
  });

  it('hold each other’s roles, settings and certificates against the next login', async () => {
    const { a, b, rootToken, site } = nodes;
    // Of a region that neither node was started with.
    const region = 'eu-south-9';
    const stranger = createFakeCloud({ clock: { now: () => Date.now() } });
    const launch = () =>
      stranger.launchInstance({ imageId: IMAGE_ID, region }).identityDocument().rsa2048.replaceAll('\n', '');
    for (let turn = 0; turn < 4; turn += 1) {
      expect(await writeRole(a, rootToken, 'ami-0ffffffffffffffff')).toBe(204);
      expect((await login(b, site.newDocument().pkcs7)).status).toBe(400);
      expect(await writeRole(b, rootToken)).toBe(204);
      expect((await login(a, site.newDocument().pkcs7)).status).toBe(200);

      expect((await login(b, launch())).status).toBe(400);
      const pem = stranger.certificates(region).pkcs7Rsa2048;
      const certificate = { type: 'pkcs7', cloud_public_cert: Buffer.from(pem).toString('base64') };
      expect((await ask(a, rootToken, 'auth/cloud/config/certificate/stranger', certificate)).status).toBe(204);
      expect((await login(b, launch())).status).toBe(200);
      expect(await remove(b, rootToken, 'auth/cloud/config/certificate/stranger')).toBe(204);
      expect((await login(a, launch())).status).toBe(400);

      expect((await ask(a, rootToken, 'auth/cloud/config/client', { max_retries: turn })).status).toBe(204);
      expect((await ask(b, rootToken, 'auth/cloud/config/client')).data).toMatchObject({ max_retries: turn });
    }
  });

  it('tidy one at a time', async () => {
    const { a, b, rootToken } = nodes;
    await cluster.query(`
      CREATE TABLE public.runs (place bigserial, value text);
      CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.runs (value) VALUES (convert_from(NEW.value, 'UTF8')); RETURN NEW; END $$;
      CREATE TRIGGER note BEFORE INSERT OR UPDATE ON postern.records FOR EACH ROW
        WHEN (position('tidy-runs/identity-accesslist' IN convert_from(NEW.key, 'UTF8')) > 0) EXECUTE FUNCTION public.note()`);
    for (let turn = 0; turn < 5; turn += 1) {
      const asked = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? a : b));
      const path = 'auth/cloud/tidy/identity-accesslist';
      const answers = await Promise.all(asked.map((node) => ask(node, rootToken, path, { safety_buffer: '1h' })));
      expect(answers.every(({ status }) => status < 300)).toBe(true);
      expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(0);
    }
    const status = async () => (await ask(a, rootToken, 'auth/cloud/tidy/status')).data['identity-accesslist'];
    await expect.poll(status).toMatchObject({ running: false });
    const notes = await cluster.query('SELECT value FROM public.runs ORDER BY place');
    const runs = notes.map(({ value }): { runId: string; running: boolean } => JSON.parse(String(value)));
    expect(new Set(runs.map(({ runId }) => runId)).size).toBeGreaterThan(1);
    for (const [at, run] of runs.entries()) {
      const next = runs[at + 1];
      if (next !== undefined && next.runId !== run.runId) expect(run.running).toBe(false);
    }
    await cluster.query('DROP TRIGGER note ON postern.records');
  });

  it('show each other’s modules at once, and let one version be published once', async () => {
    const { a, b, rootToken } = nodes;
    const archiveOf = (name: string) => Uint8Array.from(createModuleArchive({ 'main.tf': `variable "${name}" {}\n` }));
    const archives = new Map([a, b].map((node, at) => [node, archiveOf(`x${at}`)]));
    const authorization = `Bearer ${rootToken}`;
    const managed = ({ server }: Node) =>
      `${server.url}/api/v2/organizations/acme/registry-modules/private/acme/net/aws/1.0.0`;
    const publish = async (node: Node) => {
      const headers = { authorization, 'content-type': 'application/gzip' };
      const response = await fetch(managed(node), { method: 'PUT', headers, body: archives.get(node) ?? null });
      await response.arrayBuffer();
      return response.status;
    };
    const published = await Promise.all([publish(a), publish(b)]);
    expect([...published].sort()).toEqual([201, 409]);
    const deprecation = { 'deprecated-status': 'Deprecated', reason: 'old' };
    const changed = await fetch(managed(a), {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'module-versions', attributes: { deprecation } } }),
    });
    expect(changed.status).toBe(200);
    const at = `${b.server.url}/api/registry/v1/modules/acme/net/aws`;
    const list = await fetch(`${at}/versions`, { headers: { authorization } });
    expect(await list.text()).toContain('"reason":"old"');
    const download = await fetch(`${at}/1.0.0/download`, { headers: { authorization } });
    const { location } = (await download.json()) as { location: string };
    const bytes = await fetch(
      new URL(
        location.replace(b.server.url, a.server.url),
        `${a.server.url}/api/registry/v1/modules/acme/net/aws/1.0.0/download`,
      ),
    );
    const unpacked = gunzipSync(await bytes.arrayBuffer()).toString('latin1');
    expect(unpacked).toContain(`variable "x${published[0] === 201 ? 0 : 1}" {}`);
  });

  it('another root token is made while they run', async () => {
    const made = startPostern(['root-token', '--config', nodes.a.configFile]);
    expect(await made.ended).toBe(0);
    expect(await lookUp(nodes.b, made.stdout().trim())).toBe(200);
  });

  it('lose nothing acknowledged when one is killed under load, and the other goes on', async () => {
    const { a, b, rootToken, site } = nodes;
    const documents = Array.from({ length: 240 }, () => site.newDocument());
    const acknowledged: { instanceId: string; token: string }[] = [];
    let refusedByB = 0;
    const client = async (node: Node) => {
      for (let next = documents.pop(); next !== undefined; next = documents.pop()) {
        const { status, token } = await login(node, next.pkcs7);
        if (status === 200) acknowledged.push({ instanceId: next.instanceId, token });
        if (node === b && status !== 200) refusedByB += 1;
        if (node === a && status === 0) return;
        if (acknowledged.length === 80) a.server.signal('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, n) => client(n % 2 === 0 ? a : b)));
    expect(await a.server.ended).toBeNull();
    expect(refusedByB).toBe(0);
    expect(acknowledged.length).toBeGreaterThan(150);
    const { data } = await ask(b, rootToken, 'auth/cloud/identity-accesslist?list=true');
    expect(data['keys']).toEqual(expect.arrayContaining(acknowledged.map(({ instanceId }) => instanceId)));
    for (const { token } of acknowledged) expect(await lookUp(b, token)).toBe(200);
    const again = await servePostern(a.configFile);
    expect(again.rootToken).toBeUndefined();
    expect(await lookUp({ server: again, configFile: a.configFile }, acknowledged[0]?.token ?? '')).toBe(200);
    again.signal('SIGTERM');
    expect(await again.ended).toBe(0);
    expect(readFileSync(join(site.folder, 'audit.log'), 'utf8')).not.toContain(encodeURIComponent(PASSWORD));
  });

  it('gets an error at the start where the database is not there, without the password', async () => {
    await cluster.stop('immediate');
    const config = JSON.parse(readFileSync(nodes.b.configFile, 'utf8'));
    const impatient = join(nodes.site.folder, 'impatient.json');
    config.storage.postgres.startWaitSeconds = 1;
    writeFileSync(impatient, JSON.stringify(config));
    const started = startPostern(['serve', '--config', impatient]);
    expect(await started.ended).toBe(1);
    expect(started.stderr()).toContain('the database does not answer; trying again');
    expect(started.stderr()).toContain('storage.postgres: cannot open the PostgreSQL database');
    expect(started.stderr()).not.toContain(encodeURIComponent(PASSWORD));
    expect((await login(nodes.b, nodes.site.newDocument().pkcs7)).status).toBe(503);
    await cluster.start();
    expect((await login(nodes.b, nodes.site.newDocument().pkcs7)).status).toBe(200);
  });
});
