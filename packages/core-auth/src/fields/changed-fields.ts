/**
 * Which fields a write changed, for its audit event (AUDIT-8): widening a role must not look like any other write. Values of
 * limited sets stand as they are; all else, which is a caller's text, as a keyed hash; of secrets the name alone.
 */

/** What the event says of a field. `hashed` is in clear here, and leaves only as a keyed hash. */
export type ChangedField = { readonly plain: string } | { readonly hashed: string } | 'secret';

type Wire = Readonly<Record<string, unknown>>;

/** Fields whose texts are of limited sets: enumerations, regions, names of policies. Numbers and truth values always are. */
const PLAIN: ReadonlySet<string> = new Set([
  'auth_type',
  'bound_region',
  'ec2_alias',
  'ec2_metadata',
  'iam_alias',
  'iam_metadata',
  'inferred_aws_region',
  'inferred_entity_type',
  'policies',
  'sts_region',
  'token_policies',
  'token_type',
  'type',
]);

/** Made by the service, not written. */
const DERIVED: ReadonlySet<string> = new Set(['role_id', 'bound_iam_principal_id']);

/**
 * @param before what a read would have shown; undefined for a new record, of which only what is not empty is named.
 * @param secrets fields that no read shows, by name: whether they changed.
 */
export function changedFields(
  before: Wire | undefined,
  after: Wire,
  secrets: Readonly<Record<string, boolean>> = {},
): Readonly<Record<string, ChangedField>> {
  const changed: Record<string, ChangedField> = {};
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after)])) {
    const value = after[name];
    const json = JSON.stringify(value);
    const text = json ?? 'null';
    const isSame = before === undefined ? isEmpty(value) : JSON.stringify(before[name]) === json;
    if (isSame || DERIVED.has(name)) continue;
    const isPlain = PLAIN.has(name) || typeof value === 'boolean' || typeof value === 'number' || isEmpty(value);
    changed[name] = isPlain ? { plain: text } : { hashed: text };
  }
  for (const [name, isChanged] of Object.entries(secrets)) if (isChanged) changed[name] = 'secret';
  return changed;
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}
