/** Publishing by upload and deleting: who may, what is answered, what is left of a status (PUBLISH-1). */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkJsonApi } from '../../test/registry/json-api-schema.js';
import { createMemoryPublisher, type MemoryPublisher } from '../../test/registry/memory-publisher.js';
import {
  DEPRECATE,
  MANAGED,
  openRegistrySite,
  READ,
  READER,
  REVOKE,
  type RegistrySite,
  STRANGER,
} from '../../test/registry/registry-site.js';

let site: RegistrySite;
let publisher: MemoryPublisher;
beforeEach(() => {
  site = openRegistrySite({
    ports: (catalogue) => {
      publisher = createMemoryPublisher(catalogue);
      return { publisher };
    },
  });
});

const ARCHIVE = new TextEncoder().encode('an archive');
const upload = (path: string, more: object = {}) =>
  site.send('PUT', `${MANAGED}/${path}`, { body: ARCHIVE, contentType: 'application/gzip', ...more });

describe('publishing', () => {
  it.each(['PUT', 'POST'])('%s answers 201, and the version is there for everybody', async (method) => {
    const path = `${MANAGED}/3.0.0?description=Networks&source=https://git.acme.example/network`;
    const { status, body } = await site.send(method, path, { body: ARCHIVE, contentType: 'application/zip' });
    expect(status).toBe(201);
    checkJsonApi(body);
    expect(body.data).toMatchObject({
      type: 'registry-module-versions',
      id: 'acme/network/aws/3.0.0',
      attributes: { version: '3.0.0', status: 'ok', archive: { format: 'zip', 'size-bytes': ARCHIVE.length } },
    });
    const read = (await site.get(`${READ}/3.0.0`)).body;
    expect(read).toMatchObject({ owner: 'release-bot', description: 'Networks', deprecation: null });
    expect(site.events.at(-1)).toMatchObject({ operation: 'registry.version.publish', outcome: 'allowed' });
  });

  it.each([READER, STRANGER])('refuses %s, and reads nothing of the body', async (token) => {
    for (const contentType of ['application/gzip', 'text/plain']) {
      expect((await upload('3.0.0', { token, contentType })).status).toBe(404);
    }
    expect(publisher.pieces()).toBe(0);
  });

  it('tells that an upload is on its way where the caller may publish, and of no other request', async () => {
    let told = 0;
    site = openRegistrySite({
      ports: (catalogue) => {
        publisher = createMemoryPublisher(catalogue);
        return { publisher };
      },
      app: {
        onUpload: () => {
          told += 1;
        },
      },
    });
    for (const token of [READER, STRANGER, 'wrong', null]) await upload('3.0.0', { token });
    await upload('3.0.0', { contentType: 'text/plain' });
    await site.patch(DEPRECATE);
    await site.send('DELETE', `${MANAGED}/1.1.0`);
    expect(told).toBe(0);
    expect((await upload('3.0.0')).status).toBe(201);
    expect(told).toBe(1);
  });

  it('another content type is 415', async () => {
    expect((await upload('3.0.0', { contentType: 'application/json' })).status).toBe(415);
  });

  it.each([
    ['version_exists', 409],
    ['archive_too_large', 413],
    ['archive_entry_link', 422],
    ['version_invalid', 422],
  ] as const)('a refusal %s is %i with its reason', async (code, status) => {
    publisher.refuseNext(code);
    const answer = await upload('3.0.0');
    expect(answer.status).toBe(status);
    checkJsonApi(answer.body);
    expect(answer.body.errors[0].detail).toContain('refused on purpose');
    expect((await site.get(`${READ}/3.0.0`)).status).toBe(404);
  });

  it('is streamed: the publisher reads piece by piece, not the whole', async () => {
    let made = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          made += 1;
          if (made > 64) controller.close();
          else controller.enqueue(new Uint8Array(64 * 1024));
        },
      },
      { highWaterMark: 0 },
    );
    const request = new Request(`http://registry.test${MANAGED}/3.0.0`, {
      method: 'PUT',
      headers: { authorization: 'Bearer manager-token', 'content-type': 'application/octet-stream' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await site.app.fetch(request, undefined)).status).toBe(201);
    expect(publisher.pieces()).toBe(64);
  });

  it('without a publisher is not there', async () => {
    site = openRegistrySite();
    expect((await upload('3.0.0')).status).toBe(404);
    expect((await site.send('DELETE', `${MANAGED}/1.0.0`)).status).toBe(404);
  });
});

