/**
 * The rules of docs/spec and the places that cite them. A rule is a heading `### NONCE-3 Title`; a citation is its id, or a
 * range `NONCE-1 to NONCE-7`, anywhere in a text. Only topics that docs/spec defines count, so `SHA-1` is no citation.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Rule
 * @property {string} id
 * @property {string} title
 * @property {string} file Name of the page: `nonces.md`.
 * @property {number} line
 * @property {string} text Everything below the heading.
 * @property {boolean} planned Decided and not yet implemented.
 * @property {boolean} onWire False where no caller of the API can observe the rule, or any rule of its page.
 * @property {string | undefined} profile The only wire profile that it holds in.
 */

const HEADING = /^### ([A-Z]+-\d+) (.+)$/;
const NOT_ON_WIRE = /^Not on the wire\./m;
const CITATION = /\b([A-Z]+)-(\d+)\b(?: to ([A-Z]+)-(\d+)\b)?/g;

/** How rules were cited before docs/spec: decisions, sections and threats of notes that are not in the repository. */
export const OLD_FORMS = /\b(decisions? [A-Z]\d|behaviour\s+sheet|threats? [A-Z]\d)|\bspec \d/i;

/** @param {string} file name of the page @param {string} page @returns {Rule[]} in the order of the page */
export function parseRules(file, page) {
  /** @type {Rule[]} */
  const rules = [];
  const [introduction = ''] = page.split(/^### /m, 1);
  for (const [index, line] of page.split('\n').entries()) {
    const [, id, title] = HEADING.exec(line) ?? [];
    const last = rules.at(-1);
    if (id !== undefined && title !== undefined) {
      rules.push({ id, title, file, line: index + 1, text: '', planned: false, onWire: true, profile: undefined });
    } else if (last !== undefined) last.text += `${line}\n`;
  }
  return rules.map((rule) => ({
    ...rule,
    planned: /^Status: planned/m.test(rule.text),
    onWire: ![introduction, rule.text].some((text) => NOT_ON_WIRE.test(text)),
    profile: /^Profile: (\w+)/m.exec(rule.text)?.[1],
  }));
}

/** @param {string} folder docs/spec @returns {Rule[]} of every page, duplicates and all */
export function readRules(folder) {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return pages.sort().flatMap((name) => parseRules(name, readFileSync(join(folder, name), 'utf8')));
}

/** @param {string} id @returns {string} `NONCE` of `NONCE-3` */
export const topicOf = (id) => id.slice(0, id.lastIndexOf('-'));

/** @param {string} text @param {ReadonlySet<string>} topics @returns {string[]} each id once, ranges spelled out */
export function citedIds(text, topics) {
  /** @type {Set<string>} */
  const ids = new Set();
  for (const [, topic = '', first, lastTopic, last] of text.matchAll(CITATION)) {
    if (!topics.has(topic)) continue;
    const end = lastTopic === topic ? Number(last) : Number(first);
    for (let at = Number(first); at <= end; at += 1) ids.add(`${topic}-${at}`);
    if (lastTopic !== undefined && lastTopic !== topic && topics.has(lastTopic)) ids.add(`${lastTopic}-${last}`);
  }
  return [...ids];
}

/**
 * @param {readonly Rule[]} rules
 * @param {ReadonlyMap<string, string>} texts by path: everything that may cite a rule, docs/spec included
 * @returns {{ complaints: string[], uncited: string[] }} `uncited`: rules that hold and that no code, test or case cites
 */
export function checkCitations(rules, texts) {
  const topics = new Set(rules.map(({ id }) => topicOf(id)));
  const defined = new Map(rules.map((rule) => [rule.id, rule]));
  const complaints = rules.flatMap((rule) => {
    const other = defined.get(rule.id);
    return other === rule || other === undefined
      ? []
      : [`docs/spec/${rule.file}:${rule.line}: ${rule.id} is defined again at docs/spec/${other.file}:${other.line}`];
  });
  /** @type {Set<string>} */
  const cited = new Set();
  for (const [path, text] of texts) {
    for (const [index, line] of text.split('\n').entries()) {
      const at = `${path}:${index + 1}`;
      for (const id of citedIds(line, topics)) {
        if (!defined.has(id)) complaints.push(`${at}: ${id} is not defined in docs/spec`);
        if (!path.startsWith('docs/')) cited.add(id);
      }
      if (OLD_FORMS.test(line)) complaints.push(`${at}: cites a note outside the repository; cite a rule of docs/spec`);
    }
  }
  const uncited = rules.filter(({ id, planned }) => !planned && !cited.has(id)).map(({ id }) => id);
  return { complaints, uncited };
}
