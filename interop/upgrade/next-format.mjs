/**
 * Loaded before `postern` (`--import`): its kernel calls its newest record format one higher than it is. That is all that a
 * next version would have to change to write records that this one must not half-read (STORE-5).
 */
import { register } from 'node:module';

const hooks = `
  const CONSTANT = /\\bRECORD_FORMAT = (\\d+);/;
  export async function load(url, context, nextLoad) {
    const loaded = await nextLoad(url, context);
    if (!url.includes('/packages/kernel/dist/')) return loaded;
    const source = String(loaded.source);
    return CONSTANT.test(source)
      ? { ...loaded, source: source.replace(CONSTANT, (_, format) => 'RECORD_FORMAT = ' + (Number(format) + 1) + ';') }
      : loaded;
  }
`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
