import { describe, expect, it } from 'vitest';
import { registered, rsaSpki } from '../../../test/certificates.js';
import { builtInCertificates } from './certificate-built-in.js';
import { certificateWarnings } from './certificate-warnings.js';
import { createTrustStore } from './trust-store.js';

const DAY = 24 * 60 * 60 * 1000;
/** Whole seconds: a certificate has no smaller unit. */
const NOTAFTER = Date.UTC(2030, 5, 1);

const certificate = registered({ notAfter: new Date(NOTAFTER), spki: rsaSpki() }, 'identity', 'ours');
const store = createTrustStore({ builtIn: [], registered: [certificate] });

describe('certificateWarnings', () => {
  it.each([
    ['no warning 91 days before', -91 * DAY, undefined, undefined],
    ['no warning 90 days before', -90 * DAY, undefined, undefined],
    ['a warning a millisecond later', -90 * DAY + 1, 'expiring', 89],
    ['a warning on the day before', -1 * DAY, 'expiring', 1],
    ['a warning an hour before', -DAY / 24, 'expiring', 0],
    ['a warning at the last instant', 0, 'expiring', 0],
    ['an expiry a millisecond later', 1, 'expired', 0],
    ['an expiry after a day', DAY, 'expired', -1],
    ['an expiry after a year', 365 * DAY, 'expired', -365],
  ])('gives %s', (_, offset, status, daysLeft) => {
    const expected = { status, type: 'identity', name: 'ours', notAfter: NOTAFTER, daysLeft };
    const [warning] = certificateWarnings(store, NOTAFTER + offset);
    // Without a warning there must be none at all; -0 is a 0.
    expect(warning && { ...warning, daysLeft: warning.daysLeft + 0 }).toEqual(status && expected);
  });

  it('names built-in certificates by kind and published regions, earliest first', () => {
    const builtIn = createTrustStore({ builtIn: builtInCertificates(), registered: [certificate] });
    const warnings = certificateWarnings(builtIn, Date.UTC(2029, 0, 1));
    const expired = warnings.filter(({ status }) => status === 'expired');
    expect(expired.map(({ kind, regions }) => `${kind} ${regions?.join()}`)).toEqual(['rsa cn-north-1,cn-northwest-1']);
    expect(warnings.find(({ regions }) => regions?.includes('ap-east-1'))).toMatchObject({
      status: 'expiring',
      kind: 'rsa',
      regions: ['ap-east-1'],
      daysLeft: 32,
    });
    expect(warnings.map(({ notAfter }) => notAfter)).toEqual(
      warnings.map(({ notAfter }) => notAfter).sort((a, b) => a - b),
    );
  });

  it('has nothing to say of the built-in set at the end of 2026', () => {
    const builtIn = createTrustStore({ builtIn: builtInCertificates(), registered: [] });
    expect(certificateWarnings(builtIn, Date.UTC(2026, 11, 31))).toEqual([]);
  });
});
