/** Brings the server into the state that a case is given: associations, configuration, roles, tokens, module versions. */
import { createModuleArchive } from '@postern/testkit';
import type { Given } from './case-file.js';
import { resolve, type Scope } from './expressions.js';
import type { Fixtures } from './fixtures.js';
import type { JsonObject } from './json.js';
import { valueAt } from './matchers.js';
import type { Run } from './run.js';
import { type Answer, describeAnswer, type Sent, send } from './target.js';

const DEFAULT_IDENTITY = {
  iam_alias: 'role_id',
  ec2_alias: 'role_id',
  iam_metadata: 'default',
  ec2_metadata: 'default',
};

/** @returns brings back the configuration of the run. @throws Error where the server refuses what is given. */
export async function prepareServer(
  run: Run,
  given: Given,
  ns: string,
  fixtures: Fixtures,
  scope: Scope,
  leftovers: Set<string>,
): Promise<() => Promise<void>> {
  const { target, simulated } = run;
  const done = async (line: string, sent: Sent = {}): Promise<Answer> => {
    const answer = await send(target, line, sent);
    if (answer.status < 300) return answer;
    throw new Error(`could not make what the case is given: ${describeAnswer(answer)}`);
  };

  for (const { accountId, ...body } of fixtures.associations) {
    await done(`POST config/sts/${accountId}`, { body });
    leftovers.add(`config/sts/${accountId}`);
  }
  if (given.client !== undefined) {
    const changes = await resolve(given.client, scope);
    await done('POST config/client', { body: { ...run.client(), ...(changes as JsonObject) } });
  }
  if (given.identity !== undefined) await done('POST config/identity', { body: given.identity });
  for (const [name, fields] of Object.entries(given.roles ?? {})) {
    const [path, body] = [String(await resolve(`role/${name}`, scope)), await resolve(fields, scope)];
    leftovers.add(path);
    await done(`POST ${path}`, { body });
  }
  for (const [name, policies] of Object.entries(given.tokens ?? {})) {
    const instance = simulated.launch();
    const role = `${ns}-${name}-token`;
    leftovers.add(`role/${role}`);
    await done(`POST role/${role}`, {
      body: { auth_type: 'ec2', bound_ami_id: instance.imageId, token_policies: policies },
    });
    const pkcs7 = instance.identityDocument().rsa2048.replaceAll('\n', '');
    const login = await done('POST login', { body: { role, pkcs7 } });
    leftovers.add(`identity-accesslist/${instance.instanceId}`);
    scope.names.set(name, {
      token: valueAt(login.body, 'auth.client_token'),
      accessor: valueAt(login.body, 'auth.accessor'),
    });
  }
  for (const version of given.published ?? []) {
    const path = String(await resolve(`{{managed}}/${version}`, scope));
    const bytes = createModuleArchive({ 'main.tf': `# ${version}\n`, 'README.md': `# ${ns}\n` });
    await done(`PUT ${path}`, { bytes });
    leftovers.add(path);
  }

  return async () => {
    if (given.client !== undefined) {
      simulated.keepOneServerKey();
      await done('POST config/client', { body: run.client() });
    }
    if (given.identity !== undefined) await done('POST config/identity', { body: DEFAULT_IDENTITY });
  };
}

/** The certificates of the simulated cloud, by the names under which the run registers them. */
export function runCertificates({ simulated }: Pick<Run, 'simulated'>) {
  const { pkcs7Rsa2048, identityRsa } = simulated.cloud.certificates();
  return [
    { name: 'conformance-pkcs7', body: { cloud_public_cert: pkcs7Rsa2048, type: 'pkcs7' } },
    { name: 'conformance-identity', body: { cloud_public_cert: identityRsa, type: 'identity' } },
  ];
}
