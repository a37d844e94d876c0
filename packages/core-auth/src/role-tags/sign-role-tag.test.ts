/** The MAC of role tags: byte for byte (TAG-3), and nothing but it opens (THREAT-32). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY_OF_R, nodeCrypto, plainTag, tagText } from '../../test/role-tags.js';
import { parseRoleTag, type RoleTag } from './role-tag.js';
import { digestRoleTag, signRoleTag, verifyRoleTag } from './sign-role-tag.js';

const VECTOR_KEY = '11111111-2222-3333-4444-555555555555';

async function verifies(text: string, key = KEY_OF_R): Promise<boolean> {
  const parsed = parseRoleTag(text);
  return parsed !== undefined && (await verifyRoleTag(nodeCrypto, key, parsed)) !== undefined;
}

describe('a signed tag', () => {
  it.each<[string, Partial<RoleTag>, string]>([
    ['a role alone', {}, 'v1:AAECAwQFBgc=:r=dev-role:d=false:m=false:FgHOATKdyCjFYnOHI74ewBKuN9BjP9xsHNNqVZ1cJH4='],
    [
      'policies',
      { policies: ['default', 'prod'] },
      'v1:AAECAwQFBgc=:r=dev-role:d=false:m=false:p=default,prod:UAiEjuc/sPI/UyAi0x6uMCb/fAUg4Bk2l9ljWsOO7SI=',
    ],
    [
      'policies, instance and lifetime (TAG-3)',
      { policies: ['p', 'q'], instanceId: 'i-0abc', maxTtlSeconds: 1_080_000, disallowReauthentication: true },
      'v1:AAECAwQFBgc=:r=dev-role:d=true:m=false:p=p,q:i=i-0abc:t=1080000:z4nsGOkLPSFsrWACGaD8lpPjRnjgtqT/QXkBKYHpTPM=',
    ],
    [
      'migration and lifetime',
      { allowInstanceMigration: true, maxTtlSeconds: 1 },
      'v1:AAECAwQFBgc=:r=dev-role:d=false:m=true:t=1:2RYSCxqzaozeTj7/VsMLZSEdTVGFAzl1LCYY3pNuyNY=',
    ],
  ])('is the known text: %s', async (_id, changes, text) => {
    const tag = plainTag({ role: 'dev-role', ...changes });
    expect(await signRoleTag(nodeCrypto, VECTOR_KEY, tag)).toBe(text);
    const parsed = parseRoleTag(text);
    expect(parsed && (await verifyRoleTag(nodeCrypto, VECTOR_KEY, parsed))).toEqual({ tag, text });
  });

  it('opens with the key of its role alone', async () => {
    const text = await tagText();
    expect(await verifies(text)).toBe(true);
    for (const key of ['key-of-R', 'key-of-r ', 'another', 'key-of-']) expect(await verifies(text, key)).toBe(false);
  });

  it('in the older form opens by its own MAC, never by that of the new one (TAG-4)', async () => {
    const older = await tagText({ roleKey: 'a' });
    const newer = await tagText();
    expect(await verifies(older)).toBe(true);
    expect(await verifies(newer.replace(':r=', ':a='))).toBe(false);
    expect(await verifies(older.replace(':a=', ':r='))).toBe(false);
  });

  it.each<[string, (text: string) => string]>([
    ['another flag', (text) => text.replace('d=false', 'd=true')],
    ['migration', (text) => text.replace('m=false', 'm=true')],
    ['more policies', (text) => text.replace('p=p', 'p=p,q')],
    ['another instance', (text) => text.replace('i-1', 'i-2')],
    ['any instance', (text) => text.replace(':i=i-1', '')],
    ['more time', (text) => text.replace('t=60', 't=61')],
    ['no limit in time', (text) => text.replace(':t=60', '')],
    ['another role', (text) => text.replace('r=r', 'r=q')],
    ['another nonce', (text) => text.replace('AAEC', 'BAEC')],
    ['its MAC in another case', (text) => flipCase(text)],
    ['its MAC in the URL-safe alphabet', (text) => urlSafe(text)],
    ['its MAC without padding', (text) => text.slice(0, -1)],
    ['half its MAC', (text) => text.slice(0, -24)],
    ['its MAC with a bit more', (text) => text.slice(0, -2) + nextLetter(text.at(-2) ?? '') + text.slice(-1)],
  ])('is refused with %s', async (_name, change) => {
    // Until the MAC holds a digit in which the dialects of base64 differ.
    const nonce = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 8]);
    let text = '';
    for (let at = 0; !/[+/].{0,42}=$/.test(text); at += 1) {
      nonce[7] = at;
      text = await tagText({ nonce, policies: ['p'], instanceId: 'i-1', maxTtlSeconds: 60 });
    }
    expect(await verifies(text)).toBe(true);
    expect(change(text)).not.toBe(text);
    expect(await verifies(change(text))).toBe(false);
  });

  it('is refused after any mutation', async () => {
    const text = await tagText({ policies: ['p', 'q'], instanceId: 'i-1', maxTtlSeconds: 90 });
    const character = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(...text));
    const edit = fc.record({
      at: fc.nat(text.length - 1),
      take: fc.nat(3),
      put: fc.array(character, { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const mutant = edits.reduce(
          (now, { at, take, put }) => now.slice(0, at) + put.join('') + now.slice(at + take),
          text,
        );
        fc.pre(mutant !== text);
        expect(await verifies(mutant)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it('is refused with any single character changed', async () => {
    const text = await tagText({ policies: ['p'] });
    for (let at = 0; at < text.length; at += 1) {
      for (const put of ['', 'A', '=', ':', '0', text.charAt(at) + text.charAt(at)]) {
        const mutant = text.slice(0, at) + put + text.slice(at + 1);
        if (mutant !== text) expect([mutant, await verifies(mutant)]).toEqual([mutant, false]);
      }
    }
  });

  it('is named by a digest that does not hold it', async () => {
    const text = await tagText();
    const digest = await digestRoleTag(nodeCrypto, text);
    expect(digest).toMatch(/^[\w-]{43}$/);
    expect(await digestRoleTag(nodeCrypto, await tagText({ maxTtlSeconds: 1 }))).not.toBe(digest);
  });
});

function flipCase(text: string): string {
  const mac = text.slice(text.lastIndexOf(':'));
  return text.slice(0, -mac.length) + mac.toLowerCase();
}

function urlSafe(text: string): string {
  const mac = text.slice(text.lastIndexOf(':'));
  return text.slice(0, -mac.length) + mac.replaceAll('+', '-').replaceAll('/', '_');
}

/** Changes the bits of the last digit that belong to no byte: a lenient decoder reads the same MAC. */
function nextLetter(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
