/** What strangers send: all of it is refused, and none of it may leave anything behind. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { IMAGE_ID, LOGIN_PATH } from '@postern/internal';
import { signGetCallerIdentity } from '@postern/testkit';
import type { Answer } from './client.js';
import type { Kind, SoakContext } from './kind.js';

/** Long enough that many are held at a time. */
const HELD_MS = 2000;
/** Its end is in the year 2106. */
const ENDLESS = 'i-ffffffff000000000';
/** Any rate may have come first. */
const RATED = 429;

export function hostileKinds({ world, client, draw, stranger }: SoakContext): readonly Kind[] {
  const machine = world.site.cloud.launchInstance({ instanceId: ENDLESS, imageId: IMAGE_ID });
  const document = machine.identityDocument().rsa2048.replaceAll('\n', '');
  const members = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`a${at}`, 1])));
  const archive = { authorization: `Bearer ${world.rootToken}`, 'content-type': 'application/gzip' };
  const port = Number(new URL(world.server.url).port);

  const login = (body: string | object) =>
    client.send({ path: LOGIN_PATH, peer: stranger(), body: typeof body === 'string' ? body : JSON.stringify(body) });
  /** Sends bytes as they stand, waits, and hangs up. @returns the first status line's status; 0 without one. */
  async function raw(text: string, ms: number): Promise<Answer> {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        said += bytes.toString('latin1');
      });
    socket.write(text);
    const timer = setTimeout(() => socket.destroy(), ms);
    await once(socket, 'close');
    clearTimeout(timer);
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0), headers: {}, text: '' };
  }
  const kind = (name: string, weight: number, expected: readonly number[], run: Kind['run']): Kind => {
    return { name: `hostile: ${name}`, weight, expected: [...expected, RATED], run };
  };
  return [
    kind('made-up token', 4, [403], () => {
      const headers = { 'x-service-token': `pst_${randomBytes(32).toString('base64url')}` };
      return client.send({ path: '/v1/auth/token/lookup-self', peer: stranger(), headers });
    }),
    kind('forged document', 2, [400], () => {
      const forged = Buffer.from(document, 'base64');
      const at = draw(forged.length);
      forged[at] = (forged[at] ?? 0) ^ (1 + draw(255));
      return login({ role: 'web', pkcs7: forged.toString('base64') });
    }),
    // 200 for the first, whose nonce counts from then on.
    kind('stolen document', 2, [400, 200], () => login({ role: 'web', pkcs7: document, nonce: `${draw(1e9)}` })),
    kind('made-up signature', 2, [400], () => {
      const accessKeyId = `AKIA${String(draw(1e9)).padStart(16, '0')}`;
      const credentials = { accessKeyId, secretAccessKey: 'made up' };
      return login({ role: 'deploy', ...signGetCallerIdentity({ credentials, date: Date.now() }) });
    }),
    kind('5,000 members', 1, [400, 413], () => login(members)),
    kind('body of 300 KiB', 1, [413, 0], () => login('x'.repeat(300 * 1024))),
    kind('not JSON', 1, [400], () => login('{"role":')),
    kind('unknown path', 1, [404], () => client.send({ path: `/v1/auth/cloud/x${draw(1e9)}`, peer: stranger() })),
    kind('not an archive', 1, [422], () => {
      const path = `/api/v2/organizations/acme/registry-modules/private/acme/hostile/aws/1.0.${draw(1e9)}`;
      return client.send({ method: 'PUT', path, peer: stranger(), headers: archive, body: randomBytes(4096) });
    }),
    kind('two hosts', 0.5, [400], () => raw(`POST ${LOGIN_PATH} HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`, HELD_MS)),
    kind('not HTTP', 0.5, [400, 0], () => raw(randomBytes(200).toString('latin1'), HELD_MS)),
    kind('body that is held', 1, [0], () => {
      const head = `POST ${LOGIN_PATH} HTTP/1.1\r\nhost: p\r\nx-forwarded-for: ${stranger()}\r\ncontent-length: 60000\r\n\r\n`;
      return raw(head + 'x'.repeat(draw(50_000)), HELD_MS);
    }),
  ];
}
