/**
 * A README as published, untrusted Markdown, as markup that is harmless and fits the page (PAGE-8). HTML in it is
 * shown as text; of links only http, https and those within the text stay; nothing is loaded from elsewhere; its headings
 * stand below the page's own.
 */
import MarkdownIt, { type Token } from 'markdown-it';
import { type Html, showable, trustedHtml } from '../html.js';
import { fitHeadings } from './headings.js';
import { safeInline } from './safe-inline.js';

/**
 * The library's time is linear in this, 4 ms of CPU a KiB for the worst that is known (`[` and a line feed, again and
 * again) and a tenth of it for what people write; beyond it only the beginning is shown.
 */
export const MAX_README_CHARACTERS = 128 * 1024;

const markdown = create();

/** @returns undefined for a text with nothing in it. */
export function renderReadme(text: string): Html | undefined {
  const shown = showable(text.slice(0, MAX_README_CHARACTERS));
  if (shown.trim() === '') return undefined;
  const rendered = markdown.render(shown);
  const cut = text.length > MAX_README_CHARACTERS ? '<p><em>The rest is not shown: it is too long.</em></p>' : '';
  return trustedHtml(rendered + cut);
}

function create() {
  const instance = new MarkdownIt({ html: false, linkify: false, typographer: false });
  instance.core.ruler.push('registry_page', (state) => {
    const fitted = fitHeadings(state.tokens);
    plainTables(fitted);
    for (const token of fitted) {
      if (token.children !== null) token.children = safeInline(token.children, state.Token);
    }
    state.tokens = fitted;
  });
  const { rules } = instance.renderer;
  const block = (tokens: readonly Token[], at: number) =>
    `<pre tabindex="0"><code>${instance.utils.escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`;
  rules['fence'] = block;
  rules['code_block'] = block;
  rules['table_open'] = () => '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  return instance;
}

/** Alignment by class, for the policy allows no style attribute; a header cell without a text is no header. */
function plainTables(tokens: readonly Token[]): void {
  tokens.forEach((token, at) => {
    if (token.type !== 'th_open' && token.type !== 'td_open') return;
    const alignment = /(center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    token.attrs = alignment === undefined ? null : [['class', alignment]];
    const close = tokens[at + 2];
    if (token.type === 'th_open' && close?.type === 'th_close' && tokens[at + 1]?.content.trim() === '') {
      token.tag = 'td';
      close.tag = 'td';
    }
  });
}
