/** Blocks and values of a configuration, the same for its native syntax and for JSON. */

/** An expression, as far as it can be known without evaluating it. */
export interface ConfigValue {
  /** As written. */
  readonly written: string;
  /** The text of a string without interpolation. */
  readonly text: string | undefined;
  /** JSON of a constant. */
  readonly json: string | undefined;
  /** Attributes of an object, by name. */
  readonly fields: ReadonlyMap<string, ConfigValue> | undefined;
  /** First name of a reference: `google` of `google.eu`. */
  readonly reference: string | undefined;
}

export interface ConfigBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, ConfigValue>;
  readonly blocks: readonly ConfigBlock[];
  readonly file: string;
  readonly line: number | undefined;
}

/** Block types that are looked into; all others are left unread. */
export const READ_BLOCKS: ReadonlySet<string> = new Set([
  'variable',
  'output',
  'module',
  'terraform',
  'resource',
  'data',
]);
