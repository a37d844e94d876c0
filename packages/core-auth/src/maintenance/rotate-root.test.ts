/** Rotation of the root key as an operator meets it (ROTATE-2, ROTATE-5); case ids named. */
import { ProviderError } from '@postern/ports';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { configureOldKey, createRotationWorld, type RotationWorld } from '../../test/create-rotation-world.js';
import { codeOf, createTestMethod } from '../../test/create-test-method.js';
import { OLD_KEY } from '../../test/fake-access-keys.js';
import { PROVE_PAUSES_MS } from './prove-key.js';

const NEW_KEY_ID = 'AKIANEWNEWNEWNEWNEW1';

async function world(): Promise<RotationWorld> {
  const made = createRotationWorld();
  await configureOldKey(made);
  return made;
}

describe('a rotation of the root key', () => {
  it('creates, proves, configures and deletes, and tells only the new id', async () => {
    const test = await world();
    await test.host('config.client.write', {}, { max_retries: 4 });
    const changes = test.providerChanges();
    expect(await test.host('config.rotate-root')).toEqual({ data: { access_key: NEW_KEY_ID } });
    expect(test.keys.calls).toEqual(['list', 'create', 'prove', 'delete']);
    expect(test.keys.ids()).toEqual([NEW_KEY_ID]);
    expect(await test.config()).toMatchObject({ accessKey: NEW_KEY_ID, maxRetries: 4 });
    expect(await test.isConfigUsable()).toBe(true);
    expect(test.providerChanges()).toBe(changes + 1);
    expect(test.events.at(-1)).toMatchObject({
      operation: 'config.rotate-root',
      outcome: 'allowed',
      details: { old_access_key: OLD_KEY.accessKeyId, access_key: NEW_KEY_ID },
    });
  });

  it('can be done again and again', async () => {
    const test = await world();
    expect([await test.rotate(), await test.rotate(), await test.rotate()]).toEqual([
      'AKIANEWNEWNEWNEWNEW1',
      'AKIANEWNEWNEWNEWNEW2',
      'AKIANEWNEWNEWNEWNEW3',
    ]);
    expect(test.keys.ids()).toEqual(['AKIANEWNEWNEWNEWNEW3']);
  });

  it('waits for a provider that does not know the new key yet', async () => {
    const test = await world();
    test.keys.refusals = 3;
    expect(await test.rotate()).toBe(NEW_KEY_ID);
    expect(test.slept).toEqual(PROVE_PAUSES_MS.slice(0, 3));
  });

  it.each([
    ['no configuration', undefined],
    ['neither key nor secret', { max_retries: 1 }],
    ['no secret', { access_key: OLD_KEY.accessKeyId }],
    ['no key', { secret_key: 's' }],
  ])('needs a static key: %s', async (_name, fields) => {
    const test = createRotationWorld();
    if (fields !== undefined) await test.host('config.client.write', {}, fields);
    expect(await codeOf(test.rotate())).toBe('rotation_static_key_missing');
    expect(test.keys.calls).toEqual([]);
  });

  it('is refused where the host gave no way to do it', async () => {
    expect(await codeOf(createTestMethod().host('config.rotate-root'))).toBe('rotation_not_enabled');
  });

  it('is refused while the user has another key, and names it', async () => {
    const test = await world();
    test.keys.add('AKIAOTHEROTHEROTHER1', 'canary-other');
    const before = await test.config();
    await expect(test.rotate()).rejects.toMatchObject({
      code: 'rotation_key_limit',
      kind: 'invalid',
      details: { keys: 'AKIAOTHEROTHEROTHER1' },
    });
    expect(await test.config()).toEqual(before);
    expect(test.keys.calls).toEqual(['list']);
    test.keys.remove('AKIAOTHEROTHEROTHER1');
    expect(await test.rotate()).toBe(NEW_KEY_ID);
  });

  it.each(['denied', 'misconfigured'] as const)(
    'goes without the list of keys where reading it is %s, and the limit of the provider holds',
    async (code) => {
      const test = await world();
      test.keys.trouble = (call) => {
        if (call === 'list') throw new ProviderError(code, 'no ListAccessKeys');
      };
      test.keys.add('AKIAOTHEROTHEROTHER1', 'canary-other');
      const before = await test.config();
      await expect(test.rotate()).rejects.toMatchObject({ code: 'rotation_key_limit', kind: 'invalid', details: {} });
      expect(await test.config()).toEqual(before);
      test.keys.remove('AKIAOTHEROTHEROTHER1');
      expect(await test.rotate()).toBe(NEW_KEY_ID);
    },
  );

  it('needs the capability to update its path', async () => {
    const test = await world();
    expect(await codeOf(test.call('config.rotate-root'))).toBe('permission_denied');
    expect(test.keys.calls).toEqual([]);
  });
});

