/** The secrets of a rotation reach storage, and nothing else: no answer, error, log or audit event (ERROR-4, THREAT-36). */
import { inspect } from 'node:util';
import { ProviderError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { configureOldKey, createRotationWorld } from '../../test/create-rotation-world.js';
import type { KeyCall } from '../../test/fake-access-keys.js';

/** All that somebody can see of a call: what it answers or throws, causes included, and what the audit trail says. */
async function seen(failing: KeyCall | undefined): Promise<string> {
  const test = createRotationWorld();
  await configureOldKey(test);
  test.keys.trouble = (call, when) => {
    if (call === failing && when === 'after') throw new ProviderError('unavailable', 'told to fail');
  };
  const results: unknown[] = [];
  for (let tries = 0; tries < 2; tries += 1) {
    results.push(await test.host('config.rotate-root').catch((error: unknown) => error));
  }
  results.push(await test.host('config.client.read'));
  const text = inspect([results, test.events], { depth: 20, showHidden: true });
  expect(text).toContain('AKIA');
  return text;
}

describe('the secrets of old and new key', () => {
  it.each([[undefined], ['list'], ['create'], ['prove'], ['delete']] as const)(
    'are not seen, %s failing',
    async (failing) => {
      expect(await seen(failing)).not.toContain('canary');
    },
  );
});
