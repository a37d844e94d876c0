/**
 * What things are called on the wire (WIRE-2): a profile is a table of names; the domain knows one set of names. And from bytes and
 * query text to the fields of a call (WIRE-12, WIRE-20): syntax only; core checks types.
 */
import { AuthError, type Operation, type Scope } from '@postern/core-auth';
import { PROTOTYPE_KEYS, parseStrictJson, type StrictJsonOptions, withoutStack } from '@postern/kernel';

export type ProfileName = 'neutral' | 'vault';

export interface WireProfile {
  readonly name: ProfileName;
  /** Header that carries the caller's token, lower case. `Authorization: Bearer` works in every profile. */
  readonly tokenHeader: string;
  /** Header of a signed request that names the server it was signed for. */
  readonly serverIdHeader: string;
  /** Where the method hangs below `/v1/` unless the operator says otherwise. */
  readonly defaultMountPath: string;
  /** Members whose wire name differs: wire name to the specification's. Applies to requests, `data` and texts. */
  readonly members: ReadonlyMap<string, string>;
  /** Where policies are, below `/v1/`; further paths are deprecated. */
  readonly policiesPaths: readonly [string, ...string[]];
  /** What becomes of members of a body that an operation does not know (WIRE-19, WIRE-21). */
  readonly unknownFields: 'reject' | 'ignore';
}

/**
 * The profiles by name (WIRE-3, WIRE-4). `neutral` speaks the specification's names. `vault` speaks those of Vault, so that its unmodified
 * clients log in and administer; their `X-Vault-Request` header is accepted and means nothing.
 */
export const WIRE_PROFILES: Readonly<Record<ProfileName, WireProfile>> = {
  neutral: {
    name: 'neutral',
    tokenHeader: 'x-service-token',
    serverIdHeader: 'X-Service-Cloud-IAM-Server-ID',
    defaultMountPath: 'auth/cloud',
    members: new Map(),
    policiesPaths: ['policies'],
    unknownFields: 'reject',
  },
  vault: {
    name: 'vault',
    tokenHeader: 'x-vault-token',
    serverIdHeader: 'X-Vault-AWS-IAM-Server-ID',
    defaultMountPath: 'auth/aws',
    members: new Map([
      ['aws_public_cert', 'cloud_public_cert'],
      ['resolve_aws_unique_ids', 'resolve_cloud_unique_ids'],
    ]),
    policiesPaths: ['sys/policies/acl', 'sys/policy'],
    unknownFields: 'ignore',
  },
};

/** Members of a request by the specification's names. Where both names are sent the profile's own wins. */
export function membersToDomain(
  profile: WireProfile,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const renamed: Record<string, unknown> = { ...sent };
  for (const [wire, domain] of profile.members) {
    if (!Object.hasOwn(sent, wire)) continue;
    delete renamed[wire];
    renamed[domain] = sent[wire];
  }
  return renamed;
}

/** Members of an answer's `data` by the profile's names, in their order. */
export function membersToWire(profile: WireProfile, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const wireNames = new Map([...profile.members].map(([wire, domain]) => [domain, wire]));
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [wireNames.get(name) ?? name, value]));
}

/** A text for people with the member names that its reader sent. */
export function textToWire(profile: WireProfile, text: string): string {
  let renamed = text;
  for (const [wire, domain] of profile.members) renamed = renamed.replaceAll(domain, wire);
  return renamed;
}

/** Every path of an operation, its aliases after its own: `/v1/auth/cloud/role/:role`. */
export function wirePathsOf(
  { scope, path, aliases = [] }: Operation,
  profile: WireProfile,
  mountPath: string,
): string[] {
  const bases: Readonly<Record<Scope, readonly string[]>> = {
    mount: [mountPath],
    token: ['auth/token'],
    sys: ['sys'],
    policies: profile.policiesPaths,
  };
  return bases[scope].flatMap((base) =>
    [path, ...aliases].map((each) => `/v1/${base}/${each.replace(/^\//, '')}`.replace(/\/$/, '')),
  );
}

/**
 * Headers of Vault's clients that ask for what this server does not do, where silence would be unsafe: a token that should have been
 * wrapped, a namespace that should have kept tenants apart (WIRE-27).
 *
 * @returns what is wrong and the remedy; undefined where nothing is.
 */