describe('a provider that fails', () => {
  it.each([
    ['list', 'unavailable', 'provider_unavailable', OLD_KEY.accessKeyId],
    ['create', 'unavailable', 'provider_unavailable', OLD_KEY.accessKeyId],
    ['create', 'denied', 'provider_denied', OLD_KEY.accessKeyId],
    ['create', 'misconfigured', 'provider_misconfigured', OLD_KEY.accessKeyId],
    ['prove', 'unavailable', 'provider_unavailable', OLD_KEY.accessKeyId],
    ['prove', 'denied', 'provider_denied', OLD_KEY.accessKeyId],
    ['delete', 'unavailable', 'provider_unavailable', NEW_KEY_ID],
    ['delete', 'denied', 'provider_denied', NEW_KEY_ID],
  ] as const)('at %s with %s: %s, and the next call finishes', async (at, failure, code, configured) => {
    const test = await world();
    test.keys.trouble = (call) => {
      if (call === at) throw new ProviderError(failure, 'told to fail');
    };
    expect(await codeOf(test.rotate())).toBe(code);
    expect((await test.config())?.accessKey).toBe(configured);
    expect(await test.isConfigUsable()).toBe(true);
    test.keys.trouble = () => undefined;
    expect(await test.rotate()).toBe(NEW_KEY_ID);
    expect(test.keys.ids()).toEqual([NEW_KEY_ID]);
  });

  it('is asked again where it does not answer whether a key works', async () => {
    const test = await world();
    let failures = 2;
    test.keys.trouble = (call, when) => {
      if (call === 'prove' && when === 'before' && failures-- > 0) throw new ProviderError('unavailable', 'busy');
    };
    expect(await test.rotate()).toBe(NEW_KEY_ID);
  });

  it('never takes a key that does not prove itself, and keeps it for the next call', async () => {
    const test = await world();
    test.keys.refusals = PROVE_PAUSES_MS.length + 3;
    await expect(test.rotate()).rejects.toMatchObject({ code: 'provider_unavailable', retryAfterSeconds: 5 });
    expect((await test.config())?.accessKey).toBe(OLD_KEY.accessKeyId);
    expect(await test.rotate()).toBe(NEW_KEY_ID);
    expect(test.keys.calls.filter((call) => call === 'create')).toHaveLength(1);
  });

  it('is not asked any more once the caller gave up; the next call goes on', async () => {
    const test = await world();
    test.keys.refusals = 3;
    const controller = new AbortController();
    test.keys.trouble = (call) => {
      if (call === 'prove') controller.abort();
    };
    const call = { operation: 'config.rotate-root', params: {}, fields: {}, requestId: 'x', peerAddress: undefined };
    expect(await codeOf(test.method.handleAsHost({ ...call, signal: controller.signal }))).toBe('aborted');
    expect(await test.isConfigUsable()).toBe(true);
    expect(await test.rotate()).toBe(NEW_KEY_ID);
    expect(test.keys.calls.filter((each) => each === 'create')).toHaveLength(1);
  });

  it('that waits by itself is not asked for ever', async () => {
    const test = await world();
    test.keys.refusals = 100;
    test.keys.trouble = (call, when) => {
      if (call === 'prove' && when === 'after') test.clock.advance(20_000);
    };
    expect(await codeOf(test.rotate())).toBe('provider_unavailable');
    expect(test.keys.calls.filter((call) => call === 'prove')).toHaveLength(2);
  });

  it('begins again where the new key was deleted before it was used', async () => {
    const test = await world();
    test.keys.trouble = (call, when) => {
      if (call === 'create' && when === 'after') queueMicrotask(() => test.keys.remove(NEW_KEY_ID));
    };
    expect(await test.rotate()).toBe('AKIANEWNEWNEWNEWNEW2');
    expect(await test.isConfigUsable()).toBe(true);
  });
});

