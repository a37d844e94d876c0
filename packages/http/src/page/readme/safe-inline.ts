/**
 * Links and pictures of a README (PAGE-8). A picture is not loaded, for its server would learn who reads what: its
 * text stands there, as a link to it. A link that leads neither to http(s) nor within the README is its text alone.
 */
import type { Token } from 'markdown-it';
import { EXTERNAL_REL, externalHref } from '../html.js';
import { fragmentId, slugOf } from './headings.js';

type TokenMaker = new (type: string, tag: string, nesting: 1 | 0 | -1) => Token;

const PICTURE_WITHOUT_TEXT = 'Picture';

export function safeInline(children: readonly Token[], Make: TokenMaker): Token[] {
  const made: Token[] = [];
  /** Of the links that are open: whether each is kept. Markdown allows no link in a link. */
  const open: { readonly keeps: boolean; readonly href: string; hasText: boolean }[] = [];
  const text = (content: string): Token => {
    const token = new Make('text', '', 0);
    token.content = content;
    return token;
  };
  for (const child of children) {
    const inside = open.at(-1);
    if (child.type === 'link_open') {
      const href = safeHref(String(child.attrGet('href') ?? ''));
      open.push({ keeps: href !== undefined, href: href ?? '', hasText: false });
      if (href === undefined) continue;
      child.attrs = linkAttributes(href);
      made.push(child);
    } else if (child.type === 'link_close') {
      open.pop();
      if (inside?.keeps !== true) continue;
      if (!inside.hasText) made.push(text(inside.href));
      made.push(child);
    } else if (child.type === 'image') {
      const label = child.content.trim() || PICTURE_WITHOUT_TEXT;
      const href = externalHref(String(child.attrGet('src') ?? ''));
      if (inside !== undefined) inside.hasText = true;
      if (inside?.keeps === true || href === undefined) {
        made.push(text(label));
      } else {
        const link = new Make('link_open', 'a', 1);
        link.attrs = linkAttributes(href);
        made.push(link, text(label), new Make('link_close', 'a', -1));
      }
    } else {
      if (inside !== undefined && child.content.trim() !== '') inside.hasText = true;
      made.push(child);
    }
  }
  return made;
}

function linkAttributes(href: string): [string, string][] {
  const target: [string, string] = ['href', href];
  return href.startsWith('#') ? [target] : [target, ['rel', EXTERNAL_REL]];
}

/** Undefined for what a README must not lead to, or cannot: its own files are not served. */
function safeHref(href: string): string | undefined {
  if (!href.startsWith('#')) return externalHref(href);
  try {
    return `#${fragmentId(slugOf(decodeURIComponent(href.slice(1))))}`;
  } catch {
    return undefined;
  }
}
