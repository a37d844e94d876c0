/** Deprecates by the API, reads as a client does, downloads: `node examples/registry/main.mjs`. */
import { app, registry } from './registry.mjs';

const host = 'https://registry.acme.example';
const modules = '/api/registry/v1/modules/acme/network/aws';
/** @param {string} path @param {string} token @param {RequestInit} [more] */
const ask = (path, token, more) =>
  app.fetch(
    new Request(new URL(path, host), { ...more, headers: { authorization: `Bearer ${token}`, ...more?.headers } }),
    undefined,
  );

const deprecation = { 'deprecated-status': 'Deprecated', reason: 'Open to the world.', link: 'https://acme.example/1' };
const document = { data: { type: 'module-versions', attributes: { deprecation } } };
const path = '/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0';
const patch = {
  method: 'PATCH',
  headers: { 'content-type': 'application/vnd.api+json' },
  body: JSON.stringify(document),
};
console.log('by ci:', (await ask(path, 'token-of-ci', patch)).status);
console.log('by release:', (await ask(path, 'token-of-release', patch)).status);

const list = await (await ask(`${modules}/versions`, 'token-of-ci')).json();
for (const each of list.modules[0].versions) console.log(each.version, each.deprecation?.reason ?? 'active');

const { location } = await (await ask(`${modules}/1.0.0/download`, 'token-of-ci')).json();
const archive = await app.fetch(new Request(new URL(location, `${host}${modules}/1.0.0/download`)), undefined);
console.log('archive:', archive.status, archive.headers.get('content-type'));

// The same without HTTP: by the functions that the routes are made of.
const call = { token: 'token-of-release', requestId: crypto.randomUUID() };
const range = await registry
  .open(call)
  .deprecateRange(
    { namespace: 'acme', name: 'network', provider: 'aws' },
    { range: '< 2.0.0', reason: 'Use 2.0.0.', dryRun: true },
  );
for (const { version, action, outcome } of range.changes) console.log('dry run:', version, action, outcome);