describe('deleting', () => {
  it('is 204, and the version is gone', async () => {
    const { status, text } = await site.send('DELETE', `${MANAGED}/1.0.0`);
    expect([status, text]).toEqual([204, '']);
    expect((await site.get(`${READ}/1.0.0`)).status).toBe(404);
    expect((await site.send('DELETE', `${MANAGED}/1.0.0`)).status).toBe(404);
  });

  it.each([READER, STRANGER])('refuses %s', async (token) => {
    expect((await site.send('DELETE', `${MANAGED}/1.0.0`, { token })).status).toBe(404);
    expect((await site.get(`${READ}/1.0.0`)).status).toBe(200);
  });

  it.each([
    ['deprecated', [DEPRECATE], 'active'],
    ['revoked', [DEPRECATE, REVOKE], 'revoked'],
  ])('of a %s version keeps its history, and no state but a block', async (state, before, after) => {
    for (const each of before) await site.patch(each);
    await site.send('DELETE', `${MANAGED}/1.0.0`);
    await upload('1.0.0');
    expect((await site.get(`${READ}/1.0.0/status`)).body).toMatchObject({ state: after });
    const { history } = (await site.get(`${READ}/1.0.0/history`)).body;
    expect(history[0]).toMatchObject({ command: 'delete', from: state, to: after, actor: 'release-bot' });
    expect(history).toHaveLength(before.length + 1);
  });

  it('that ends half-way is finished when the number is published again', async () => {
    await site.patch(DEPRECATE);
    site.storage.failNextCommit('unavailable');
    expect((await site.send('DELETE', `${MANAGED}/1.0.0`)).status).toBe(503);
    expect((await site.get(`${READ}/1.0.0`)).status).toBe(404);
    expect((await upload('1.0.0')).status).toBe(201);
    expect((await site.get(`${READ}/1.0.0`)).body.deprecation).toBeNull();
  });
});

describe('V5: one publication at a time a token', () => {
  let release: (() => void)[];
  let most: number;
  const slowSite = () => {
    [release, most] = [[], 0];
    return openRegistrySite({
      ports: (catalogue) => {
        publisher = createMemoryPublisher(catalogue);
        const slow: typeof publisher.publish = async (publication, options) => {
          await new Promise<void>((resolve) => {
            most = Math.max(most, release.push(resolve));
          });
          release.shift();
          return publisher.publish(publication, options);
        };
        return { publisher: { ...publisher, publish: slow } };
      },
    });
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await settled();
  };

  it('makes the others wait, in order', async () => {
    site = slowSite();
    const answers = ['3.0.0', '3.1.0', '3.2.0'].map((version) => upload(version));
    for (let each = 0; each < answers.length; each += 1) {
      await until(() => release.length > 0);
      release[0]?.();
      expect((await answers[each])?.status).toBe(201);
    }
    expect(most).toBe(1);
  });

  it('is 429 for who waited too long, and frees the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      site = slowSite();
      const first = upload('3.0.0');
      await until(() => release.length === 1);
      const second = upload('3.1.0');
      for (let turn = 0; turn < 20; turn += 1) await settled();
      vi.advanceTimersByTime(10_001);
      const { status, headers } = await second;
      expect([status, headers.get('retry-after')]).toEqual([429, '5']);
      release[0]?.();
      expect((await first).status).toBe(201);
      const third = upload('3.2.0');
      await until(() => release.length === 1);
      release[0]?.();
      expect((await third).status).toBe(201);
    } finally {
      vi.useRealTimers();
    }
  });
});
