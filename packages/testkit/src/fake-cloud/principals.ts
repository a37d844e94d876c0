/**
 * Users, roles and instance profiles: names unique within account and type, ARNs with paths, and unique ids that a
 * deleted and re-created principal does not get back (PRINCIPAL-2).
 */
import type { PrincipalQuery } from '@postern/ports';
import type { IdSource } from './ids.js';

export type PrincipalType = PrincipalQuery['type'];

export interface PrincipalOptions {
  /** Friendly name. */
  readonly name: string;
  /** Begins and ends with `/`; `/` unless told. */
  readonly path?: string;
  /** The cloud's own unless told. */
  readonly accountId?: string;
}

export interface FakePrincipal {
  readonly type: PrincipalType;
  readonly name: string;
  readonly accountId: string;
  /** With the path of today: re-creation may change it. */
  readonly arn: string;
  readonly uniqueId: string;
  readonly exists: boolean;
  delete(): void;
  /** Deletes it if it is there and makes it anew: same name, new unique id, the same path unless told. */
  recreate(options?: { readonly path?: string }): void;
}

export interface FakeInstanceProfile extends FakePrincipal {
  /** ARNs of the roles it holds. The real cloud allows one; a test may give any number. */
  setRoles(roleArns: readonly string[]): void;
}

interface ProfileState {
  readonly roles: () => readonly string[];
}

const UNIQUE_ID_PREFIX = { user: 'AIDA', role: 'AROA', 'instance-profile': 'AIPA' } as const;

export interface PrincipalRegistry {
  create(type: 'user' | 'role', options: PrincipalOptions): FakePrincipal;
  createProfile(options: PrincipalOptions & { readonly roleArns?: readonly string[] }): FakeInstanceProfile;
  find(query: PrincipalQuery): { readonly arn: string; readonly uniqueId: string } | undefined;
  rolesOfProfile(accountId: string, profileArn: string): readonly string[] | undefined;
  byArn(arn: string): FakePrincipal | undefined;
}

/** @throws TypeError when a name is taken: two principals of one name are a mistake of the test. */
export function principalRegistry(ids: IdSource, partition: string, ownAccountId: string): PrincipalRegistry {
  const principals = new Map<string, FakePrincipal>();
  const profiles = new Map<string, ProfileState>();
  const keyOf = (accountId: string, type: PrincipalType, name: string): string => `${accountId} ${type} ${name}`;

  const create = (type: PrincipalType, options: PrincipalOptions): FakePrincipal => {
    const { name, accountId = ownAccountId } = options;
    const key = keyOf(accountId, type, name);
    if (principals.has(key)) throw new TypeError(`a ${type} named ${name} is there already`);
    let path = checkedPath(options.path ?? '/');
    let uniqueId = ids.unique(UNIQUE_ID_PREFIX[type]);
    const principal: FakePrincipal = {
      type,
      name,
      accountId,
      get arn() {
        return `arn:${partition}:iam::${accountId}:${type}${path}${name}`;
      },
      get uniqueId() {
        return uniqueId;
      },
      get exists() {
        return principals.get(key) === principal;
      },
      delete() {
        if (principal.exists) principals.delete(key);
      },
      recreate(again = {}) {
        const successor = principals.get(key);
        if (successor !== undefined && successor !== principal) {
          throw new TypeError(`another ${type} named ${name} is there already`);
        }
        path = checkedPath(again.path ?? path);
        uniqueId = ids.unique(UNIQUE_ID_PREFIX[type]);
        principals.set(key, principal);
      },
    };
    principals.set(key, principal);
    return principal;
  };

  return {
    create,
    createProfile({ roleArns, ...options }) {
      let roles: readonly string[] = [...(roleArns ?? [])];
      const principal = create('instance-profile', options);
      profiles.set(keyOf(principal.accountId, 'instance-profile', principal.name), { roles: () => roles });
      return Object.assign(principal, {
        setRoles: (arns: readonly string[]) => {
          roles = [...arns];
        },
      });
    },
    find(query) {
      if (query.partition !== partition) return undefined;
      const principal = principals.get(keyOf(query.accountId, query.type, query.name));
      return principal === undefined ? undefined : { arn: principal.arn, uniqueId: principal.uniqueId };
    },
    byArn: (arn) => [...principals.values()].find((principal) => principal.arn === arn),
    rolesOfProfile(accountId, profileArn) {
      const key = keyOf(accountId, 'instance-profile', profileArn.slice(profileArn.lastIndexOf('/') + 1));
      return principals.get(key)?.arn === profileArn ? profiles.get(key)?.roles() : undefined;
    },
  };
}

function checkedPath(path: string): string {
  if (!/^\/([!-~]+\/)?$/.test(path)) throw new TypeError('a path begins and ends with /');
  return path;
}
