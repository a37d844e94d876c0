/**
 * What Terraform's official provider for Vault sends for client, identity, certificates, STS, tidy, roles, tags, policies and tokens, as
 * recorded beside another server of this protocol: the same status, and every member that it reads has the same value.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sharedFolder } from '@postern/internal';
import { createServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { expect, it } from 'vitest';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: string;
  readonly status: number;
  readonly answer: string;
}

const shared = sharedFolder();
const file = shared === undefined ? '' : join(shared, 'data', 'terraform-provider-vault.jsonl');

/** Another in each run or server, or of no resource of the provider. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  ...[
    'accessor',
    'client_token',
    'id',
    'creation_time',
    'expire_time',
    'issue_time',
    'creation_ttl',
    'ttl',
    'lease_duration',
  ],
  ...['tag_value', 'aws_public_cert', 'modified', 'version', 'cas_required', 'role_id', 'token_strictly_bind_ip'],
]);

/** An absent list or map and an empty one are one to Terraform. */
const isAbsent = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

function readMembers(answer: unknown): Record<string, unknown> {
  const { data, auth } = Object(answer) as { data?: object | null; auth?: object | null };
  return Object.fromEntries(
    Object.entries({ ...data, ...auth }).filter(([name, value]) => !NOT_COMPARED.has(name) && !isAbsent(value)),
  );
}

it.skipIf(!existsSync(file))('every recorded request is answered as the provider expects', async () => {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    profile: 'vault',
    provider: { ...cloud, builtInCertificates: cloud.defaultCertificates() },
  });
  const root = await server.method.createRootToken();
  const certificate = Buffer.from(cloud.certificates().pkcs7Rsa2048).toString('base64');
  let accessor = '';
  const differing: string[] = [];
  try {
    for (const [at, line] of lines.entries()) {
      const recorded = JSON.parse(line) as Recorded;
      const { method, path, headers, status } = recorded;
      const body = recorded.request.replace('<accessor>', accessor).replace('<PEM>', certificate);
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...headers, 'x-vault-token': root },
        ...(body === '' ? {} : { body }),
      });
      const text = await response.text();
      const where = `${at + 1}: ${method} ${path}`;
      expect([where, response.status, text === ''], text).toEqual([where, status, recorded.answer === '']);
      if (text === '') continue;
      const answer: unknown = JSON.parse(text);
      if (status >= 300) expect(answer).toMatchObject(JSON.parse(recorded.answer));
      const wanted = readMembers(JSON.parse(recorded.answer));
      const given = readMembers(answer);
      for (const [name, value] of Object.entries(wanted)) {
        if (!isDeepStrictEqual(given[name], value))
          differing.push(`${where}: ${name} is ${JSON.stringify(given[name])}, not ${JSON.stringify(value)}`);
      }
      const { auth } = Object(answer) as { auth?: { accessor?: string } | null };
      accessor = auth?.accessor ?? accessor;
    }
    expect(differing).toEqual([]);
    expect(lines.length).toBeGreaterThan(30);
  } finally {
    await server.close(200);
  }
});
