/**
 * Two other readers on mutants of documents signed by AWS (THREAT-1 to THREAT-7): whatever Postern accepts, OpenSSL
 * verifies with the same content and PKI.js reads to the same content.
 */
import { createTrustStore, isAuthError, parseCms, verifyPkcs7 } from '@postern/core-auth';
import { builtInCertificates } from '@postern/core-auth/verify';
import { createNodeCrypto } from '@postern/crypto-node';
import { childrenOf, createDice, type Dice, mutateBer, nodeAt, readBer } from '@postern/internal';
import { ContentInfo, SignedData } from 'pkijs';
import { afterAll, describe, expect, it } from 'vitest';
import { scaled } from '../scale.js';
import { openOpensslCms } from './openssl-cms.js';
import {
  inDer,
  withEmbeddedCertificates,
  withOtherParameters,
  withOtherSignatureName,
  withoutEmbedded,
} from './other-spellings.js';
import { realDocuments } from './real-documents.js';

const SEED = 20_261_121;
const MUTANTS = scaled(2000);
const CONTROLS = 100;
/** OpenSSL is started some seven hundred times. */
const PATIENCE_MS = 600_000;

const documents = realDocuments();
const certificates = builtInCertificates();
const trustStore = createTrustStore({ builtIn: certificates, registered: [], allowSha1Signatures: true });
const crypto = createNodeCrypto();
const openssl = openOpensslCms(certificates.filter(({ type }) => type === 'pkcs7').map(({ pem }) => pem));
afterAll(() => openssl.close());

/** The content that Postern verified, or the reason why it refuses. */
async function postern(bytes: Uint8Array): Promise<Uint8Array | string> {
  const pkcs7 = Buffer.from(bytes).toString('base64');
  try {
    await verifyPkcs7({ pkcs7, trustStore, verifier: crypto, digest: crypto });
    return parseCms(bytes).content;
  } catch (error) {
    if (!isAuthError(error) || error.code !== 'evidence_unverified') throw error;
    return error.reason ?? 'no reason';
  }
}

/** The content as PKI.js reads it, or undefined where it does not. */
async function pkijs(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const signedData = new SignedData({ schema: ContentInfo.fromBER(new Uint8Array(bytes)).content });
    return new Uint8Array(signedData.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0));
  } catch {
    return undefined;
  }
}

type Reader = (bytes: Uint8Array) => Promise<Uint8Array | undefined>;
let damagedEmbedded = 0;

/**
 * Postern steps over embedded certificates unread (DOC-5, THREAT-4), the others read into them. Where one of them
 * stumbles over a value that embeds something, it is asked again about the value as Postern sees it.
 */
function ignoringEmbedded(read: Reader): Reader {
  return async (bytes) => {
    const content = await read(bytes);
    if (content !== undefined || !hasEmbedded(bytes)) return content;
    damagedEmbedded += 1;
    return read(withoutEmbedded(bytes));
  };
}

function hasEmbedded(bytes: Uint8Array): boolean {
  const WITHOUT = 4;
  return childrenOf(nodeAt(readBer(bytes), 1, 0)).length > WITHOUT;
}

function derOf(pem: string): Uint8Array {
  return new Uint8Array(Buffer.from(pem.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64'));
}

function mutate(bytes: Uint8Array, dice: Dice): Uint8Array {
  const spelled = dice.roll(3) === 0 ? spellAnew(bytes, dice) : bytes;
  return dice.roll(10) === 0 ? spelled : mutateBer(spelled, dice);
}

function spellAnew(bytes: Uint8Array, dice: Dice): Uint8Array {
  switch (dice.roll(4)) {
    case 0:
      return inDer(bytes);
    case 1:
      return withOtherParameters(bytes, dice);
    case 2:
      return withOtherSignatureName(bytes);
    default:
      return withEmbeddedCertificates(bytes, [derOf(dice.pick(certificates).pem)]);
  }
}

describe.skipIf(documents.length === 0)('documents of AWS', () => {
  it.each(documents.map(({ name, bytes }) => [name, bytes] as const))(
    '%s is one value to all three',
    async (_name, bytes) => {
      const content = await postern(bytes);
      expect(await openssl.verify(bytes)).toEqual(content);
      expect(await pkijs(bytes)).toEqual(content);
    },
  );

  it.each(documents.map(({ name, bytes }) => [name, bytes] as const))(
    '%s passes with a certificate embedded',
    async (_name, bytes) => {
      const embedded = withEmbeddedCertificates(
        bytes,
        certificates.slice(0, 2).map(({ pem }) => derOf(pem)),
      );
      const content = await postern(embedded);
      expect(content).toEqual(parseCms(bytes).content);
      expect(await openssl.verify(embedded)).toEqual(content);
      expect(await pkijs(embedded)).toEqual(content);
    },
  );

  it(
    `${MUTANTS} mutants: what Postern accepts, OpenSSL verifies and PKI.js reads alike`,
    async () => {
      const dice = createDice(SEED);
      const others = [openssl.verify, pkijs].map(ignoringEmbedded);
      const refusals = new Map<string, number>();
      const refused: Uint8Array[] = [];
      let accepted = 0;
      let changed = 0;
      for (let made = 0; made < MUTANTS; made += 1) {
        const { bytes } = dice.pick(documents);
        const mutant = mutate(bytes, dice);
        const content = await postern(mutant);
        if (typeof content === 'string') {
          refusals.set(content, (refusals.get(content) ?? 0) + 1);
          refused.push(mutant);
          continue;
        }
        accepted += 1;
        if (!Buffer.from(mutant).equals(bytes)) changed += 1;
        expect(content).toEqual(parseCms(bytes).content);
        for (const read of others) expect(await read(mutant)).toEqual(content);
      }
      const controls = await opinions(refused, dice);
      console.log(
        `mutants of seed ${SEED}: ${MUTANTS} made, ${accepted} accepted by Postern (${changed} of them not the original), ` +
          `all by OpenSSL and PKI.js too (${damagedEmbedded} times after taking a damaged embedded certificate out); of ${CONTROLS} that Postern refuses OpenSSL refuses ${controls.refused}; ` +
          `${refusals.size} reasons of refusal`,
      );
      // The comparison could fail: many changed values are accepted, and OpenSSL does refuse damage.
      expect(changed).toBeGreaterThan(MUTANTS / 10);
      expect(controls.refused).toBeGreaterThan(CONTROLS / 3);
      expect(refusals.size).toBeGreaterThan(20);
    },
    PATIENCE_MS,
  );
});

/** What OpenSSL says of some values that Postern refuses: a reader that is never contradicted proves nothing. */
async function opinions(refused: readonly Uint8Array[], dice: Dice): Promise<{ readonly refused: number }> {
  let count = 0;
  for (let asked = 0; asked < CONTROLS; asked += 1) {
    if ((await openssl.verify(dice.pick(refused))) === undefined) count += 1;
  }
  return { refused: count };
}
