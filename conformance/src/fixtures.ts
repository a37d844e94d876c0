/** Makes what a case is given in the simulated cloud: accounts, principals, profiles, instances. All of it is the case's own. */
import {
  callerIdentityXml,
  type FakeInstance,
  type FakePrincipal,
  type StsAnswer,
  type StsIdentity,
} from '@postern/testkit';
import type { Given, StsInstead } from './case-file.js';
import type { SimulatedCloud } from './cloud/simulated-cloud.js';
import { resolve, type Scope } from './expressions.js';

interface CasePrincipal {
  readonly principal: FakePrincipal;
  /** Access key ids that it signed with. */
  readonly keys: string[];
  /** What STS answers about it in place of the truth. */
  readonly sts?: (identity: StsIdentity) => StsAnswer;
}

export interface Fixtures {
  instance(name: string): FakeInstance;
  principal(name: string): CasePrincipal;
  /** Accounts with the role that the server may assume there. */
  readonly associations: readonly {
    readonly accountId: string;
    readonly sts_role: string;
    readonly external_id?: string;
  }[];
}

const ACCOUNTS_FROM = 300_000_000_000;
let accounts = Math.floor(Math.random() * 100_000) * 1000;

export async function makeFixtures(
  given: Given,
  ns: string,
  simulated: SimulatedCloud,
  scope: Scope,
): Promise<Fixtures> {
  const { cloud, sts } = simulated;
  const { names } = scope;
  const instances = new Map<string, FakeInstance>();
  const principals = new Map<string, CasePrincipal>();
  const associations: { accountId: string; sts_role: string; external_id?: string }[] = [];
  // Fixtures are made of strings alone: what is resolved has the shape of what was given.
  const resolved = async <T>(value: T): Promise<T> => (await resolve(value as never, scope)) as T;

  for (const [name, { associated = false, externalId }] of Object.entries(given.accounts ?? {})) {
    accounts += 1;
    const accountId = String(ACCOUNTS_FROM + accounts);
    names.set(name, accountId);
    cloud.associateAccount(accountId);
    if (!associated) continue;
    const role = cloud.createRole({ name: 'server-under-test', accountId });
    if (externalId !== undefined) sts.setTrust(role, { externalId });
    associations.push({
      accountId,
      sts_role: role.arn,
      ...(externalId === undefined ? {} : { external_id: externalId }),
    });
  }
  const accountOf = (account: string | undefined) =>
    account === undefined ? {} : { accountId: String(names.get(account) ?? account) };

  for (const [name, each] of Object.entries(given.principals ?? {})) {
    const { type, path, account, ...more } = await resolved(each);
    const options = {
      name: more.name ?? `${name}-${ns}`,
      ...(path === undefined ? {} : { path }),
      ...accountOf(account),
    };
    const principal = type === 'user' ? cloud.createUser(options) : cloud.createRole(options);
    principals.set(name, { principal, keys: [], ...(more.sts === undefined ? {} : { sts: stsAnswer(more.sts) }) });
    const { arn, uniqueId, accountId } = principal;
    names.set(name, { arn, name: principal.name, id: uniqueId, account: accountId });
  }

  for (const [name, each] of Object.entries(given.profiles ?? {})) {
    const { account, roles = [], fault, ...more } = await resolved(each);
    const roleArns = roles.map((role) => principals.get(role)?.principal.arn ?? role);
    const profile = cloud.createInstanceProfile({
      name: more.name ?? `${name}-${ns}`,
      roleArns,
      ...accountOf(account),
    });
    if (fault !== undefined) simulated.faults.set(profile.arn, fault);
    names.set(name, { arn: profile.arn, name: profile.name });
  }

  for (const [name, each] of Object.entries(given.instances ?? {})) {
    const { account, region, image, state, profile, tags, fault } = await resolved(each);
    const instance = simulated.launch({
      ...accountOf(account),
      ...(region === undefined ? {} : { region }),
      ...(image === undefined ? {} : { imageId: image }),
      ...(state === undefined ? {} : { state }),
      ...(profile === undefined ? {} : { instanceProfileArn: profileArn(names.get(profile)) ?? profile }),
      ...(tags === undefined ? {} : { tags: tags as Readonly<Record<string, string>> }),
    });
    if (fault !== undefined) simulated.faults.set(instance.instanceId, fault);
    instances.set(name, instance);
    const { instanceId: id, imageId, vpcId, subnetId, accountId, pendingTime } = instance;
    const facts = { id, image: imageId, vpc: vpcId, subnet: subnetId, account: accountId, pendingTime };
    names.set(name, { ...facts, region: instance.region });
  }

  return {
    associations,
    instance: (name) => found(instances.get(name), `instance ${name}`),
    principal: (name) => found(principals.get(name), `principal ${name}`),
  };
}

function profileArn(fixture: unknown): string | undefined {
  const arn: unknown = typeof fixture === 'object' && fixture !== null ? Reflect.get(fixture, 'arn') : undefined;
  return typeof arn === 'string' ? arn : undefined;
}

/** An answer of its own, or the genuine document with parts replaced. */
function stsAnswer(instead: StsInstead): (identity: StsIdentity) => StsAnswer {
  const { status = 200, contentType = 'text/xml', body, replace = [] } = instead;
  return (identity) => {
    let text = body ?? callerIdentityXml(identity);
    for (const [pattern, replacement] of replace) text = text.replace(new RegExp(pattern, 's'), replacement);
    return { status, contentType: contentType ?? undefined, body: text };
  };
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the case is given no ${what}`);
  return value;
}
