/** The text of role tags (TAG-2, TAG-4). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainTag, signText } from '../../test/role-tags.js';
import { formatRoleTag, isTagPolicyName, joinRoleTag, parseRoleTag, type RoleTag } from './role-tag.js';

const MAC = new Uint8Array(32).fill(7);
const NONCE = 'AAECAwQFBgc=';

function arbitraryTag(): fc.Arbitrary<RoleTag> {
  const name = fc.stringMatching(/^[a-z0-9_]([a-z0-9_.-]{0,20}[a-z0-9_])?$/);
  const policy = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .map((text) => text.trim().toLowerCase())
    .filter((text) => isTagPolicyName(text) && text !== 'root' && text === text.trim());
  return fc.record({
    roleKey: fc.constantFrom('r', 'a'),
    nonce: fc.uint8Array({ minLength: 8, maxLength: 8 }),
    role: name,
    disallowReauthentication: fc.boolean(),
    allowInstanceMigration: fc.boolean(),
    policies: fc.array(policy, { maxLength: 4 }).map((names) => [...new Set(names)].sort()),
    instanceId: fc.oneof(fc.constant(''), name),
    maxTtlSeconds: fc.oneof(fc.constant(0), fc.nat({ max: 9_223_372_036 })),
  });
}

describe('the text of a role tag', () => {
  it.each<[string, Partial<RoleTag>, string]>([
    ['dev-role', {}, 'd=false:m=false'],
    ['its policies', { policies: ['default', 'prod'] }, 'd=false:m=false:p=default,prod'],
    [
      'everything',
      { policies: ['p', 'q'], instanceId: 'i-0abc', maxTtlSeconds: 1_080_000, disallowReauthentication: true },
      'd=true:m=false:p=p,q:i=i-0abc:t=1080000',
    ],
    ['migration and a second', { allowInstanceMigration: true, maxTtlSeconds: 1 }, 'd=false:m=true:t=1'],
  ])('of %s', (_name, changes, rest) => {
    expect(formatRoleTag(plainTag({ role: 'dev-role', ...changes }))).toBe(`v1:${NONCE}:r=dev-role:${rest}`);
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(arbitraryTag(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (tag, mac) => {
        const text = joinRoleTag(formatRoleTag(tag), mac);
        fc.pre(new TextEncoder().encode(text).length <= 255);
        expect(parseRoleTag(text)).toEqual({ claims: tag, mac, text });
      }),
      { numRuns: 500 },
    );
  });

  it('has no second spelling: what is read is spelled as it stood', () => {
    const piece = fc.oneof(
      fc.constantFrom('v1', NONCE, 'r=r', 'a=r', 'r=R', 'd=false', 'd=0', 'd=F', 'm=false', 'm=f', 'm=true', 'p=', ''),
      fc.constantFrom('p=p', 'p=p,q', 'p=q,p', 'p=p,p', 'i=', 'i=i-1', 'i=I-1', 't=0', 't=5', 't=05', 't=5s', 't=-5'),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 2, maxLength: 9 }), (pieces) => {
        const parsed = parseRoleTag(joinRoleTag(`v1:${NONCE}:${pieces.join(':')}`, MAC));
        if (parsed === undefined) return;
        expect(joinRoleTag(formatRoleTag(parsed.claims), parsed.mac)).toBe(parsed.text);
        expect(parseRoleTag(parsed.text)).toEqual(parsed);
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void parseRoleTag(text)));
  });
});

describe('the older form', () => {
  it('is read, and is another tag than the new one (TAG-4)', () => {
    const older = parseRoleTag(signText(`v1:${NONCE}:a=r:d=false:m=false`));
    expect(older?.claims).toEqual(plainTag({ roleKey: 'a' }));
    expect(parseRoleTag(signText(`v1:${NONCE}:a=r:r=r:d=false:m=false`))).toBeUndefined();
  });
});

/** Each with a MAC that is right for its text: it is the spelling that is refused. */
describe('what is not a tag in its only spelling', () => {
  it.each([
    ['reordered parts', `v1:${NONCE}:m=false:d=false:r=r`],
    ['d=0', `v1:${NONCE}:r=r:d=0:m=false`],
    ['m=f', `v1:${NONCE}:r=r:d=false:m=f`],
    ['d=TRUE', `v1:${NONCE}:r=r:d=TRUE:m=false`],
    ['d left out', `v1:${NONCE}:r=r:m=false`],
    ['m left out', `v1:${NONCE}:r=r:d=false`],
    ['t=0', `v1:${NONCE}:r=r:d=false:m=false:t=0`],
    ['t=-5', `v1:${NONCE}:r=r:d=false:m=false:t=-5`],
    ['t=+5', `v1:${NONCE}:r=r:d=false:m=false:t=+5`],
    ['t=05', `v1:${NONCE}:r=r:d=false:m=false:t=05`],
    ['t= 5', `v1:${NONCE}:r=r:d=false:m=false:t= 5`],
    ['t=0x5', `v1:${NONCE}:r=r:d=false:m=false:t=0x5`],
    ['t=1e3', `v1:${NONCE}:r=r:d=false:m=false:t=1e3`],
    ['t=1e+21', `v1:${NONCE}:r=r:d=false:m=false:t=1e+21`],
    ['t=Infinity', `v1:${NONCE}:r=r:d=false:m=false:t=Infinity`],
    ['t=NaN', `v1:${NONCE}:r=r:d=false:m=false:t=NaN`],
    ['t=1.5', `v1:${NONCE}:r=r:d=false:m=false:t=1.5`],
    ['t above any duration', `v1:${NONCE}:r=r:d=false:m=false:t=9223372037`],
    ['t=1m30', `v1:${NONCE}:r=r:d=false:m=false:t=1m30`],
    ['t=300h0m0s', `v1:${NONCE}:r=r:d=false:m=false:t=300h0m0s`],
    ['i=', `v1:${NONCE}:r=r:d=false:m=false:i=`],
    ['i=I-1', `v1:${NONCE}:r=r:d=false:m=false:i=I-1`],
    ['i with a slash', `v1:${NONCE}:r=r:d=false:m=false:i=i/1`],
    ['a repeated role', `v1:${NONCE}:r=x:r=r:d=false:m=false`],
    ['a repeated flag', `v1:${NONCE}:r=r:d=false:d=false:m=false`],
    ['an unknown part', `v1:${NONCE}:r=r:d=false:m=false:x=1`],
    ['an empty part', `v1:${NONCE}:r=r:d=false:m=false:`],
    ['p=', `v1:${NONCE}:r=r:d=false:m=false:p=`],
    ['unsorted policies', `v1:${NONCE}:r=r:d=false:m=false:p=q,p`],
    ['policies twice', `v1:${NONCE}:r=r:d=false:m=false:p=p,p`],
    ['policies with blanks', `v1:${NONCE}:r=r:d=false:m=false:p=p, q`],
    ['policies in upper case', `v1:${NONCE}:r=r:d=false:m=false:p=P`],
    ['an empty policy', `v1:${NONCE}:r=r:d=false:m=false:p=,p`],
    ['root beside others', `v1:${NONCE}:r=r:d=false:m=false:p=p,root`],
    ['a policy with an equals sign', `v1:${NONCE}:r=r:d=false:m=false:p=p=q`],
    ['a policy with a newline', `v1:${NONCE}:r=r:d=false:m=false:p=p\nq`],
    ['a lone surrogate', `v1:${NONCE}:r=r:d=false:m=false:p=\ud800`],
    ['v2', `v2:${NONCE}:r=r:d=false:m=false`],
    ['V1', `V1:${NONCE}:r=r:d=false:m=false`],
    ['no version', `${NONCE}:r=r:d=false:m=false`],
    ['no role', `v1:${NONCE}:d=false:m=false`],
    ['an empty role', `v1:${NONCE}:r=:d=false:m=false`],
    ['a role in upper case', `v1:${NONCE}:r=R:d=false:m=false`],
    ['a role that is no name', `v1:${NONCE}:r=../r:d=false:m=false`],
    ['a nonce of seven bytes', 'v1:AAECAwQFBg==:r=r:d=false:m=false'],
    ['a nonce without padding', 'v1:AAECAwQFBgc:r=r:d=false:m=false'],
    ['a nonce in the URL-safe alphabet', 'v1:-_-_-_-_-_8=:r=r:d=false:m=false'],
    ['no nonce', 'v1::r=r:d=false:m=false'],
    ['nothing', ''],
  ])('%s', (_name, signed) => {
    expect(parseRoleTag(signText(signed))).toBeUndefined();
  });

  const good = signText(`v1:${NONCE}:r=r:d=false:m=false`);
  it.each([
    ['a trailing newline', `${good}\n`],
    ['a leading blank', ` ${good}`],
    ['no MAC', good.slice(0, good.lastIndexOf(':'))],
    ['an empty MAC', good.slice(0, good.lastIndexOf(':') + 1)],
    ['a MAC without padding', good.slice(0, -1)],
    ['a MAC of 31 bytes', joinRoleTag(formatRoleTag(plainTag()), MAC.slice(1))],
    ['a MAC of 33 bytes', joinRoleTag(formatRoleTag(plainTag()), new Uint8Array(33))],
    ['a word', 'garbage'],
    ['colons', ':'.repeat(200)],
    ['a megabyte', good + 'A'.repeat(1_000_000)],
    ['a megabyte of colons', ':'.repeat(1_000_000)],
  ])('%s', (_name, text) => {
    expect(parseRoleTag(good)).toBeDefined();
    expect(parseRoleTag(text)).toBeUndefined();
  });

  it('a tag of 256 bytes, counted as UTF-8 (TAG-5)', () => {
    const base = joinRoleTag(formatRoleTag(plainTag({ policies: ['x'] })), MAC).length - 1;
    const wide = (bytes: number) => ['é'.repeat(Math.floor(bytes / 2)) + 'x'.repeat(bytes % 2)];
    const textOf = (bytes: number) => joinRoleTag(formatRoleTag(plainTag({ policies: wide(bytes - base) })), MAC);
    expect(parseRoleTag(textOf(255))).toBeDefined();
    expect(parseRoleTag(textOf(256))).toBeUndefined();
  });
});

describe('a policy name', () => {
  it.each([
    ['p', true],
    ['team/prod.read-only', true],
    ['grün', true],
    ['', false],
    ['a:b', false],
    ['a,b', false],
    ['a=b', false],
    ['a\nb', false],
    ['a\u0000b', false],
    ['a\u007fb', false],
    ['a\u0085b', false],
    ['\udc00', false],
  ])('%j may stand in a tag: %s', (name, may) => {
    expect(isTagPolicyName(name)).toBe(may);
  });
});
