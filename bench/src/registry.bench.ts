/**
 * What every `init` asks for, the versions of a module that has 1,000, and durable deprecations: per CPU second of the
 * server, against bare ceilings in the same run and in turns. The load comes from this process, the servers are others.
 *
 * `--quick`: fewer requests. Exit code 1 when a request is refused.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, report } from './figures.js';
import { type ServerChild, startChild } from './logins/child-report.js';

import { type CeilingInput, runCeiling } from './registry/ceiling-part.js';
import { requestText, sendRequests } from './registry/load.js';
import { type PosternInput, runPostern } from './registry/postern-part.js';

const TOKEN = 'token-of-the-bench';
const CONNECTIONS = 32;
const VERSIONS = Array.from({ length: 1000 }, (_, at) => `${Math.floor(at / 100)}.${at % 100}.0`);
const LIST_PATH = '/api/registry/v1/modules/acme/network/aws/versions';
const PATCH_PATH = '/api/v2/organizations/acme/registry-modules/private/acme/network/aws';

const listRequest = requestText('GET', LIST_PATH, TOKEN);

let notices = 0;
/** Each says something new, so that each is written. */
function deprecateRequest(): string {
  notices += 1;
  const version = VERSIONS[notices % VERSIONS.length];
  const deprecation = {
    'deprecated-status': 'Deprecated',
    reason: `Security groups were open by default. Notice ${notices}.`,
    link: 'https://wiki.acme.example/network-1.x',
  };
  const body = JSON.stringify({ data: { type: 'module-versions', attributes: { deprecation } } });
  return requestText('PATCH', `${PATCH_PATH}/${version}`, TOKEN, body);
}

/** Requests per CPU second. @throws Error when one is refused: a figure with refusals in it means nothing. */
async function rateOf(child: ServerChild, requests: readonly string[]): Promise<number> {
  const before = await child.cpuMicros();
  const { answered, refused } = await sendRequests(child.port, requests, CONNECTIONS);
  const after = await child.cpuMicros();
  if (refused > 0) throw new Error(`${refused} of ${answered} requests were refused`);
  return answered / ((after - before) / 1e6);
}

async function compare(
  name: string,
  ceilingName: string,
  sides: { readonly postern: ServerChild; readonly ceiling: ServerChild },
  request: () => string,
  { rounds, perRound }: { readonly rounds: number; readonly perRound: number },
): Promise<void> {
  const batch = () => Array.from({ length: perRound }, request);
  await rateOf(sides.postern, batch());
  await rateOf(sides.ceiling, batch());
  const pairs: { readonly postern: number; readonly ceiling: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ceilingFirst = round % 2 === 0 ? await rateOf(sides.ceiling, batch()) : undefined;
    const postern = await rateOf(sides.postern, batch());
    pairs.push({ postern, ceiling: ceilingFirst ?? (await rateOf(sides.ceiling, batch())) });
  }
  console.log(`${name} per CPU second: ${median(pairs.map(({ postern }) => postern)).toFixed(0)}`);
  console.log(`bare ceiling (${ceilingName}): ${median(pairs.map(({ ceiling }) => ceiling)).toFixed(0)}`);
  const ratios = pairs.map(({ postern, ceiling }) => ceiling / postern);
  report({ name: `${name} / ceiling`, ratios, better: 'lower' });
}

async function main(isQuick: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const script = fileURLToPath(import.meta.url);
  const input: PosternInput = { folder, token: TOKEN, versions: VERSIONS };
  const postern = await startChild(script, 'postern', input);
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/vnd.api+json' };
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${postern.port}${path}`, { headers, ...init });
    return response.text();
  };
  const [, body = ''] = deprecateRequest().split('\r\n\r\n');
  const written = await ask(`${PATCH_PATH}/1.0.0`, { method: 'PATCH', body });
  const list = await ask(LIST_PATH);
  const listFile = join(folder, 'list.json');
  writeFileSync(listFile, list);
  const ceilingInput: CeilingInput = { folder, listFile, written };
  const ceiling = await startChild(script, 'ceiling', ceilingInput);
  try {
    const sides = { postern, ceiling };
    const rounds = isQuick ? 3 : 7;
    console.log(`a list of ${VERSIONS.length} versions is ${(list.length / 1024).toFixed(0)} KiB`);
    const lists = { rounds, perRound: isQuick ? 1500 : 3000 };
    await compare('lists of versions', 'node:http, the same bytes', sides, () => listRequest, lists);
    const writes = { rounds, perRound: isQuick ? 500 : 2000 };
    await compare('durable deprecations', 'node:http, JSON, one row', sides, deprecateRequest, writes);
  } finally {
    await postern.stop();
    await ceiling.stop();
    rmSync(folder, { recursive: true });
  }
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runPostern(JSON.parse(json) as PosternInput);
else if (part === 'ceiling') await runCeiling(JSON.parse(json) as CeilingInput);
else await main(process.argv.includes('--quick'));
