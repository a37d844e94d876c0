/** Role tags, the deny list, and tidying of both lists. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepted, did, empty, expectMembers, missing, refused } from './checks.mjs';

const DENY_LIST = 'auth/aws/roletag-denylist';
const ACCESS_LIST = 'auth/aws/identity-accesslist';
const WAIT_MS = 10_000;

export async function barTag(vault, guest, desk, { instances: { tagged } }) {
  const login = () => guest().write('auth/aws/login', { role: 'tagged', pkcs7: tagged.pkcs7, nonce: 'mine' });
  const { data } = await vault.write('auth/aws/role/tagged/tag', { policies: ['web'], max_ttl: '2m' });
  deepStrictEqual(data.tag_key, 'VaultRole');
  await desk.tag(tagged.instance_id, { VaultRole: data.tag_value });
  const { auth } = await login();
  deepStrictEqual(auth.policies.toSorted(), ['default', 'web']);
  expectMembers(auth.metadata, { role_tag_max_ttl: '2m0s' });
  did('made a role tag, which narrows what its instance gets');

  await missing(() => vault.list(DENY_LIST));
  // A tag holds slashes and equals signs: once as it is, once in base64 (DENY-2).
  const plain = `${DENY_LIST}/${data.tag_value}`;
  const encoded = `${DENY_LIST}/${Buffer.from(data.tag_value).toString('base64')}`;
  await empty(vault.write(plain, {}));
  deepStrictEqual((await vault.list(DENY_LIST)).data, { keys: [data.tag_value] });
  deepStrictEqual(Object.keys((await vault.read(encoded)).data).toSorted(), ['creation_time', 'expiration_time']);
  await refused(400, { code: 'role_tag_deny_listed' }, login);
  await empty(vault.delete(encoded));
  await missing(() => vault.read(plain));
  await login();
  await empty(vault.write(encoded, {}));
  await refused(400, { code: 'role_tag_deny_listed' }, login);
  did('barred the tag, was refused with it, and let it in again');
}

export async function tidyLists(vault, desk, { instances }) {
  const lengthOf = async (list) => (await vault.list(list)).data.keys.length;
  const tidy = async () => {
    for (const list of ['identity-accesslist', 'roletag-denylist']) {
      await accepted(() => vault.write(`auth/aws/tidy/${list}`, { safety_buffer: '1m' }));
    }
    await ended(vault);
  };
  // Entries end after five minutes; a minute more is the buffer.
  await desk.letPass(330);
  await tidy();
  deepStrictEqual([await lengthOf(ACCESS_LIST), await lengthOf(DENY_LIST)], [4, 1]);
  await desk.letPass(60);
  await tidy();
  await missing(() => vault.list(DENY_LIST));
  deepStrictEqual(await lengthOf(ACCESS_LIST), 4, 'entries of instances that still exist');
  for (const { instance_id } of Object.values(instances)) await desk.terminate(instance_id);
  await tidy();
  await missing(() => vault.list(ACCESS_LIST));
  did('tidied both lists: entries go once expiration and buffer have passed and the instance is terminated');
}

async function ended(vault) {
  for (const end = performance.now() + WAIT_MS; ; await sleep(20)) {
    ok(performance.now() < end, 'a tidy run did not end');
    const { data } = await vault.read('auth/aws/tidy/status');
    const runs = [data['identity-accesslist'], data['roletag-denylist']];
    if (runs.every(({ running, finished_time }) => !running && finished_time !== null)) return;
  }
}
