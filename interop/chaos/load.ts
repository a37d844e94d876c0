/** What clients do while faults happen: each its own thing, one call after the other, until the run is over. */
import { createDice, IMAGE_ID } from '@postern/internal';
import type { FakePrincipal } from '@postern/testkit';
import type { Answer } from './call.js';
import type { Operation } from './history.js';
import { type Client, createClient, type Subject } from './recorder.js';
import { VERSIONS, versionPath, type World } from './world.js';

const MOUNT = 'v1/auth/cloud';
const READ = 'api/registry/v1/modules/acme/net/aws';

/** Instances at a time, and what happens to each: few enough that every order of the calls can be tried. */
const RIVALS = 6;
const CALLS_AN_INSTANCE = 30;
const NONCES = ['n0', 'n1', 'n2', 'n3'] as const;
const TOKENS_HELD = 300;
/** A register is left after so many calls of unknown outcome: each doubles the orders to try. */
const UNKNOWN_A_REGISTER = 4;
const TIDY_EVERY_MS = 4_000;

interface Held {
  readonly token: string;
  readonly instance: string | undefined;
}

interface Rival {
  readonly instance: string;
  readonly pkcs7: string;
  readonly role: 'web' | 'brief';
  calls: number;
}

export interface Load {
  readonly operations: readonly Operation[];
  /** Waits for the calls under way. */
  stop(): Promise<void>;
  /** Looks at everything once more, from a node each: what was acknowledged last must stand too. */
  lookAgain(): Promise<void>;
}

