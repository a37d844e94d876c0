/** Client, identity, certificates, STS roles and tidy settings: written, read, listed, deleted. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { did, empty, expectMembers, missing, refused } from './checks.mjs';

export const SERVER_ID = 'vault.example.org';
const CONFIG = 'auth/aws/config';
const SECRET = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY' };

export async function configure(vault, briefing) {
  await configureClient(vault);
  await configureIdentity(vault);
  await registerCertificates(vault, briefing);
  await associateStsRoles(vault, briefing);
  await configureTidy(vault);
}

async function configureClient(vault) {
  await missing(() => vault.read(`${CONFIG}/client`));
  await empty(vault.write(`${CONFIG}/client`, { ...SECRET, iam_server_id_header_value: SERVER_ID }));
  await empty(vault.write(`${CONFIG}/client`, { max_retries: 3 }));
  const { data } = await vault.read(`${CONFIG}/client`);
  expectMembers(data, { access_key: SECRET.access_key, iam_server_id_header_value: SERVER_ID, max_retries: 3 });
  ok(!('secret_key' in data));
  // Without rotation in this cloud: refused with a reason, not with 404.
  await refused(400, { code: 'rotation_not_enabled' }, () => vault.write(`${CONFIG}/rotate-root`, {}));
  await empty(vault.delete(`${CONFIG}/client`));
  await missing(() => vault.read(`${CONFIG}/client`));
  await empty(vault.write(`${CONFIG}/client`, { ...SECRET, iam_server_id_header_value: SERVER_ID }));
  did('configured the client, read it without its secret, deleted it');
}

async function configureIdentity(vault) {
  const wanted = { iam_alias: 'full_arn', ec2_alias: 'image_id', iam_metadata: ['account_id', 'client_arn'] };
  await empty(vault.write(`${CONFIG}/identity`, wanted));
  expectMembers((await vault.read(`${CONFIG}/identity`)).data, wanted);
  await empty(vault.write(`${CONFIG}/identity`, { iam_metadata: 'default' }));
  expectMembers((await vault.read(`${CONFIG}/identity`)).data, { iam_alias: 'full_arn' });
  did('configured identity integration and read it');
}

async function registerCertificates(vault, briefing) {
  await missing(() => vault.list(`${CONFIG}/certificates`));
  for (const name of ['spare', 'ireland']) {
    const certificate = { aws_public_cert: briefing.foreign_certificate, type: 'pkcs7' };
    await empty(vault.write(`${CONFIG}/certificate/${name}`, certificate));
  }
  deepStrictEqual((await vault.list(`${CONFIG}/certificates`)).data, { keys: ['ireland', 'spare'] });
  const { data } = await vault.read(`${CONFIG}/certificate/ireland`);
  deepStrictEqual(data.type, 'pkcs7');
  deepStrictEqual(data.aws_public_cert.trim(), Buffer.from(briefing.foreign_certificate, 'base64').toString().trim());
  await empty(vault.delete(`${CONFIG}/certificate/spare`));
  await missing(() => vault.read(`${CONFIG}/certificate/spare`));
  did('registered certificates, read, listed and deleted them');
}

async function associateStsRoles(vault, { partner }) {
  await missing(() => vault.list(`${CONFIG}/sts`));
  await empty(vault.write(`${CONFIG}/sts/${partner.account}`, { sts_role: partner.role_arn }));
  deepStrictEqual((await vault.read(`${CONFIG}/sts/${partner.account}`)).data.sts_role, partner.role_arn);
  deepStrictEqual((await vault.list(`${CONFIG}/sts`)).data, { keys: [partner.account] });
  await empty(vault.delete(`${CONFIG}/sts/${partner.account}`));
  await missing(() => vault.read(`${CONFIG}/sts/${partner.account}`));
  did('associated an STS role, read, listed and deleted it');
}

async function configureTidy(vault) {
  // The names of today; hvac uses the deprecated ones.
  for (const list of ['identity-accesslist', 'roletag-denylist']) {
    const path = `${CONFIG}/tidy/${list}`;
    await missing(() => vault.read(path));
    await empty(vault.write(path, { safety_buffer: '10m', disable_periodic_tidy: true }));
    deepStrictEqual((await vault.read(path)).data, { safety_buffer: 600, disable_periodic_tidy: true });
    await empty(vault.delete(path));
    await missing(() => vault.read(path));
  }
  did('configured tidying of both lists, read and deleted it');
}

/** Back to the beginning. */
export async function removeConfiguration(vault, { partner }) {
  await empty(vault.delete(`${CONFIG}/certificate/ireland`));
  await empty(vault.delete(`${CONFIG}/sts/${partner.account}`));
  await empty(vault.delete(`${CONFIG}/client`));
  await missing(() => vault.list(`${CONFIG}/certificates`));
  await missing(() => vault.list(`${CONFIG}/sts`));
  did('deleted the configuration again');
}
