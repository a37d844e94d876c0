/**
 * A token with ten uses is used ten times, however many try at once, over real connections and on both storages
 * (TOKEN-4).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from './create-server.js';

const USES = 10;
const TRIES = 100;
const IMAGE = 'ami-1';

const STORAGES: readonly (readonly [name: string, open: () => Promise<Storage>])[] = [
  ['memory', async () => createMemoryStorage()],
  [
    'SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'postern-uses-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return openSqliteStorage({ file: join(folder, 'postern.db') });
    },
  ],
];

async function serve(storage: Storage) {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const server = await createServer({
    storage,
    audit: { record: () => undefined },
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
  });
  // Registered after the folder's removal, so done before it.
  onTestFinished(async () => {
    await server.close(500);
    await storage.close();
  });
  const root = await server.method.createRootToken();
  const send = (verb: string, path: string, token: string, body?: object) =>
    fetch(`${server.url}/v1/${path}`, {
      method: verb,
      headers: { 'x-service-token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const role = { auth_type: 'ec2', bound_ami_id: IMAGE, token_num_uses: USES };
  expect((await send('POST', 'auth/cloud/role/few', root, role)).status).toBe(204);
  const pkcs7 = cloud.launchInstance({ imageId: IMAGE }).identityDocument().rsa2048.replaceAll('\n', '');
  const login = await send('POST', 'auth/cloud/login', '', { role: 'few', pkcs7 });
  // Its shape is what the test of the endpoint table is about.
  const { auth } = (await login.json()) as { auth: { client_token: string; num_uses: number } };
  expect(auth.num_uses).toBe(USES);
  return { send, token: auth.client_token };
}

const count = <T>(all: readonly T[]) =>
  Object.fromEntries([...new Set(all)].sort().map((one) => [String(one), all.filter((each) => each === one).length]));

describe.each(STORAGES)('on %s', (_name, open) => {
  it(`of ${TRIES} uses at once exactly ${USES} pass, and the others are rejected`, async () => {
    const { send, token } = await serve(await open());
    const answers = await Promise.all(
      Array.from({ length: TRIES }, async () => {
        const answer = await send('GET', 'auth/token/lookup-self', token);
        const body = (await answer.json()) as { data?: { num_uses: number } };
        return { status: answer.status, left: body.data?.num_uses };
      }),
    );
    expect(count(answers.map(({ status }) => status))).toEqual({ 200: USES, 403: TRIES - USES });
    const left = answers.flatMap((answer) => (answer.left === undefined ? [] : [answer.left]));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: USES }, (_, index) => index));
    expect((await send('GET', 'auth/token/lookup-self', token)).status).toBe(403);
  });

  it('however it is used at once, never more than ten uses are let in, and then it is gone', async () => {
    const { send, token } = await serve(await open());
    const ways = [
      () => send('GET', 'auth/token/lookup-self', token),
      () => send('POST', 'auth/token/renew-self', token),
      () => send('GET', 'auth/cloud/role/few', token),
    ] as const;
    const answers = await Promise.all(
      Array.from({ length: TRIES }, async (_, index) => {
        const answer = await (ways[index % ways.length] ?? ways[0])();
        await answer.text();
        return answer.status;
      }),
    );
    // Management is refused to it, and that is a use as well.
    const passed = answers.filter((status) => status === 200).length;
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(USES);
    expect(answers.every((status) => status === 200 || status === 403)).toBe(true);
    expect((await send('GET', 'auth/token/lookup-self', token)).status).toBe(403);
  });
});
