/** What was rendered once is not rendered again, within bounds. */
import { describe, expect, it } from 'vitest';
import { createReadmeCache } from './read-handlers.js';
import { MAX_README_CHARACTERS } from './readme/render-readme.js';

describe('the cache of READMEs', () => {
  it('answers the same markup for the same text', async () => {
    const render = createReadmeCache();
    expect(await render('# a')).toBe(await render(['#', 'a'].join(' ')));
    expect(await render('')).toBeUndefined();
    expect(await render(' ')).toBeUndefined();
  });

  it('forgets the one asked for longest ago', async () => {
    const render = createReadmeCache(120);
    const [a, b] = [await render('a'.repeat(20)), await render('b'.repeat(20))];
    expect(await render('a'.repeat(20))).toBe(a);
    await render('c'.repeat(20));
    expect(await render('a'.repeat(20))).toBe(a);
    expect(await render('b'.repeat(20))).not.toBe(b);
  });

  it('tells a text that is just within the bound from one beyond it', async () => {
    const render = createReadmeCache();
    const within = 'a '.repeat(MAX_README_CHARACTERS / 2);
    expect(String(await render(within))).not.toContain('The rest is not shown');
    expect(String(await render(`${within}b`))).toContain('The rest is not shown');
  });
});
