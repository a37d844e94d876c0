/**
 * A policy as its author writes it (POLICY-6): HCL or JSON in the form of Vault, `path "x" { capabilities = ["read"] }`, or
 * a JSON object of patterns and capabilities as in the configuration. Bounded; what would restrict a grant and is not
 * supported here is rejected, never ignored.
 */
import { parseStrictJson } from '@postern/kernel';
import { CAPABILITIES, type Policy } from './policy.js';

export const MAX_POLICY_CHARACTERS = 64 * 1024;
const MAX_PATTERNS = 500;
const MAX_PATTERN_CHARACTERS = 1024;
const MAX_DEPTH = 6;

export type ParsedPolicy =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly problem: string };

export function parsePolicyText(text: string): ParsedPolicy {
  if (text.length > MAX_POLICY_CHARACTERS) return problem(`longer than ${MAX_POLICY_CHARACTERS} characters`);
  try {
    const paths = /^\s*\{/.test(text) ? pathsOfJson(text) : pathsOfHcl(text);
    return { ok: true, policy: policyOf(paths) };
  } catch (error) {
    if (error instanceof PolicyProblem) return problem(error.message);
    throw error;
  }
}

class PolicyProblem extends Error {}

function problem(text: string): ParsedPolicy {
  return { ok: false, problem: text };
}

type Paths = readonly (readonly [pattern: string, capabilities: unknown])[];

function policyOf(paths: Paths): Policy {
  if (paths.length > MAX_PATTERNS) throw new PolicyProblem(`more than ${MAX_PATTERNS} paths`);
  const policy = new Map<string, Policy[string]>();
  for (const [pattern, capabilities] of paths) {
    if (pattern === '' || pattern.length > MAX_PATTERN_CHARACTERS) {
      throw new PolicyProblem(`a path is empty or longer than ${MAX_PATTERN_CHARACTERS} characters`);
    }
    if (policy.has(pattern)) throw new PolicyProblem(`path ${JSON.stringify(pattern)} occurs twice`);
    policy.set(pattern, capabilitiesOf(pattern, capabilities));
  }
  return Object.fromEntries(policy);
}

function capabilitiesOf(pattern: string, given: unknown): Policy[string] {
  if (!Array.isArray(given))
    throw new PolicyProblem(`path ${JSON.stringify(pattern)}: expected a list of capabilities`);
  return given.map((name: unknown) => {
    const known = CAPABILITIES.find((each) => each === name);
    if (known !== undefined) return known;
    throw new PolicyProblem(`path ${JSON.stringify(pattern)}: unknown capability; expected ${CAPABILITIES.join(', ')}`);
  });
}

function pathsOfJson(text: string): Paths {
  const parsed = parseStrictJson(text, { maxDepth: MAX_DEPTH, refuseDuplicateKeys: true });
  if (!parsed.ok || !isObject(parsed.value)) throw new PolicyProblem('not a JSON object, or a name occurs twice in it');
  const { path, name: _name, ...others } = parsed.value;
  if (!isObject(path)) return Object.entries(parsed.value);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new PolicyProblem(`unknown member ${JSON.stringify(other)}; expected path`);
  return Object.entries(path).map(([pattern, block]) => {
    if (!isObject(block)) throw new PolicyProblem(`path ${JSON.stringify(pattern)}: expected an object`);
    return [pattern, blockOf(pattern, Object.entries(block))];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function blockOf(pattern: string, members: readonly (readonly [name: string, value: unknown])[]): unknown {
  let capabilities: unknown;
  for (const [name, value] of members) {
    if (name === 'capabilities' && capabilities === undefined) capabilities = value;
    else
      throw new PolicyProblem(`path ${JSON.stringify(pattern)}: ${name} is not supported; expected capabilities once`);
  }
  return capabilities;
}

/** The part of HCL that policies are written in: blocks `path "…" { … }`, attributes of texts and lists of texts, comments. */
function pathsOfHcl(text: string): Paths {
  const tokens = tokensOf(text);
  let at = 0;
  const next = (): Token | undefined => {
    const token = tokens[at];
    at += 1;
    return token;
  };
  const expect = (punctuation: string) => {
    const token = next();
    if (token?.punctuation !== punctuation) throw new PolicyProblem(`expected ${punctuation} ${placeOf(token)}`);
  };
  const textToken = (): string => {
    const token = next();
    if (token?.text === undefined) throw new PolicyProblem(`expected a quoted text ${placeOf(token)}`);
    return token.text;
  };
  const list = (): string[] => {
    expect('[');
    const items: string[] = [];
    while (tokens[at]?.punctuation !== ']') {
      items.push(textToken());
      if (tokens[at]?.punctuation !== ',') break;
      at += 1;
    }
    expect(']');
    return items;
  };
  const paths: [string, unknown][] = [];
  while (at < tokens.length) {
    const token = next();
    if (token?.word === 'name' && tokens[at]?.punctuation === '=') {
      at += 1;
      textToken();
      continue;
    }
    if (token?.word !== 'path') throw new PolicyProblem(`expected path "…" { … } ${placeOf(token)}`);
    const pattern = textToken();
    expect('{');
    const members: [string, unknown][] = [];
    while (tokens[at]?.punctuation !== '}') {
      const member = next();
      if (member?.word === undefined) throw new PolicyProblem(`expected capabilities ${placeOf(member)}`);
      if (member.word !== 'capabilities') {
        throw new PolicyProblem(`path ${JSON.stringify(pattern)}: ${member.word} is not supported`);
      }
      expect('=');
      members.push([member.word, list()]);
    }
    expect('}');
    paths.push([pattern, blockOf(pattern, members)]);
  }
  return paths;
}

interface Token {
  readonly line: number;
  readonly word?: string;
  readonly text?: string;
  readonly punctuation?: string;
}

function placeOf(token: Token | undefined): string {
  return token === undefined ? 'at the end' : `in line ${token.line}`;
}

/** Alternatives that begin with different characters: no backtracking. */
const TOKEN =
  /[ \t\r\n]+|#[^\n]*|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|([A-Za-z_][\w-]*)|"((?:[^"\\\n]|\\.)*)"|([{}[\]=,])/y;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new PolicyProblem(`cannot be read in line ${line}`);
    const [whole, word, quoted, punctuation] = match;
    if (word !== undefined) tokens.push({ line, word });
    else if (quoted !== undefined) tokens.push({ line, text: unquote(quoted, line) });
    else if (punctuation !== undefined) tokens.push({ line, punctuation });
    else if (from === TOKEN.lastIndex) throw new PolicyProblem(`cannot be read in line ${line}`);
    line += whole.split('\n').length - 1;
  }
  return tokens;
}

function unquote(quoted: string, line: number): string {
  if (quoted.includes('${')) throw new PolicyProblem(`templates are not supported: line ${line}`);
  try {
    const text: unknown = JSON.parse(`"${quoted}"`);
    if (typeof text === 'string') return text;
  } catch {
    // An escape that JSON does not know.
  }
  throw new PolicyProblem(`a text cannot be read in line ${line}`);
}