describe('an operator who changes the configuration meanwhile', () => {
  async function meanwhile(fields: Readonly<Record<string, unknown>>, at: 'prove' | 'delete') {
    const test = await world();
    test.keys.trouble = async (call, when) => {
      if (call === at && when === 'after') {
        test.keys.trouble = () => undefined;
        await test.host('config.client.write', {}, fields);
      }
    };
    return test;
  }

  it('keeps what else was written', async () => {
    const test = await meanwhile({ iam_server_id_header_value: 'postern' }, 'prove');
    expect(await test.rotate()).toBe(NEW_KEY_ID);
    expect(await test.config()).toMatchObject({ accessKey: NEW_KEY_ID, iamServerIdHeaderValue: 'postern' });
  });

  it('wins with another key; the key that was made is deleted by the next rotation', async () => {
    const test = await meanwhile({ access_key: 'AKIAMINEMINEMINEMINE', secret_key: 'canary-mine' }, 'prove');
    expect(await codeOf(test.rotate())).toBe('rotation_superseded');
    expect((await test.config())?.accessKey).toBe('AKIAMINEMINEMINEMINE');
    test.keys.remove(OLD_KEY.accessKeyId);
    test.keys.add('AKIAMINEMINEMINEMINE', 'canary-mine');
    expect(await test.rotate()).toBe('AKIANEWNEWNEWNEWNEW2');
    expect(test.keys.ids()).toEqual(['AKIANEWNEWNEWNEWNEW2']);
  });

  it('gets the keys that only the operator can delete', async () => {
    const test = await world();
    test.keys.trouble = (call) => {
      if (call === 'delete') throw new ProviderError('unavailable', 'busy');
    };
    expect(await codeOf(test.rotate())).toBe('provider_unavailable');
    test.keys.trouble = () => undefined;
    test.keys.add('AKIAMINEMINEMINEMINE', 'canary-mine');
    await test.host('config.client.write', {}, { access_key: 'AKIAMINEMINEMINEMINE', secret_key: 'canary-mine' });
    // The keys left are of the same user here: the limit names both.
    await expect(test.rotate()).rejects.toMatchObject({
      code: 'rotation_key_limit',
      details: { keys: `${OLD_KEY.accessKeyId}, ${NEW_KEY_ID}` },
    });
  });
});

describe('two calls at once', () => {
  it.each([['in one process'], ['in two processes']])('%s: one rotates, the other is refused', async (where) => {
    const first = await world();
    const second = where === 'in one process' ? first : createRotationWorld({ beside: first });
    const codes = await Promise.all([codeOf(first.rotate()), codeOf(second.rotate())]);
    expect(codes.toSorted()).toEqual(['allowed', 'rotation_in_progress']);
    expect(first.keys.ids()).toEqual([NEW_KEY_ID]);
    expect(await first.isConfigUsable()).toBe(true);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => [seed + 1]))(
    'and eight at once through a storage that interleaves: never two at a time (seed %d)',
    async (seed) => {
      const first = await world();
      const worlds = Array.from({ length: 8 }, (_, at) =>
        createRotationWorld({
          beside: first,
          storage: (inner) =>
            createFaultStorage(inner, { seed: seed * 100 + at, maxYields: 4, commits: { conflict: 0.1 } }),
        }),
      );
      const codes = await Promise.all(worlds.map((each) => codeOf(each.rotate())));
      expect(new Set([...codes, 'allowed', 'rotation_in_progress'])).toEqual(
        new Set(['allowed', 'rotation_in_progress']),
      );
      expect(first.keys.ids()).toHaveLength(1);
      expect(await first.isConfigUsable()).toBe(true);
    },
  );
});
