/**
 * `npm run docs`: builds the site into docs/.vitepress/dist; `-- dev` serves it and follows changes; `-- pages` builds it without the
 * API reference, which takes longest. A link to a page that does not exist fails the build.
 */
import { fileURLToPath } from 'node:url';
import { build, createServer } from 'vitepress';

const folder = fileURLToPath(new URL('.', import.meta.url));
const [mode = 'build'] = process.argv.slice(2);
if (!['build', 'dev', 'pages'].includes(mode)) {
  console.error('usage: npm run docs [-- dev|pages]');
  process.exit(2);
}

if (mode === 'pages') process.env['POSTERN_DOCS_PAGES'] = 'on';
else await (await import('./api-reference.mjs')).writeApiReference();

if (mode === 'dev') {
  const server = await createServer(folder);
  await server.listen();
  server.printUrls();
} else {
  await build(folder);
}
