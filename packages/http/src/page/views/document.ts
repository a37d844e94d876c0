/** What every page has: head, who is signed in, where one is, and the one heading of first rank. */
import { type Html, html } from '../html/html.js';
import type { Visit } from '../visit.js';

export interface Crumb {
  readonly text: string;
  readonly path: string;
}

export interface Page {
  /** Of the window. */
  readonly title: string;
  /** From the registry down to the page's parent. */
  readonly crumbs?: readonly Crumb[];
  /** The page itself, as the last crumb. */
  readonly here?: string;
  /** With its one `h1`. */
  readonly body: Html;
  /** A column for reading and typing, instead of the whole width. */
  readonly narrow?: boolean;
}

export function document(visit: Pick<Visit, 'site' | 'session'>, page: Page): Html {
  const { site, session } = visit;
  const width = page.narrow === true ? 'frame narrow' : 'frame';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title} · ${site.title}</title>
<link rel="stylesheet" href="${site.stylePath}">
<link rel="icon" type="image/svg+xml" href="${site.iconPath}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><div class="frame">
<a class="home" href="${site.path}"><img src="${site.iconPath}" alt="" width="26" height="26">${site.title}</a>
${
  session !== undefined &&
  html`<form class="who" method="post" action="${site.signOutPath}">
<span>Signed in as <strong>${session.caller}</strong></span>
<input type="hidden" name="form_secret" value="${session.formSecret}">
<button class="text">Sign out</button></form>`
}
</div></header>
<div class="${width}">
${crumbs(page)}
<main id="content" tabindex="-1">${page.body}</main>
</div>
<footer><div class="frame">Postern module registry. All times in UTC.</div></footer>
</body>
</html>
`;
}

function crumbs({ crumbs: above = [], here }: Page): Html | false {
  if (above.length === 0) return false;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>
${above.map(({ text, path }) => html`<li><a href="${path}">${text}</a></li>`)}
${here !== undefined && html`<li aria-current="page">${here}</li>`}</ol></nav>`;
}
