/**
 * Random and mutated inputs to the CMS reader, the document parser and both verifications (THREAT-39): no
 * error but the typed one, none slow, no mutant accepted that says something else. Set POSTERN_FUZZ_SEED to repeat a run.
 */
import {
  createTrustStore,
  isAuthError,
  parseCms,
  parseIdentityDocument,
  verifyIdentitySignature,
  verifyPkcs7,
} from '@postern/core-auth';
import { trustRegistered } from '@postern/core-auth/verify';
import { createNodeCrypto } from '@postern/crypto-node';
import { createDice, type Dice, mutateBer, mutateBytes } from '@postern/internal';
import { createFakeCloud, createManualClock, type Encoding } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { realDocuments } from '../identity-document/real-documents.js';
import { scaled } from '../scale.js';
import { createStopwatch } from './stopwatch.js';

const SEED = Number(process.env['POSTERN_FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const LIMIT_MS = 50;
const PATIENCE_MS = 600_000;

const cloud = createFakeCloud({ clock: createManualClock(Date.UTC(2026, 1, 16)), seed: 'fuzz' });
const instance = cloud.launchInstance();
const { document, documentBase64, signature } = instance.identityDocument();
const documentBytes = new TextEncoder().encode(document);
const signatureBytes = new Uint8Array(Buffer.from(signature, 'base64'));
const fields = parseIdentityDocument(documentBytes);
const { pkcs7Dsa, pkcs7Rsa2048, identityRsa } = cloud.certificates();
const trustStore = createTrustStore({
  builtIn: [
    trustRegistered('dsa', 'pkcs7', pkcs7Dsa),
    trustRegistered('rsa', 'pkcs7', pkcs7Rsa2048),
    trustRegistered('pair', 'identity', identityRsa),
  ],
  registered: [],
  allowSha1Signatures: true,
});
const verifier = createNodeCrypto();
const encodings: readonly Encoding[] = [1, 2, 3, 4, 5];
const made = encodings.map((encoding) => instance.pkcs7Der({ encoding }));
const originals = [...made, ...realDocuments().map(({ bytes }) => bytes)];

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Octets that open CMS and BER structures, so that random inputs get past the first one. */
const LIKELY = [0x30, 0x31, 0x80, 0x00, 0xa0, 0xa1, 0x24, 0x04, 0x02, 0x01, 0x05, 0x06, 0x17, 0x82, 0x84, 0xff];
const randomBer = (dice: Dice) => Uint8Array.from({ length: dice.roll(300) }, () => dice.pick(LIKELY));

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0061',
  '"region"',
  '"accountId"',
  '"__proto__"',
  'null',
  '1e9',
  ' ',
  '\n',
  'é',
  '\u2028',
];
const randomJson = (dice: Dice) =>
  new TextEncoder().encode(Array.from({ length: dice.roll(200) }, () => dice.pick(TOKENS)).join(''));

/** Shapes that make careless readers slow. */
function pathological(dice: Dice): Uint8Array {
  const piece = dice.pick([
    '0\u0080',
    '$\u0080',
    '{"a":',
    '[',
    '"\\',
    '\\"',
    '{"a":1,',
    '\u0004\u0000',
    '0\u0000',
    ' ',
    '""',
  ]);
  return Buffer.from(piece.repeat(1 + dice.roll(8000)), 'latin1');
}

interface Target {
  readonly name: string;
  readonly inputs: number;
  readonly input: (dice: Dice) => Uint8Array;
  /** Judges one input; what it returns was accepted. */
  readonly judge: (input: Uint8Array) => unknown;
  /** Must hold of what was accepted. */
  readonly accepted?: (result: unknown, input: Uint8Array) => void;
}

const mutantOf = (dice: Dice) => mutateBer(dice.pick(originals), dice);
const sameFields = (result: unknown) => expect(result).toMatchObject(fields);

const targets: readonly Target[] = [
  { name: 'CMS reader, mutants', inputs: scaled(70_000), input: mutantOf, judge: parseCms },
  {
    name: 'CMS reader, random octets',
    inputs: scaled(15_000),
    input: (dice) => dice.bytes(dice.roll(300)),
    judge: parseCms,
  },
  { name: 'CMS reader, random BER', inputs: scaled(15_000), input: randomBer, judge: parseCms },
  { name: 'CMS reader, pathological', inputs: scaled(3000), input: pathological, judge: parseCms },
  {
    name: 'document parser, mutants',
    inputs: scaled(40_000),
    input: (dice) => mutateBytes(mutateBytes(documentBytes, dice), dice),
    judge: parseIdentityDocument,
  },
  { name: 'document parser, random JSON', inputs: scaled(20_000), input: randomJson, judge: parseIdentityDocument },
  {
    name: 'document parser, random octets',
    inputs: scaled(4000),
    input: (dice) => dice.bytes(dice.roll(300)),
    judge: parseIdentityDocument,
  },
  { name: 'document parser, pathological', inputs: scaled(3000), input: pathological, judge: parseIdentityDocument },
  {
    name: 'PKCS#7 verification, mutants',
    inputs: scaled(20_000),
    input: (dice) => mutateBer(dice.pick(made), dice),
    judge: (bytes) => verifyPkcs7({ pkcs7: base64(bytes), trustStore, verifier, digest: verifier }),
    accepted: sameFields,
  },
  {
    name: 'PKCS#7 verification, mutants of the text',
    inputs: scaled(4000),
    input: (dice) => mutateBytes(Buffer.from(instance.pkcs7(), 'latin1'), dice),
    judge: (text) =>
      verifyPkcs7({ pkcs7: Buffer.from(text).toString('latin1'), trustStore, verifier, digest: verifier }),
    accepted: sameFields,
  },
  {
    name: 'document with signature, mutants of the document',
    inputs: scaled(3000),
    input: (dice) => mutateBytes(documentBytes, dice),
    judge: (bytes) => verifyIdentitySignature({ identity: base64(bytes), signature, trustStore, verifier }),
    accepted: (_, input) => expect(Buffer.from(input)).toEqual(Buffer.from(documentBytes)),
  },
  {
    name: 'document with signature, mutants of the signature',
    inputs: scaled(3000),
    input: (dice) => mutateBytes(signatureBytes, dice),
    judge: (bytes) =>
      verifyIdentitySignature({ identity: documentBase64, signature: base64(bytes), trustStore, verifier }),
    accepted: (_, input) => expect(Buffer.from(input)).toEqual(Buffer.from(signatureBytes)),
  },
];

describe(`inputs of seed ${SEED}`, () => {
  it(`are ${scaled(200_000)}`, () => {
    expect(targets.reduce((sum, { inputs }) => sum + inputs, 0)).toBe(scaled(200_000));
  });

  it.each(targets)(
    '$name: $inputs',
    async ({ name, inputs, input, judge, accepted }) => {
      const dice = createDice(SEED);
      const stopwatch = createStopwatch(LIMIT_MS);
      let passed = 0;
      for (let at = 0; at < inputs; at += 1) {
        const bytes = input(dice);
        const outcome = await stopwatch.time(() => judged(judge, bytes));
        if ('defect' in outcome) expect.fail(`seed ${SEED}, input ${at} (${base64(bytes)}): ${String(outcome.defect)}`);
        if (!('result' in outcome)) continue;
        passed += 1;
        accepted?.(outcome.result, bytes);
      }
      console.log(
        `${name}: ${inputs} inputs, ${passed} accepted, slowest ${stopwatch.slowestMs.toFixed(1)} ms, seed ${SEED}`,
      );
      expect(stopwatch.slowestMs).toBeLessThan(LIMIT_MS);
    },
    PATIENCE_MS,
  );
});

type Outcome = { readonly result: unknown } | { readonly refused: true } | { readonly defect: unknown };

async function judged(judge: Target['judge'], input: Uint8Array): Promise<Outcome> {
  try {
    return { result: await judge(input) };
  } catch (error) {
    return isAuthError(error) && error.code === 'evidence_unverified' ? { refused: true } : { defect: error };
  }
}
