/** docs/server.md names every member of the configuration file, and its examples can be used. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.js';
import { ConfigError } from './config-error.js';

const document = readFileSync(new URL('../../../../docs/server.md', import.meta.url), 'utf8');
const [, section = ''] = document.split(/^## Configuration$/m);
const table = section.split(/^## /m)[0] ?? '';
const documented = [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map((match) => match[1] ?? '');

/** No member is called anything like it, so that the refusal lists all that are known. */
const UNKNOWN = 'q'.repeat(60);

function knownMembers(content: object): readonly string[] {
  try {
    parseConfig(JSON.stringify(content), 'config.json');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const known = error.problems.find((problem) => problem.includes(UNKNOWN))?.split('known members: ')[1];
    return known?.split(', ') ?? [];
  }
  return [];
}

/** Documented as a whole: the row shows its members, for it may be `false` as well. */
const WHOLE = ['loginRate', 'peerRate', 'tokenRate', 'sealing'];

/** Top level, and one below where a member is an object of fixed members. */
const actual = knownMembers({ [UNKNOWN]: 1 }).flatMap((name) => {
  const below = WHOLE.includes(name) ? [] : knownMembers({ [name]: { [UNKNOWN]: 1 } });
  return below.length === 0 ? [name] : below.map((member) => `${name}.${member}`);
});

describe('docs/server.md', () => {
  it('names every member once, and none that is not there', () => {
    expect(actual.length).toBeGreaterThan(10);
    expect([...documented].sort()).toEqual([...actual].sort());
  });

  const examples = [...document.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');

  it.each(examples)('has an example that can be used: %s', (example) => {
    expect(() => parseConfig(example, 'config.json')).not.toThrow();
  });

  it('shows an example of everything', () => {
    const whole = Object.keys(JSON.parse(examples[1] ?? '{}'));
    expect(whole.sort()).toEqual([...knownMembers({ [UNKNOWN]: 1 })].sort());
  });
});
