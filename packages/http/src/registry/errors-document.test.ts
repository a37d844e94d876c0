/** docs/errors.md names every code of the registry with the status and kind that it has, and no code that is gone. */
import { readFileSync } from 'node:fs';
import { REGISTRY_ERROR_KINDS, RegistryError, type RegistryErrorCode } from '@postern/core-registry';
import { expect, it } from 'vitest';
import { problemOfError } from './representation.js';

const document = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
const [, section = ''] = document.split('## The registry');

const documented = [...section.matchAll(/^\| `(\w+)` \| (\d{3}) \| (\w+) \| \S/gm)].map(
  ([, code, status, kind]) => [code ?? '', `${status} ${kind}`] as const,
);

const actual = (Object.keys(REGISTRY_ERROR_KINDS) as RegistryErrorCode[]).map((code) => {
  const { status } = problemOfError(new RegistryError(code, 'text'));
  return [code, `${status} ${REGISTRY_ERROR_KINDS[code]}`] as const;
});

it('names every code of the registry once, as it is', () => {
  expect(new Set(documented.map(([code]) => code)).size).toBe(documented.length);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
});
