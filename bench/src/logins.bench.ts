/**
 * What durable `ec2` logins over HTTP cost the server, in CPU, against the bare ceiling in the same run and in turns; what
 * refusals cost against a login; and the server's memory. The load comes from this process, the servers are others.
 *
 * `--quick`: fewer logins. Exit code 1 when an answer is not the one that is expected.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakeCloud } from '@postern/testkit';
import { report } from './figures.js';
import { ceilingBodies } from './logins/ceiling-bodies.js';
import { type CeilingInput, runCeiling } from './logins/ceiling-part.js';
import { startChild } from './logins/child-report.js';
import { withForgedSignature } from './logins/forged.js';
import { measure, measureInTurns, ratiosOf, reportAgainstCeiling, type Side } from './logins/in-turns.js';
import { type PosternInput, ROLE, runPostern, TAGGED_ROLE } from './logins/postern-part.js';

const IMAGE_ID = 'ami-0123456789abcdef0';
const CONNECTIONS = 64;
const PATH = '/v1/auth/cloud/login';

type Cloud = ReturnType<typeof createFakeCloud>;

function launch(cloud: Cloud) {
  return cloud.launchInstance({ imageId: IMAGE_ID }).identityDocument();
}

function pkcs7Of(cloud: Cloud): string {
  return launch(cloud).rsa2048.replaceAll('\n', '');
}

/** What a login may cost, as a multiple of the ceiling. */
const TARGETS = { 'first login': 2.5, 'repeated login': 2.3, 'document and signature': 2.5, 'tagged login': 2.8 };

const each = (make: () => string) => (count: number) => Array.from({ length: count }, make);
const entriesOf = <K extends string, V>(object: Record<K, V>) => Object.entries(object) as [K, V][];
const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;

async function main(isQuick: boolean): Promise<void> {
  const turns = { rounds: isQuick ? 3 : 5, perRound: isQuick ? 600 : 2000, connections: CONNECTIONS };
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const script = fileURLToPath(import.meta.url);
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const first = () => JSON.stringify({ role: ROLE, pkcs7: pkcs7Of(cloud) });
  const bare = ceilingBodies(first().length);
  const input: PosternInput = { folder, imageId: IMAGE_ID, certificates: cloud.defaultCertificates() };
  const ceilingInput: CeilingInput = { folder, publicKey: bare.publicKey };
  const postern = await startChild(script, 'postern', input);
  const ceiling = { child: await startChild(script, 'ceiling', ceilingInput), path: '/', take: bare.take };
  const login = (take: Side['take']): Side => ({ child: postern, path: PATH, take });
  const known = Array.from({ length: turns.perRound }, () =>
    JSON.stringify({ role: ROLE, pkcs7: pkcs7Of(cloud), nonce: 'of the bench' }),
  );
  const logins: Readonly<Record<keyof typeof TARGETS, Side['take']>> = {
    'first login': each(first),
    // The warm-up makes them known.
    'repeated login': () => known,
    'document and signature': each(() => {
      const { document, signature } = launch(cloud);
      const identity = Buffer.from(document).toString('base64');
      return JSON.stringify({ role: ROLE, identity, signature: signature.replaceAll('\n', '') });
    }),
    'tagged login': each(() => JSON.stringify({ role: TAGGED_ROLE, pkcs7: pkcs7Of(cloud) })),
  };
  try {
    console.log(`ceiling: node:http, JSON, RSA-2048, one row; ${turns.rounds} rounds of ${turns.perRound}`);
    const idleBytes = await postern.rssBytes();
    for (const [name, target] of entriesOf(TARGETS)) {
      const [ours = [], least = []] = await measureInTurns([login(logins[name]), ceiling], turns);
      reportAgainstCeiling(name, ours, least, target);
    }
    const forged = {
      ...login(each(() => JSON.stringify({ role: ROLE, pkcs7: withForgedSignature(pkcs7Of(cloud)) }))),
      answers: 'refused' as const,
    };
    const repeatedMember = each(() => `{"role":"${ROLE}",${first().slice(1)}`);
    const refused = { ...login(repeatedMember), answers: 'refused' as const };
    // What HTTP itself costs: a body as long, whose signature is not even tried.
    const notTried = each(() => JSON.stringify({ data: first(), signature: '' }));
    const bareRefusal = { ...ceiling, take: notTried, answers: 'refused' as const };
    const [good = [], forgeries = [], refusals = [], bareRefusals = []] = await measureInTurns(
      [login(each(first)), forged, refused, bareRefusal],
      turns,
    );
    report({ name: 'forged document / first login', ratios: ratiosOf(forgeries, good), better: 'lower', target: 0.6 });
    report({ name: 'refused body / first login', ratios: ratiosOf(refusals, good), better: 'lower', target: 0.1 });
    report({
      name: 'refused body / bare refusal over HTTP',
      ratios: ratiosOf(refusals, bareRefusals),
      better: 'lower',
    });
    if (!isQuick) await measure(login(each(first)), 20_000, CONNECTIONS);
    console.log(`RSS idle ${mebibytes(idleBytes)}, at the end ${mebibytes(await postern.rssBytes())}`);
  } finally {
    await postern.stop();
    await ceiling.child.stop();
    rmSync(folder, { recursive: true });
  }
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runPostern(JSON.parse(json) as PosternInput);
else if (part === 'ceiling') await runCeiling(JSON.parse(json) as CeilingInput);
else await main(process.argv.includes('--quick'));
