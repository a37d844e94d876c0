/** Links that leave the registry (PAGE-7): http and https only, and the other side learns nothing of the visitor. */
import { type Html, html } from './html.js';
import { excerpt } from './showable-text.js';

/** Nobody vouches for where they lead, and the page they open gets neither its opener nor an address. */
export const EXTERNAL_REL = 'nofollow noopener noreferrer';

const MAX_HREF_CHARACTERS = 2000;
const MAX_LABEL_CHARACTERS = 120;

/** What may stand in `href`; undefined for any other scheme, user info (shows one host, opens another), or no URL. */
export function externalHref(text: string): string | undefined {
  if (text.length > MAX_HREF_CHARACTERS || !/^https?:\/\/[^\s/?#\\]/i.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.username !== '' || url.password !== '' ? undefined : url.href;
}

/** A link where it may be one, else its text. */
export function externalLink(target: string, label: string = target): Html {
  const href = externalHref(target);
  const text = excerpt(label, MAX_LABEL_CHARACTERS);
  return href === undefined ? html`${text}` : html`<a href="${href}" rel="${EXTERNAL_REL}">${text}</a>`;
}
