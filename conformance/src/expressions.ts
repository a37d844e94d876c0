/**
 * What a case leaves open: `{{web.id}}` in texts, and values that are made, such as `{ "$base64": "…" }`. A text that is one
 * expression and nothing else becomes the value itself, with its type.
 */
import { isObject, type Json, type JsonObject } from './json.js';
import { valueAt } from './matchers.js';

/** Makes a value from a resolved argument; what it returns for a member takes the place of that member. */
export type Maker = (argument: Json) => Json | Promise<Json>;

export interface Scope {
  /** By the first name of an expression. */
  readonly names: Map<string, unknown>;
  /** `$pkcs7`: a value. */
  readonly values: Readonly<Record<string, Maker>>;
  /** `$iam` as a member of an object: several members. */
  readonly members: Readonly<Record<string, Maker>>;
}

const FILTERS: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  path: encodeURIComponent,
  upper: (text) => text.toUpperCase(),
};

const EXPRESSION = /\{\{([^{}]+)\}\}/g;
const WHOLE = /^\{\{([^{}]+)\}\}$/;

/** Matchers keep their shape: their names are not among the makers. @throws Error for a name that is not in scope. */
export async function resolve(value: Json, scope: Scope): Promise<Json> {
  if (typeof value === 'string') {
    const text = resolveText(value, scope);
    // A row may hold what is to be resolved itself.
    return typeof text === 'object' && value.startsWith('{{row.') ? resolve(text, scope) : text;
  }
  if (Array.isArray(value)) return Promise.all(value.map((each) => resolve(each, scope)));
  if (!isObject(value)) return value;
  const resolved: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    const argument = await resolve(member, scope);
    const made = scope.values[name];
    if (made !== undefined) return made(argument);
    const several = scope.members[name];
    if (several === undefined) resolved[String(resolveText(name, scope))] = argument;
    else Object.assign(resolved, await several(argument));
  }
  return resolved;
}

export function resolveText(text: string, scope: Scope): Json {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return evaluate(whole, scope);
  return text.replaceAll(EXPRESSION, (_all, expression: string) => String(evaluate(expression, scope)));
}

function evaluate(expression: string, scope: Scope): Json {
  const { names } = scope;
  const [path = '', ...filters] = expression.split('|').map((part) => part.trim());
  const [first = '', ...rest] = path.split('.');
  const found = rest.length === 0 ? names.get(first) : valueAt(names.get(first), rest.join('.'));
  if (found === undefined) throw new Error(`{{${expression}}}: there is nothing of that name`);
  // Names hold fixtures, rows and answers: all of them JSON.
  let value = found as Json;
  if (first === 'row' && typeof value === 'string') value = resolveText(value, scope);
  for (const name of filters) {
    const filter = FILTERS[name];
    if (filter === undefined) throw new Error(`{{${expression}}}: unknown filter ${name}`);
    value = filter(String(value));
  }
  return value;
}

/** The makers that need nothing of the world. */
export const PLAIN_VALUES: Readonly<Record<string, Maker>> = {
  $base64: (argument) => Buffer.from(String(argument)).toString('base64'),
  $repeat: (argument) => {
    const [text, times] = Array.isArray(argument) ? argument : [];
    return String(text).repeat(Number(times));
  },
  $list: (argument) => {
    const { of, count } = argument as JsonObject;
    return Array.from({ length: Number(count) }, (_each, index) => `${String(of)}${index}`);
  },
  $json: (argument) => JSON.stringify(argument),
  /** RFC 3339 without fractions, so many seconds from now. */
  $secondsFromNow: (argument) => new Date(Date.now() + Number(argument) * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
};
