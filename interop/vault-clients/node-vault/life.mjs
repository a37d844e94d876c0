/** The life of Vault's AWS auth method, lived by node-vault: a briefing on standard input, a line for every step. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { json } from 'node:stream/consumers';
import nodeVault from 'node-vault';
import { did, expectMembers } from './checks.mjs';
import { configure, removeConfiguration } from './configuration.mjs';
import { barTag, tidyLists } from './lists.mjs';
import { logInByEc2, logInByIam } from './logins.mjs';
import { removeRoles, writeRoles } from './roles.mjs';
import { useTokens } from './tokens.mjs';

const briefing = await json(process.stdin);
const { version } = createRequire(import.meta.url)('node-vault/package.json');
process.stdout.write(`  node-vault ${version}, Node ${process.versions.node}\n`);

const connection = { endpoint: briefing.url, noCustomHTTPVerbs: briefing.noCustomHTTPVerbs };
const admin = nodeVault({ ...connection, token: briefing.root_token, namespace: 'root' });
/** A client without a token, as an instance has it. */
const guest = () => nodeVault(connection);

async function order(body) {
  const { status } = await fetch(briefing.desk, { method: 'POST', body: JSON.stringify(body) });
  deepStrictEqual(status, 204);
}
const desk = {
  tag: (instanceId, tags) => order({ instance_id: instanceId, tags }),
  terminate: (instanceId) => order({ instance_id: instanceId, terminate: true }),
  letPass: (seconds) => order({ pass_seconds: seconds }),
};

const health = await admin.health();
expectMembers(health, { initialized: true, sealed: false, standby: false });
ok(Math.abs(health.server_time_utc - Date.now() / 1000) < 60);
expectMembers(await admin.status(), { initialized: true, sealed: false });
deepStrictEqual(await admin.initialized(), { initialized: true });
const { data: methods } = await admin.auths();
deepStrictEqual([methods['aws/'].type, methods['token/'].type], ['aws', 'token']);
deepStrictEqual((await admin.mounts()).data['sys/'].type, 'system');
did('read the health, the seal and the mounts');
await configure(admin, briefing);
await writeRoles(admin, briefing);
await logInByEc2(admin, guest, briefing);
await logInByIam(guest, briefing);
await barTag(admin, guest, desk, briefing);
await useTokens(admin, guest, briefing);
await tidyLists(admin, desk, briefing);
await removeRoles(admin);
await removeConfiguration(admin, briefing);
