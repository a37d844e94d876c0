/**
 * Secrets planted in every flow, sound and failing, appear nowhere but where they must be (TOKEN-1, AUDIT-3, ERROR-4,
 * THREAT-36):
 * not in refusals, log, audit file, standard output, errors, or whatever of ours somebody prints.
 */
import { inspect } from 'node:util';
import { isAuthError } from '@postern/core-auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CanaryWorld, createCanaryWorld, TROUBLES } from './canary-world.js';
import { type FlowAnswer, type FlowCall, runFlows } from './flows.js';
import { badRequests, sendOverHttp } from './over-http.js';
import { createSearch, plantBytes } from './planted.js';
import { capturePrinted, createSeen } from './seen.js';

const { look, leaks } = createSeen();
const codes = new Set<string>();
let world: CanaryWorld;

const DEEP = { depth: Number.POSITIVE_INFINITY, maxStringLength: null, maxArrayLength: null } as const;

/** All the ways in which an object gets into a log. */
function lookAtObject(where: string, value: unknown): void {
  // What is hidden is shown of errors only: of schemas it is endless.
  look(`${where}, inspected`, inspect(value, { ...DEEP, showHidden: value instanceof Error }));
  look(`${where}, as JSON`, JSON.stringify(value, withoutSchemas) ?? '');
  look(`${where}, as text`, String(value));
  if (value instanceof Error) look(`${where}, its stack`, String(value.stack));
}

/** Schemas are the same for everybody, and make new ones of themselves when they are walked. */
const SCHEMAS = new Set(['fields', 'output', 'auth']);

function withoutSchemas(name: string, value: unknown): unknown {
  return SCHEMAS.has(name) ? undefined : value;
}

async function inProcess({ operation, params = {}, fields = {}, token, tells }: FlowCall): Promise<FlowAnswer> {
  try {
    const call = { operation, params, fields, token, requestId: 'canary', peerAddress: '192.0.2.1' };
    const answer = await world.server.method.handle(call);
    look(`answer of ${operation}`, JSON.stringify(answer), tells);
    return answer;
  } catch (error) {
    lookAtObject(`error of ${operation}`, error);
    if (isAuthError(error)) codes.add(error.code);
    return {};
  }
}

beforeAll(async () => {
  const endCapture = capturePrinted();
  world = await createCanaryWorld();
  const overHttp = sendOverHttp(world, look);
  for (const trouble of TROUBLES) {
    world.trouble(trouble);
    const before = world.struck();
    await runFlows(world, overHttp, `h${TROUBLES.indexOf(trouble)}`);
    await runFlows(world, inProcess, `p${TROUBLES.indexOf(trouble)}`);
    if (trouble !== 'none') expect([trouble, world.struck() > before]).toEqual([trouble, true]);
  }
  world.trouble('none');
  await badRequests(world, look);
  lookAtObject('the server', world.server);
  lookAtObject('the method', world.server.method);
  for (const operation of world.server.method.operations) lookAtObject(`operation ${operation.id}`, operation);
  look('the audit file', world.auditText());
  look('the log', world.logLines.join(''));
  look('the standard output', endCapture());
  await plantKeysOfStorage();
}, 120_000);

afterAll(() => world.close());

/** What was made inside and never told. */
async function plantKeysOfStorage(): Promise<void> {
  for (const { key, record } of await dump()) {
    const value = JSON.parse(record) as { hmacKey?: string; key?: string; keys?: readonly { key: string }[] };
    if (value.hmacKey !== undefined) world.secret(`key of tags, ${key}`, value.hmacKey);
    const sealed = [value.key, ...(value.keys ?? []).map((one) => one.key)].filter((one) => one !== undefined);
    for (const [at, one] of sealed.entries()) {
      world.secret(`key ${at} of ${key}, as it is stored`, one);
      world.add(plantBytes(`key ${at} of ${key}`, Buffer.from(one, 'base64url')));
    }
  }
}

async function dump(): Promise<readonly { readonly key: string; readonly record: string }[]> {
  const { items } = await world.storage.list('', { limit: 1000, values: true });
  return items.map(({ key, record }) => ({ key, record: record?.value ?? '' }));
}

describe('after every flow in every trouble', () => {
  it('every class of failure was met, and every kind of secret planted', () => {
    expect([...codes]).toEqual(
      expect.arrayContaining([
        'evidence_unverified',
        'field_invalid',
        'internal',
        'login_fields_ambiguous',
        'nonce_mismatch',
        'nonce_too_long',
        'permission_denied',
        'provider_denied',
        'provider_unavailable',
        'role_tag_invalid',
        'storage_outcome_unknown',
        'storage_unavailable',
        'audit_unavailable',
      ]),
    );
    const names = [...world.secrets.keys()].join('\n');
    const kinds = [
      'token root',
      'token h0 ',
      'token p0 ',
      'nonce of the client',
      'nonce made',
      'proof',
      'signature of GET',
    ];
    for (const kind of [
      ...kinds,
      'signature of POST',
      'tag',
      'key of tags',
      'key of rotation',
      'batch-keys',
      'audit/',
    ]) {
      expect(names).toContain(kind);
    }
    expect(world.logLines.length).toBeGreaterThan(0);
    expect(world.auditText()).toContain('"outcome":"failed"');
  });

  it('no secret appears where it does not belong', () => {
    expect(leaks(world.secrets.values(), 'token root')).toEqual([]);
  });

  it('the storage holds each secret in its one place, and no token at all', async () => {
    /** Beginnings of names, and of the only keys under which such a secret may be. */
    const homes: readonly (readonly [secret: RegExp, home: RegExp])[] = [
      [/^key of (the provider|rotation)/, /^postern\/auth\/(config\/client|rotation)/],
      [/^key of tags/, /^postern\/auth\/roles\//],
      [/^key \d+ of postern\/auth\/batch-keys/, /^postern\/auth\/batch-keys\//],
      [/^key \d+ of postern\/auth\/audit/, /^postern\/auth\/audit\//],
      [/^nonce/, /^postern\/auth\/access-list\//],
      [/^tag/, /^postern\/auth\/deny-list\//],
    ];
    const found = createSearch(world.secrets.values());
    const strays = (await dump()).flatMap(({ key, record }) =>
      found(`${key} ${record}`)
        .filter((name) => !homes.some(([secret, home]) => secret.test(name) && home.test(key)))
        .map((name) => `${key}: ${name}`),
    );
    expect(strays).toEqual([]);
  });
});
