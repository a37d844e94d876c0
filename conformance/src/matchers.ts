/** Holds what came against what was expected: values as they stand, or matchers such as `{ "$regex": "^pst_" }`. */
import { isObject, type Json, type JsonObject } from './json.js';
import { type Profile, wireName } from './profile.js';

type Check = (actual: unknown, argument: Json, profile: Profile) => boolean;

const MATCHERS: Readonly<Record<string, Check>> = {
  $absent: (actual, wanted) => (actual === undefined) === wanted,
  $type: (actual, type) => (type === 'array' ? Array.isArray(actual) : typeof actual === type),
  $regex: (actual, pattern) => typeof actual === 'string' && new RegExp(String(pattern)).test(actual),
  $oneOf: (actual, options) => asList(options).some((option) => isSame(actual, option)),
  $range: (actual, bounds) => {
    const [low, high] = asList(bounds).map(Number);
    return typeof actual === 'number' && actual >= (low ?? 0) && actual <= (high ?? Number.POSITIVE_INFINITY);
  },
  $includes: (actual, items) => asList(items).every((item) => asList(actual).some((each) => isSame(each, item))),
  $excludes: (actual, items) => !asList(items).some((item) => asList(actual).some((each) => isSame(each, item))),
  $some: (actual, expected, profile) =>
    asList(actual).some((each) => differences('', each, expected, profile).length === 0),
  $has: (actual, members, profile) =>
    Object.entries(isObject(members) ? members : {}).every(
      ([name, value]) => differences('', valueAt(actual, wireName(profile, name)), value, profile).length === 0,
    ),
  $length: (actual, length) => asList(actual).length === length,
  $keys: (actual, names, profile) =>
    isObject(actual) &&
    isSame(
      Object.keys(actual).sort(),
      asList(names)
        .map((name) => wireName(profile, String(name)))
        .sort(),
    ),
  $sorted: (actual) => Array.isArray(actual) && isSame(actual, actual.map(String).sort()),
  $not: (actual, value) => !isSame(actual, value),
  /** RFC 3339, so many seconds from now, give or take 60. */
  $fromNow: (actual, seconds) => {
    const at = typeof actual === 'string' ? Date.parse(actual) : Number.NaN;
    return Math.abs(at - Date.now() - Number(seconds) * 1000) <= 60_000;
  },
};

/** What is wrong with `actual`, one line each, or nothing. */
export function differences(where: string, actual: unknown, expected: Json, profile: Profile): readonly string[] {
  const matcher = matcherOf(expected);
  if (matcher !== undefined) {
    const [name, argument] = matcher;
    const check = MATCHERS[name];
    if (check === undefined) return [`${where}: the case has an unknown matcher ${name}`];
    return check(actual, argument, profile) ? [] : [`${where}: ${show(actual)} does not match ${show(expected)}`];
  }
  if (isObject(expected) && isObject(actual)) {
    const wire = new Map(Object.entries(expected).map(([name, value]) => [wireName(profile, name), value]));
    const surplus = Object.keys(actual).filter((name) => !wire.has(name));
    return [
      ...[...wire].flatMap(([name, value]) => differences(`${where}.${name}`, actual[name], value, profile)),
      ...surplus.map((name) => `${where}.${name}: unexpected`),
    ];
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((value, index) => differences(`${where}.${index}`, actual[index], value, profile));
  }
  return isSame(actual, expected) ? [] : [`${where}: ${show(actual)} instead of ${show(expected)}`];
}

/** The value at `data.keys.0`; undefined where the path ends early. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }
  return at;
}

function matcherOf(expected: Json): readonly [string, Json] | undefined {
  if (!isObject(expected)) return undefined;
  const [entry, ...more] = Object.entries(expected as JsonObject);
  return entry?.[0].startsWith('$') === true && more.length === 0 ? entry : undefined;
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, index) => isSame(value, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isSame(left[name], right[name]));
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
