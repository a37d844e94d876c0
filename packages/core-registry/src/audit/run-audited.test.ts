/** One event for each command and each refusal, nothing secret in it, and no answer without one (AUDIT-1). */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, START, V1 } from '../../test/create-test-registry.js';

describe('the audit event', () => {
  it('of a command says who did what to which version, and what came of it', async () => {
    const { registry, manager, events } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, { reason: 'r' });
    const details = { namespace: 'acme', module: 'network', provider: 'aws', version: '1.0.0' };
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}-1$/),
        time: START,
        requestId: 'request-1',
        operation: 'registry.version.deprecate',
        outcome: 'allowed',
        code: undefined,
        reason: undefined,
        principal: 'release-bot',
        peerAddress: '10.0.0.1',
        details: { ...details, from: 'active', to: 'deprecated', changed: 'true' },
      },
    ]);
    await registry.open(manager()).reinstate({ ...V1, version: '1.1.0' });
    expect(events[1]).toMatchObject({ operation: 'registry.version.reinstate', details: { changed: 'false' } });
  });

  it('of a read is one only where it is refused', async () => {
    const { registry, reader, stranger, events } = createTestRegistry();
    await registry.open(reader()).status(V1);
    await registry.open(reader()).listVersions(V1);
    await registry.open(reader()).listModules();
    expect(events).toEqual([]);
    await errorOf(registry.open(stranger()).status(V1));
    expect(events).toMatchObject([
      { operation: 'registry.version.status', outcome: 'denied', code: 'not_found', principal: 'stranger' },
    ]);
  });

  it('of refused input and of a conflict carries the code of the answer', async () => {
    const { registry, manager, events } = createTestRegistry();
    await errorOf(registry.open(manager()).deprecate(V1, { link: 'x' }));
    await errorOf(registry.open(manager()).revoke(V1, {}));
    expect(events.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['denied', 'input_invalid'],
      ['denied', 'revoke_not_deprecated'],
    ]);
  });

  it('of a defect says failed, and the caller no more than that', async () => {
    const { registry, manager, events, catalogue } = createTestRegistry();
    catalogue.hasVersion = () => Promise.reject(new TypeError('secret detail'));
    const error = await errorOf(registry.open(manager()).reinstate(V1));
    expect(error).toMatchObject({ code: 'internal', kind: 'internal' });
    expect(error.message).not.toContain('secret');
    expect(events).toMatchObject([{ outcome: 'failed', code: 'internal' }]);
  });

  it('of a call that was given up says so', async () => {
    const { registry, manager, events } = createTestRegistry();
    const signal = AbortSignal.abort();
    expect((await errorOf(registry.open(manager({ signal })).reinstate(V1))).code).toBe('aborted');
    expect(events).toMatchObject([{ outcome: 'unavailable', code: 'aborted' }]);
  });

  it.each([
    ['namespace', 'a token.with.dots'],
    ['name', 'x'.repeat(10_000)],
    ['provider', ''],
    ['version', 'secret-in-the-place-of-a-version'],
    ['version', '1.0.0 '],
  ])('does not repeat a %s that is none', async (part, text) => {
    const { registry, manager, events } = createTestRegistry();
    await errorOf(registry.open(manager()).reinstate({ ...V1, [part]: text }));
    const { name: module, ...rest } = { ...V1, [part]: '(malformed)' };
    expect(events[0]?.details).toMatchObject({ ...rest, module });
  });

  it('never holds a token, nor does an error', async () => {
    const { registry, manager, stranger, events } = createTestRegistry();
    const errors = [
      await errorOf(registry.open(manager({ token: 'canary-token-1' })).status(V1)),
      await errorOf(registry.open(stranger()).reinstate(V1)),
      await errorOf(registry.open(manager()).deprecate(V1, { reason: 1 as never })),
    ];
    await registry.open(manager()).deprecate(V1, {});
    const everything = inspect([events, errors, registry], { depth: 20, maxStringLength: null, maxArrayLength: null });
    for (const token of ['canary-token', 'stranger-token', 'manager-token']) expect(everything).not.toContain(token);
  });
});

describe('a sink that fails', () => {
  it('fails a refusal, and not a change: its event is stored with it and told later', async () => {
    let fails = true;
    const { registry, manager, reader, events } = createTestRegistry({
      audit: () => {
        if (fails) throw new TypeError('disk full');
      },
    });
    expect((await registry.open(manager()).deprecate(V1, { reason: 'r' })).changed).toBe(true);
    expect((await errorOf(registry.open(reader({ token: 'wrong' })).status(V1))).code).toBe('audit_unavailable');
    expect(events).toEqual([]);
    fails = false;
    await registry.feedAudit();
    expect(events).toMatchObject([{ operation: 'registry.version.deprecate', principal: 'release-bot' }]);
  });

  it('V3: stops changes before anything happens, once it has failed for a minute', async () => {
    const { registry, manager, reader, clock, catalogue } = createTestRegistry({
      audit: () => {
        throw new TypeError('disk full');
      },
    });
    await registry.open(manager()).deprecate(V1, { reason: 'r' });
    clock.advance(60_001);
    const session = registry.open(manager());
    const refused = [session.revoke(V1, {}), session.delete(V1), session.publish(V1, { content: noBytes() })];
    for (const call of refused) expect((await errorOf(call)).code).toBe('audit_unavailable');
    expect((await registry.open(reader()).status(V1)).state).toBe('deprecated');
    expect(await catalogue.hasVersion(V1)).toBe(true);
  });
});

async function* noBytes(): AsyncGenerator<Uint8Array> {
  // Nothing: the upload is refused before it is read.
}

describe('an event sink that fails', () => {
  it('is reported and undoes nothing, even where the report fails too', async () => {
    const reported: unknown[] = [];
    const { registry, manager, reader } = createTestRegistry({
      publish: () => {
        throw new TypeError('queue full');
      },
      onError: (error, event) => {
        reported.push([error, event]);
        throw new TypeError('logger broken');
      },
    });
    expect((await registry.open(manager()).deprecate(V1, { reason: 'r' })).changed).toBe(true);
    expect(reported).toEqual([[expect.any(TypeError), expect.objectContaining({ to: 'deprecated', reason: 'r' })]]);
    expect((await registry.open(reader()).status(V1)).state).toBe('deprecated');
  });
});