export function unsupportedHeader(profile: WireProfile, headers: Headers): string | undefined {
  if (profile.name !== 'vault') return undefined;
  if (!/^(?:0s?)?$/.test(headers.get('x-vault-wrap-ttl') ?? '')) {
    return 'X-Vault-Wrap-TTL: responses are not wrapped here; send the request without it';
  }
  if (!/^\/?(?:root\/?)?$/.test(headers.get('x-vault-namespace') ?? '')) {
    return 'X-Vault-Namespace: there is no other namespace than root; send the request without it';
  }
  return undefined;
}

/** What a body may hold (WIRE-20, THREAT-35). Members of 1 MiB cost a login half a second of CPU before they were bounded. */
const BODY_JSON: StrictJsonOptions = { maxDepth: 32, maxMembers: 1000, refuseDuplicateKeys: true };
const MAX_FORM_FIELDS = 1000;

// `ignoreBOM` keeps a byte order mark in the text, where the JSON grammar refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The fields of a write: a JSON object, or a form. An empty body means no fields.
 *
 * JSON needs no content type. A body that begins like JSON is JSON even where the type says form, because `curl -d` says
 * so of everything.
 *
 * @throws AuthError `body_invalid` for anything else.
 */
export function fieldsOfBody(body: Uint8Array, contentType: string | null): Record<string, unknown> {
  const text = decode(body);
  const begin = text.trimStart().charAt(0);
  if (begin === '') return {};
  if (isForm(contentType) && begin !== '{' && begin !== '[') return fieldsOfForm(text);
  const parsed = parseStrictJson(text, BODY_JSON);
  if (!parsed.ok) throw invalid(JSON_PROBLEMS[parsed.code]);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it must be a JSON object');
  return { ...value };
}

/** The fields of a read, list or delete: members of the query, without the `list` flag. */
export function fieldsOfQuery(query: string): Record<string, unknown> {
  if (query === '') return {};
  const { list: _flag, ...fields } = fieldsOfForm(query);
  return fields;
}

/**
 * Whether a `GET` asks for a list: `?list=true`, as Go reads booleans (WIRE-6).
 *
 * @throws AuthError `field_invalid` for a value that is no boolean.
 */
export function asksForList(query: string): boolean {
  if (query === '') return false;
  const value = new URLSearchParams(query).get('list');
  if (value === null || value === '' || FALSE_TEXTS.has(value)) return false;
  if (TRUE_TEXTS.has(value)) return true;
  throw new AuthError('field_invalid', 'list: must be true or false', { details: { field: 'list' } });
}

const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_TEXTS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

const JSON_PROBLEMS = {
  json_syntax: 'it is not valid JSON',
  json_too_deep: `it is nested deeper than ${BODY_JSON.maxDepth} levels`,
  json_too_many_members: `it holds more than ${BODY_JSON.maxMembers} names and list items`,
  json_duplicate_key: 'a name occurs twice in one object',
  json_forbidden_key: 'a name in it is not allowed',
} as const;

function isForm(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '');
}

/** A name given several times becomes a list. */
function fieldsOfForm(text: string): Record<string, unknown> {
  if (countFields(text) > MAX_FORM_FIELDS) throw invalid(`it holds more than ${MAX_FORM_FIELDS} fields`);
  try {
    // URLSearchParams lets malformed escapes through and replaces bytes that are not UTF-8.
    decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('a percent escape in it is malformed');
  }
  const values = new Map<string, string | string[]>();
  new URLSearchParams(text).forEach((value, name) => {
    if (PROTOTYPE_KEYS.has(name)) throw invalid('a name in it is not allowed');
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, value);
    else if (typeof earlier === 'string') values.set(name, [earlier, value]);
    else earlier.push(value);
  });
  return Object.fromEntries(values);
}

function countFields(text: string): number {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0 && fields <= MAX_FORM_FIELDS; at = text.indexOf('&', at + 1)) fields += 1;
  return fields;
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalid('it is not valid UTF-8');
  }
}

function invalid(problem: string): AuthError {
  return withoutStack(() => new AuthError('body_invalid', `the request cannot be read: ${problem}`));
}
