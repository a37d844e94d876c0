/**
 * READMEs rendered lately: a version's README never changes, and one that is slow to render is rendered
 * once, not for every reader. The library is loaded with the first README.
 */
import type { Html } from '../html.js';

/** Of Markdown and markup together. */
const MAX_KEPT_CHARACTERS = 8 * 1024 * 1024;

export type RenderReadme = (text: string) => Promise<Html | undefined>;

export function createReadmeCache(maxCharacters = MAX_KEPT_CHARACTERS): RenderReadme {
  const kept = new Map<string, Html>();
  let size = 0;

  function keep(text: string, html: Html): void {
    kept.set(text, html);
    size += weight(text, html);
    for (const [oldest, its] of kept) {
      if (size <= maxCharacters) break;
      kept.delete(oldest);
      size -= weight(oldest, its);
    }
  }

  return async (text) => {
    if (text === '') return undefined;
    const { MAX_README_CHARACTERS, renderReadme } = await import('./render-readme.js');
    // One character more than is shown: whether the rest is left out is part of what is rendered.
    const key = text.slice(0, MAX_README_CHARACTERS + 1);
    const known = kept.get(key);
    if (known !== undefined) {
      // Now the youngest.
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const html = renderReadme(key);
    if (html !== undefined) keep(key, html);
    return html;
  };
}

function weight(text: string, html: Html): number {
  return text.length + html.length;
}
