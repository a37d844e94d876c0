/** V6: the token reaches the origin that it was given for, and no other, over real connections. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, HOST } from '../../test/fake-registry.js';
import { checkModules } from '../index.js';

const TOKEN = 'secret-token-of-acme';
const DISCOVERY = '/.well-known/terraform.json';
const VERSIONS = '/m/acme/network/aws/versions';
const LISTED = { modules: [{ versions: [{ version: '1.0.0', deprecation: {} }] }] };

interface Answer {
  readonly status: number;
  readonly location?: string;
  readonly body?: unknown;
}

interface Origin {
  readonly url: string;
  readonly answers: Map<string, Answer>;
  /** `path: authorization` of each request. */
  readonly seen: string[];
  readonly server: Server;
}

let own: Origin;
let other: Origin;

async function startOrigin(): Promise<Origin> {
  const answers = new Map<string, Answer>();
  const seen: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    seen.push(`${url}: ${headers.authorization ?? 'none'}`);
    const { status, location, body } = answers.get(url) ?? { status: 404 };
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port, so an address of that kind.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers, seen, server };
}

beforeEach(async () => {
  [own, other] = [await startOrigin(), await startOrigin()];
  own.answers.set(DISCOVERY, { status: 200, body: { 'modules.v1': '/m/' } });
  for (const { answers } of [own, other]) answers.set(VERSIONS, { status: 200, body: LISTED });
});

afterEach(async () => {
  for (const { server } of [own, other]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const check = (tokens: () => string | undefined = () => TOKEN) =>
  checkModules({
    installed: [call('1.0.0')],
    fetch,
    tokens,
    clock: { now: () => 0 },
    locations: new Map([[HOST, { discoveryUrl: `${own.url}${DISCOVERY}` }]]),
  });

function expectHidden(): void {
  expect(other.seen.filter((line) => !line.endsWith(': none'))).toEqual([]);
}

describe('V6: the token stays with its origin', () => {
  it.each([
    [
      'an absolute address',
      () => own.answers.set(DISCOVERY, { status: 200, body: { 'modules.v1': `${other.url}/m/` } }),
    ],
    [
      'an address without a scheme',
      () => own.answers.set(DISCOVERY, { status: 200, body: { 'modules.v1': `//${other.url.slice(7)}/m/` } }),
    ],
    [
      'a redirect of the discovery document',
      () => {
        own.answers.set(DISCOVERY, { status: 302, location: `${other.url}${DISCOVERY}` });
        other.answers.set(DISCOVERY, { status: 200, body: { 'modules.v1': '/m/' } });
      },
    ],
  ])('where %s leads elsewhere, and the problem names both origins', async (_name, mislead) => {
    mislead();
    const { versions, unknown } = await check();
    expect(versions).toEqual([]);
    expect(unknown).toMatchObject([{ problem: { code: 'token_origin' } }]);
    expect(unknown[0]?.problem.message).toContain(`at ${other.url}, and the token is for ${own.url} alone`);
    expect(JSON.stringify(unknown)).not.toContain(TOKEN);
    expectHidden();
    expect(other.seen).not.toContain(`${VERSIONS}: none`);
  });

  it('where a list is redirected, which is then read without it', async () => {
    own.answers.set(VERSIONS, { status: 307, location: `${other.url}${VERSIONS}` });
    expect((await check()).versions).toMatchObject([{ state: 'deprecated' }]);
    expect(other.seen).toEqual([`${VERSIONS}: none`]);
  });

  it('where a redirected list asks for it', async () => {
    own.answers.set(VERSIONS, { status: 307, location: `${other.url}${VERSIONS}` });
    other.answers.set(VERSIONS, { status: 401 });
    const { unknown } = await check();
    expect(unknown).toMatchObject([{ problem: { code: 'token_origin' } }]);
    expect(unknown[0]?.problem.message).toContain(other.url);
    expectHidden();
  });

  it('where a redirected list leads back', async () => {
    own.answers.set(VERSIONS, { status: 302, location: `${other.url}/back` });
    other.answers.set('/back', { status: 302, location: `${own.url}/list` });
    own.answers.set('/list', { status: 200, body: LISTED });
    expect((await check()).versions).toMatchObject([{ state: 'deprecated' }]);
    expect(own.seen.at(-1)).toBe('/list: none');
    expectHidden();
  });

  it('where the question about all versions is redirected', async () => {
    own.answers.set('/m/statuses', { status: 307, location: `${other.url}/m/statuses` });
    expect((await check()).versions).toMatchObject([{ state: 'deprecated' }]);
    expect(other.seen).toEqual([]);
  });
});

it('reads modules at another origin where there is no token', async () => {
  own.answers.set(DISCOVERY, { status: 200, body: { 'modules.v1': `${other.url}/m/` } });
  expect((await check(() => undefined)).versions).toMatchObject([{ state: 'deprecated' }]);
});