export function startLoad(world: World, seed: number): Load {
  const operations: Operation[] = [];
  const held: Held[] = [];
  const rivals: Rival[] = [];
  const seen: string[] = [];
  let running = true;

  function keep(held_: Held): void {
    held.push(held_);
    if (held.length > TOKENS_HELD) held.shift();
  }

  function newRival({ dice }: Client): Rival {
    const instance = world.cloud.launchInstance({ imageId: IMAGE_ID });
    const pkcs7 = instance.identityDocument().rsa2048.replaceAll('\n', '');
    const role = dice.roll(3) === 0 ? 'brief' : 'web';
    seen.push(instance.instanceId);
    return { instance: instance.instanceId, pkcs7, role, calls: 0 };
  }

  /** The same instance at different nodes, with unlike nonces, at once: only one may be admitted. */
  async function rival(client: Client): Promise<void> {
    const { dice } = client;
    while (rivals.length < RIVALS) rivals.push(newRival(client));
    const one = dice.pick(rivals);
    one.calls += 1;
    if (one.calls > CALLS_AN_INSTANCE) {
      rivals.splice(rivals.indexOf(one), 1);
      if (dice.roll(2) === 0) terminate(one.instance);
      return;
    }
    const what = dice.roll(12);
    if (what < 7) await login(client, one);
    else if (what < 11) await readEntry(client, one.instance);
    else await deleteEntry(client, one.instance);
  }

  async function login(client: Client, { instance, pkcs7, role }: Rival): Promise<void> {
    const nonce = client.dice.pick(NONCES);
    await sendLogin(client, { kind: 'login', instance, value: nonce }, { role, pkcs7, nonce });
  }

  async function sendLogin(client: Client, subject: Subject, body: object): Promise<void> {
    const answer = await client.ask(subject, { method: 'POST', path: `${MOUNT}/login`, body }, grantOf);
    const { token } = grantOf(answer);
    if (token !== undefined) keep({ token, instance: subject.instance });
  }

  async function readEntry(client: Client, instance: string): Promise<void> {
    const path = `${MOUNT}/identity-accesslist/${instance}`;
    await client.ask({ kind: 'read_entry', instance }, { method: 'GET', path, token: world.rootToken });
  }

  async function deleteEntry(client: Client, instance: string): Promise<void> {
    const path = `${MOUNT}/identity-accesslist/${instance}`;
    await client.ask({ kind: 'delete_entry', instance }, { method: 'DELETE', path, token: world.rootToken });
  }

  function terminate(instance: string): void {
    const now = performance.now();
    world.cloud.instance(instance)?.terminate();
    const nothing = { node: -1, start: now, end: now, outcome: 'done', status: 0 } as const;
    operations.push({ kind: 'terminate', instance, ...nothing });
  }

  async function useToken(client: Client): Promise<void> {
    const { dice } = client;
    const one = held.length === 0 ? undefined : dice.pick(held);
    if (one === undefined) return;
    const { token, instance } = one;
    const what = dice.roll(20);
    if (what < 14) {
      await client.ask({ kind: 'lookup', token }, { method: 'GET', path: 'v1/auth/token/lookup-self', token });
    } else if (what < 18) {
      const renew = { method: 'POST', path: 'v1/auth/token/renew-self', token, body: {} } as const;
      await client.ask({ kind: 'renew', token, instance }, renew, (answer) => ({
        ttlSeconds: grantOf(answer).ttlSeconds,
      }));
    } else {
      await client.ask(
        { kind: 'revoke', token },
        { method: 'POST', path: 'v1/auth/token/revoke-self', token, body: {} },
      );
    }
  }

  async function iamLogin(client: Client, principal: FakePrincipal, session: number): Promise<void> {
    const { sts } = world.cloud;
    const credentials = sts.assumeRole(principal, { sessionName: `session-${session}` });
    await sendLogin(client, { kind: 'login' }, { role: 'deploy', ...sts.signLogin({ credentials, method: 'POST' }) });
  }

  /** Writes a register alone, and others read it; what a write of unknown outcome did shows sooner or later. */
  function registerWork(name: (turn: number) => string, write: WriteRegister, read: ReadRegister) {
    let turn = 0;
    let unknown = 0;
    let writes = 0;
    return {
      async write(client: Client) {
        if (unknown >= UNKNOWN_A_REGISTER) {
          turn += 1;
          unknown = 0;
        }
        writes += 1;
        const { outcome } = await write(client, name(turn), `v${writes}`);
        if (outcome === 'unknown') unknown += 1;
      },
      read: (client: Client) => read(client, name(turn)),
    };
  }

  const roles = registerWork(
    (turn) => `flips-${turn}`,
    (client, name, value) =>
      client.ask(
        { kind: 'write', register: `role ${name}`, value },
        {
          method: 'POST',
          path: `${MOUNT}/role/${name}`,
          token: world.rootToken,
          body: { auth_type: 'ec2', bound_ami_id: [IMAGE_ID], token_policies: [value] },
        },
      ),
    (client, name) =>
      client.ask(
        { kind: 'read', register: `role ${name}` },
        { method: 'GET', path: `${MOUNT}/role/${name}`, token: world.rootToken },
        ({ json }) => ({ value: policiesOf(json)[0] ?? '' }),
      ),
  );

  const versions = registerWork(
    (turn) => VERSIONS[turn % VERSIONS.length] ?? VERSIONS[0],
    (client, version, reason) => {
      const back = client.dice.roll(4) === 0;
      const deprecation = back
        ? { 'deprecated-status': 'Undeprecated' }
        : { 'deprecated-status': 'Deprecated', reason };
      return client.ask(
        { kind: 'write', register: `version ${version}`, value: back ? '' : reason },
        {
          method: 'PATCH',
          path: versionPath(version),
          token: world.rootToken,
          body: { data: { type: 'module-versions', attributes: { deprecation } } },
        },
      );
    },
    (client, version) =>
      client.ask(
        { kind: 'read', register: `version ${version}` },
        { method: 'GET', path: `${READ}/${version}`, token: world.rootToken },
        ({ json }) => ({ value: reasonOf(json) }),
      ),
  );

  async function operate(client: Client): Promise<void> {
    const register = client.dice.pick([roles, versions]);
    if (client.dice.roll(3) === 0) await register.write(client);
    else await register.read(client);
  }

  async function look(client: Client): Promise<void> {
    await client.dice.pick([roles, versions]).read(client);
  }

  let tidiedAt = 0;
  async function tidy(client: Client): Promise<void> {
    if (performance.now() - tidiedAt < TIDY_EVERY_MS) return;
    tidiedAt = performance.now();
    const path = `${MOUNT}/tidy/${client.dice.pick(['identity-accesslist', 'roletag-denylist'])}`;
    const input = { method: 'POST', path, token: world.rootToken, body: { safety_buffer: '1s' } } as const;
    await client.ask({ kind: 'tidy' }, input);
  }

  const deploy = world.cloud.principal(`arn:aws:iam::${world.cloud.ownAccountId}:role/deploy`);
  if (deploy === undefined) throw new Error('the role of the iam logins is not there');
  let sessions = 0;
  const work: readonly ((client: Client) => Promise<void>)[] = [
    ...Array.from({ length: 4 }, () => rival),
    ...Array.from({ length: 3 }, () => useToken),
    (client) => {
      sessions += 1;
      return iamLogin(client, deploy, sessions);
    },
    operate,
    look,
    tidy,
  ];
  const loops = work.map(async (run, at) => {
    const client = createClient(world, operations, createDice(seed + at));
    while (running) {
      await run(client);
      await client.pause();
    }
  });

  return {
    operations,
    async stop() {
      running = false;
      await Promise.all(loops);
    },
    async lookAgain() {
      const client = createClient(world, operations, createDice(seed - 1));
      const lookup = { kind: 'lookup' as const };
      for (const { token } of held) {
        await client.ask({ ...lookup, token }, { method: 'GET', path: 'v1/auth/token/lookup-self', token });
      }
      for (const instance of seen) await readEntry(client, instance);
      for (const register of [roles, versions]) await register.read(client);
    },
  };
}

type WriteRegister = (client: Client, name: string, value: string) => Promise<Answer>;
type ReadRegister = (client: Client, name: string) => Promise<Answer>;

/** Of a login or a renewal that was done. */
function grantOf({ json, outcome }: Answer): { readonly token?: string; readonly ttlSeconds?: number } {
  if (outcome !== 'done') return {};
  // The shape of an answer that grants a token (LOGIN-1).
  const { client_token: token, lease_duration: ttlSeconds } = (json['auth'] ?? {}) as Record<string, unknown>;
  return typeof token === 'string' && typeof ttlSeconds === 'number' ? { token, ttlSeconds } : {};
}

function policiesOf({ data }: Answer['json']): readonly string[] {
  // The shape of a role that is read (ROLE-1).
  const { token_policies: policies } = (data ?? {}) as { readonly token_policies?: readonly string[] };
  return policies ?? [];
}

function reasonOf({ deprecation }: Answer['json']): string {
  // The shape of a deprecation in an answer (REG-6).
  return ((deprecation ?? {}) as { readonly reason?: string }).reason ?? '';
}
