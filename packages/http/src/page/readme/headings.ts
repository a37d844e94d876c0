/**
 * Headings of a README within the outline of the page: below its `h2`, no rank left out, none empty, each with an id that
 * links within the README lead to.
 */
import type { Token } from 'markdown-it';

/** Of the section that the README stands in. */
const OUTER_RANK = 2;
const LOWEST_RANK = 6;
const MAX_SLUG_CHARACTERS = 100;

export function fitHeadings(tokens: readonly Token[]): Token[] {
  const fitted: Token[] = [];
  const above: number[] = [];
  const taken = new Map<string, number>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const [inline, close] = [tokens[at + 1], tokens[at + 2]];
    if (token.type !== 'heading_open' || inline === undefined || close?.type !== 'heading_close') {
      fitted.push(token);
      continue;
    }
    at += 2;
    if (inline.content.trim() === '') continue;
    const written = Number(token.tag.slice(1));
    while ((above.at(-1) ?? 0) >= written) above.pop();
    above.push(written);
    const tag = `h${Math.min(LOWEST_RANK, OUTER_RANK + above.length)}`;
    token.tag = tag;
    close.tag = tag;
    const slug = slugOf(inline.content);
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    token.attrs = [['id', fragmentId(times === 0 ? slug : `${slug}-${times}`)]];
    fitted.push(token, inline, close);
  }
  return fitted;
}

/** Apart from every id of the page itself. */
export function fragmentId(slug: string): string {
  return `readme-${slug}`;
}

/** As code hosts make them: lower case, hyphens for spaces, no punctuation. */
export function slugOf(heading: string): string {
  return heading
    .slice(0, MAX_SLUG_CHARACTERS)
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
