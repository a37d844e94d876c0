/** Brings a world into the state a case is given: roles, identity configuration, access-list entries; then its request. */
import type { BlackBoxCase } from './case-file.js';
import { ACCOUNT, type CaseWorld, expectOk, REGION } from './case-world.js';

interface GivenEntry {
  readonly client_nonce?: string;
  readonly pending_time?: string;
  readonly disallow_reauthentication?: boolean;
  readonly role?: string;
}

/** Entries come first, made by real logins through roles that are then replaced by those of the case. */
export async function prepareCase(world: CaseWorld, given: BlackBoxCase['given'], request: BlackBoxCase['request']) {
  for (const [instanceId, entry] of Object.entries((given['accesslist'] ?? {}) as Record<string, GivenEntry>)) {
    await rememberInstance(world, instanceId, entry, request);
  }
  if (given['client'] !== undefined) await expectOk(world.send('POST', 'config/client', given['client']));
  for (const [accountId, role] of Object.entries((given['sts'] ?? {}) as Record<string, string>)) {
    await expectOk(world.send('POST', `config/sts/${accountId}`, { sts_role: role }));
  }
  if (given['identity'] !== undefined) await expectOk(world.send('POST', 'config/identity', given['identity']));
  for (const [name, fields] of Object.entries((given['roles'] ?? {}) as Record<string, object>)) {
    await expectOk(world.send('POST', `role/${name}`, fields));
  }
  const role = given['role'];
  if (role !== undefined) {
    await expectOk(world.send('POST', 'role/r', { auth_type: 'ec2', bound_ami_id: 'ami-1', ...(role as object) }));
  }
}

async function rememberInstance(
  world: CaseWorld,
  instanceId: string,
  entry: GivenEntry,
  request: BlackBoxCase['request'],
): Promise<void> {
  const role = entry.role ?? 'r';
  world.launch(instanceId);
  await expectOk(world.send('POST', `role/${role}`, { auth_type: 'ec2', bound_ami_id: 'ami-1' }));
  const document = {
    imageId: 'ami-1',
    accountId: ACCOUNT,
    region: REGION,
    ...(request.document ?? {}),
    instanceId,
    pendingTime: entry.pending_time ?? '2020-01-01T00:00:00Z',
  };
  const nonce = entry.disallow_reauthentication === true ? '' : (entry.client_nonce ?? 'N');
  await expectOk(world.send('POST', 'login', { ...world.signed(document), role, nonce }));
}

/** What the placeholders of certificate cases stand for, made from a real certificate. */
const CERTIFICATES: Readonly<Record<string, (pem: string) => string>> = {
  '<base64 of one PEM cert, line-wrapped>': (pem) =>
    Buffer.from(pem)
      .toString('base64')
      .replace(/(.{76})/g, '$1\n'),
  '<two PEM blocks>': (pem) => pem + pem,
  '<PEM + one blank line>': (pem) => `${pem}\n`,
  '<PEM without final newline>': (pem) => pem.trimEnd(),
};

/** The body with the case's `<…>` placeholders made real. */
export function bodyOf(world: CaseWorld, request: BlackBoxCase['request']): Record<string, unknown> {
  const body: Record<string, unknown> = { ...request.body };
  const certificate = CERTIFICATES[String(body['cloud_public_cert'])];
  if (certificate !== undefined) body['cloud_public_cert'] = certificate(world.certificatePem);
  if (request.document === undefined) return body;
  const pair = world.signed(request.document);
  if (body['identity'] === '<doc changed after signing>') {
    body['identity'] = world.signed({ ...request.document, imageId: 'ami-2' }).identity;
  } else if (typeof body['identity'] === 'string' && body['identity'].startsWith('<doc')) {
    body['identity'] = pair.identity;
  }
  if (body['signature'] === '<valid>') body['signature'] = pair.signature;
  return body;
}
