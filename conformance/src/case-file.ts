/** The format of a case, and the reading of case files. README.md documents each member; case-file.schema.json is its schema. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json, JsonObject } from './json.js';
import type { ProfileName } from './profile.js';

/** What an answer must be. `204`; `"400 role_constraint_missing"`; `"404 nothing"`; or the members by name. */
export type Expectation = number | string | ExpectedAnswer;

export interface ExpectedAnswer {
  readonly status: number;
  /** The `code` of a refusal of the auth method. */
  readonly code?: string;
  /** The `source.pointer` of a JSON:API refusal. */
  readonly pointer?: string;
  /** Header name to expected value; `null` for absent. */
  readonly headers?: JsonObject;
  /** Path into the body (`data.keys`) to expected value. */
  readonly fields?: JsonObject;
  /** The whole body. */
  readonly body?: Json;
  /** Whether `warnings` holds any. */
  readonly warnings?: boolean;
}

export interface RequestStep {
  /** Method and path. A path without a leading slash is below the mount of the auth method. */
  readonly send: string;
  readonly headers?: JsonObject;
  /** Sent as JSON. */
  readonly body?: Json;
  /** Sent as it stands. */
  readonly text?: string;
  /** Files of a module; sent as a `.tar.gz` of them. */
  readonly archive?: Readonly<Record<string, string>>;
  /** A token; `null` for none. Default: the root token, and none for `login`. */
  readonly token?: string | null;
  /** Keeps the body of the answer under this name. */
  readonly save?: string;
  /** Sends so many copies at once; `outcomes` counts what came of them. */
  readonly together?: number;
  /** How many answers of each kind: `{ "200": 1, "400 nonce_mismatch": 4 }`. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Sends again until the expectation holds, for at most so many milliseconds. */
  readonly within?: number;
  readonly expect?: Expectation;
}

export interface CloudStep {
  readonly cloud: 'stop' | 'start' | 'terminate' | 'vanish' | 'tag' | 'delete' | 'recreate' | 'add-key';
  /** Name of an instance; of a principal for `delete` and `recreate`; `server` for `add-key`. */
  readonly of: string;
  readonly tags?: JsonObject;
}

/** How often STS was asked who signed with the keys of a principal. */
export interface AskedStep {
  readonly asked: string;
  readonly times: number;
}

/** Waits so many milliseconds; for lifetimes of a second. */
export interface WaitStep {
  readonly wait: number;
}

export type Step = RequestStep | CloudStep | AskedStep | WaitStep;

export interface GivenInstance {
  readonly account?: string;
  readonly region?: string;
  readonly image?: string;
  readonly state?: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  readonly profile?: string;
  readonly tags?: JsonObject;
  /** How DescribeInstances fails for it. */
  readonly fault?: Fault;
}

export type Fault = 'throttled' | 'failed' | 'denied';

export interface GivenPrincipal {
  readonly type: 'user' | 'role';
  readonly name?: string;
  readonly path?: string;
  readonly account?: string;
  /** What STS answers in place of the truth. */
  readonly sts?: StsInstead;
}

export interface StsInstead {
  /** Default 200. */
  readonly status?: number;
  /** Default `text/xml`; null for none. */
  readonly contentType?: string | null;
  /** Default: the genuine document. */
  readonly body?: string;
  /** Patterns in the document and what takes their place, in order. */
  readonly replace?: readonly (readonly [pattern: string, replacement: string])[];
}

export interface Given {
  /** Further accounts; an associated one has a role that the server may assume. */
  readonly accounts?: Readonly<Record<string, { readonly associated?: boolean; readonly externalId?: string }>>;
  readonly principals?: Readonly<Record<string, GivenPrincipal>>;
  readonly profiles?: Readonly<
    Record<
      string,
      { readonly name?: string; readonly account?: string; readonly roles?: readonly string[]; readonly fault?: Fault }
    >
  >;
  readonly instances?: Readonly<Record<string, GivenInstance>>;
  /** Client configuration beyond that of the run. Makes the case serial. */
  readonly client?: JsonObject;
  /** Identity configuration. Makes the case serial. */
  readonly identity?: JsonObject;
  readonly roles?: Readonly<Record<string, JsonObject>>;
  /** Tokens by name, each with the policies it is to have. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>;
  /** Versions of the case's module that are published. */
  readonly published?: readonly string[];
}

/** What a server must have beside the two specifications for a case to apply. */
export type Capability = (typeof CAPABILITIES)[number];

export const CAPABILITIES = ['registry', 'policies', 'fresh', 'http-cloud'] as const;

interface CaseMembers {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly extension?: boolean;
  readonly profiles?: readonly ProfileName[];
  readonly requires?: readonly Capability[];
  /** Changes what all logins read: runs alone, after the others. */
  readonly serial?: boolean;
  readonly given?: Given;
  readonly steps: readonly Step[];
}

/** One row of a table: its members are read as `{{row.…}}`; those of a case take the place of the case's own. */
interface Row extends JsonObject {
  readonly name: string;
}

interface CaseEntry extends CaseMembers {
  /** One case for each row, with the id `<id>/<name>`. */
  readonly rows?: readonly Row[];
}

interface CaseFile {
  readonly cases: readonly CaseEntry[];
}

export interface Case extends CaseMembers {
  readonly area: 'auth' | 'registry';
  readonly file: string;
  readonly row: JsonObject;
}

export const AREAS = ['auth', 'registry'] as const;

export const casesFolder = fileURLToPath(new URL('../cases', import.meta.url));

/** Every case of the suite, rows expanded, in the order of their files. @throws Error where two have one id. */
export function readCases(folder: string = casesFolder): readonly Case[] {
  const cases = AREAS.flatMap((area) =>
    readdirSync(join(folder, area))
      .filter((file) => file.endsWith('.json'))
      .sort()
      .flatMap((file) => {
        // A test validates every file against the schema, which is this type.
        const { cases: entries } = JSON.parse(readFileSync(join(folder, area, file), 'utf8')) as CaseFile;
        return entries.flatMap((entry) => expand(entry, area, `${area}/${file}`));
      }),
  );
  const seen = new Set<string>();
  for (const { id, file } of cases) {
    if (seen.has(id)) throw new Error(`${file}: the id ${id} is taken`);
    seen.add(id);
  }
  return cases;
}

/** Policies that cases with `requires: ["policies"]` name, for a method mounted here below `/v1/`. */
export function readPolicies(mount: string): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const text = readFileSync(new URL('../policies.json', import.meta.url), 'utf8');
  return JSON.parse(text.replaceAll('{{mount}}', mount));
}

const OVERRIDES = ['rules', 'extension', 'profiles', 'requires', 'given', 'steps', 'serial'] as const;

function expand({ rows, ...entry }: CaseEntry, area: Case['area'], file: string): readonly Case[] {
  if (rows === undefined) return [{ ...entry, area, file, row: {} }];
  return rows.map((row) => {
    // The schema lets a row carry members of a case under their own names and types only.
    const own = Object.fromEntries(OVERRIDES.flatMap((name) => (name in row ? [[name, row[name]]] : []))) as object;
    return { ...entry, ...own, id: `${entry.id}/${row.name}`, title: `${entry.title}: ${row.name}`, area, file, row };
  });
}
