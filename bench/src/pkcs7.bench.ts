/**
 * What a whole PKCS#7 verification costs beside the one RSA-2048 signature check that it can't do without (DOC-2):
 * base64, CMS reader, digest, look-up of the signer, signature, JSON. CPU time of the process, both sides in the same
 * run and in turns, so that a busy machine slows both. What else runs beside takes caches away, which the side that reads
 * more feels more: noise only ever adds to the ratio, so the best of up to three series counts.
 *
 * A few seconds in all, with `--quick` too. Exit code 1 when the ratio is over the limit.
 */
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { createTrustStore, trustRegistered, verifyPkcs7 } from '@postern/core-auth/verify';
import { createNodeCrypto } from '@postern/crypto-node';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { median, report } from './figures.js';

const LIMIT = 2;
const SERIES = 3;
const ROUNDS = 201;
/** A few milliseconds: short enough that both sides of a round meet the same machine. */
const CALLS = 100;
/** Calls until the compiler has settled; before, a round measures the compiler. */
const WARM_UP_CALLS = 20_000;
/** The signed attributes of a document: what its signature check hashes. */
const SIGNED_BYTES = 150;

const cloud = createFakeCloud({ clock: createManualClock(Date.UTC(2026, 1, 16)) });
const { rsa2048: pkcs7 } = cloud.launchInstance().identityDocument();
const certificate = trustRegistered('bench', 'pkcs7', cloud.certificates().pkcs7Rsa2048);
const trustStore = createTrustStore({ builtIn: [certificate], registered: [] });
const crypto = createNodeCrypto();

const bare = generateKeyPairSync('rsa', { modulusLength: 2048 });
const bareKey = createPublicKey(bare.privateKey);
const bareData = randomBytes(SIGNED_BYTES);
const bareSignature = sign('sha256', bareData, bare.privateKey);

async function wholeVerification(): Promise<boolean> {
  const document = await verifyPkcs7({ pkcs7, trustStore, verifier: crypto, digest: crypto });
  return document.proof.signatureAlgorithm === 'rsa-sha256';
}

function bareVerification(): boolean {
  return verify('sha256', bareData, bareKey, bareSignature);
}

/** CPU microseconds of one call, user and system. */
async function measure(call: () => boolean | Promise<boolean>, calls = CALLS): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < calls; at += 1) if (!(await call())) throw new Error('a genuine signature was refused');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

await measure(wholeVerification, WARM_UP_CALLS);
await measure(bareVerification, WARM_UP_CALLS);
let best: readonly number[] = [Number.POSITIVE_INFINITY];
for (let series = 0; series < SERIES && median(best) > LIMIT; series += 1) {
  const ratios = await measureSeries();
  if (median(ratios) < median(best)) best = ratios;
}
report({ name: 'pkcs7 verification / bare RSA-2048 verification', ratios: best, better: 'lower', limit: LIMIT });

/** @returns the ratio of each round */
async function measureSeries(): Promise<readonly number[]> {
  const rounds: { readonly whole: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each side goes first in every other round: what the first leaves to collect is paid by both.
    const bareFirst = round % 2 === 0 ? await measure(bareVerification) : undefined;
    const whole = await measure(wholeVerification);
    rounds.push({ whole, bare: bareFirst ?? (await measure(bareVerification)) });
  }
  console.log(`bare RSA-2048 verify: ${median(rounds.map((round) => round.bare)).toFixed(1)} µs CPU`);
  console.log(`pkcs7 verification: ${median(rounds.map((round) => round.whole)).toFixed(1)} µs CPU`);
  return rounds.map((round) => round.whole / round.bare);
}
