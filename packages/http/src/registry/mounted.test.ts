/** The registry beside the auth method: one application, and nothing of it unless asked for. */
import { createHttpApp, createUrlSigner } from '@postern/http';
import { describe, expect, it } from 'vitest';
import { createFakeMethod, harness } from '../../test/fake-method.js';
import { openRegistrySite, READ } from '../../test/registry/registry-site.js';

const headers = { authorization: 'Bearer reader-token' };

describe('the application of both', () => {
  it('answers as the registry alone does, and the auth method as before', async () => {
    const { registry } = openRegistrySite();
    const app = createHttpApp<undefined>({
      method: createFakeMethod(),
      peerAddress: () => undefined,
      health: () => ({ storageReachable: true, version: '0', serverTime: 0 }),
      registry: { registry, urlSigner: createUrlSigner([new Uint8Array(32)]) },
    });
    const send = (path: string, init?: RequestInit) =>
      app.fetch(new Request(`http://postern.test${path}`, init), undefined);
    expect((await send(`${READ}/versions`, { headers })).status).toBe(200);
    expect((await send('/.well-known/terraform.json')).status).toBe(200);
    expect((await send('/api/v2/nothing')).headers.get('content-type')).toBe('application/vnd.api+json');
    expect((await send('/v1/sys/health')).status).toBe(200);
  });

  it('has no registry unless one is given', async () => {
    const { send } = harness();
    for (const path of [`${READ}/versions`, '/.well-known/terraform.json', '/api/v2/nothing']) {
      const answer = await send(path, { headers });
      expect([answer.status, await answer.text()]).toEqual([404, '{"errors":[]}']);
    }
  });
});

describe('a signer', () => {
  const key = (fill: number) => new Uint8Array(32).fill(fill);

  it('verifies what any of its keys signed, and nothing else', async () => {
    const old = createUrlSigner([key(1)]);
    const both = createUrlSigner([key(2), key(1)]);
    const signature = await old.sign('text');
    expect(await both.verify('text', signature)).toBe(true);
    expect(await both.verify('texts', signature)).toBe(false);
    expect(await old.verify('text', await both.sign('text'))).toBe(false);
    for (const nonsense of ['', 'A', `${signature}=`, `${signature} `, 'ä'.repeat(43)]) {
      expect(await both.verify('text', nonsense)).toBe(false);
    }
  });

  it.each([[[]], [[new Uint8Array(31)]]])('needs keys of 32 bytes', (keys) => {
    expect(() => createUrlSigner(keys)).toThrow(TypeError);
  });
});
