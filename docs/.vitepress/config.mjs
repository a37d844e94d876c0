/** The site: every page below docs/, and the API reference that `api-reference.mjs` writes before. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const docs = fileURLToPath(new URL('..', import.meta.url));

/** Where files outside of docs/ are shown; without it links to them become their names. */
const repository = process.env['POSTERN_REPOSITORY_URL'];

/** Set by `site.mjs pages`. */
const withoutApi = process.env['POSTERN_DOCS_PAGES'] === 'on';

/** The anchors that GitHub gives to headings, so that one link works in both places. @param {string} heading */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/**
 * @param {string} folder below docs/
 * @returns {{ text: string, link: string }[]} its pages by their first heading, in the order of its opening page where that links to them
 */
function pagesIn(folder) {
  if (!existsSync(join(docs, folder))) return [];
  const contents = ['index.md', 'README.md']
    .map((name) => join(docs, folder, name))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
  /** @param {string} name */
  const place = (name) => {
    const at = contents.indexOf(`](${name})`);
    return at < 0 ? contents.length : at;
  };
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md') && name !== 'index.md' && name !== 'README.md')
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((name) => {
      const heading = /^# (.+)$/m.exec(readFileSync(join(docs, folder, name), 'utf8'))?.[1] ?? name;
      return { text: heading.replaceAll('`', ''), link: `/${folder}/${name.slice(0, -'.md'.length)}` };
    });
}

const apiPages = () => {
  const file = join(docs, 'api/typedoc-sidebar.json');
  return existsSync(file) && !withoutApi ? JSON.parse(readFileSync(file, 'utf8')) : [];
};

/** @param {string} folder @param {string} text @returns {{ text: string, link: string }[]} its opening page, where it has one */
function opening(folder, text) {
  for (const name of ['index', 'README']) {
    if (existsSync(join(docs, folder, `${name}.md`)))
      return [{ text, link: `/${folder}/${name === 'index' ? '' : name}` }];
  }
  return [];
}

const guide = [
  {
    text: 'Introduction',
    items: [
      { text: 'What Postern is', link: '/introduction' },
      { text: 'Auth method: a tour', link: '/guide' },
      { text: 'Module registry', link: '/registry' },
    ],
  },
  {
    text: 'Use it',
    items: [
      { text: 'Embedding', link: '/embedding' },
      { text: 'Server', link: '/server' },
      { text: 'Client', link: '/client' },
    ],
  },
  {
    text: 'Operate it',
    items: [
      { text: 'Security', link: '/security' },
      { text: 'DynamoDB', link: '/dynamodb' },
      { text: 'Performance', link: '/performance' },
    ],
  },
];

const reference = [
  {
    text: 'Reference',
    items: [
      { text: 'Operations', link: '/reference' },
      { text: 'Errors', link: '/errors' },
      { text: 'Dependencies', link: '/dependencies' },
    ],
  },
  { text: 'Packages', items: [{ text: 'Overview', link: '/api/' }, ...apiPages()] },
];

const spec = [{ text: 'Specification', items: [...opening('spec', 'Overview'), ...pagesIn('spec')] }];
const cookbook = [{ text: 'Cookbook', items: [...opening('cookbook', 'Overview'), ...pagesIn('cookbook')] }];
const decisions = [{ text: 'Decision records', items: [...opening('adr', 'Overview'), ...pagesIn('adr')] }];

/** @param {{ items: { link: string }[] }[]} sidebar */
const first = (sidebar) => sidebar[0]?.items[0]?.link ?? '/';

export default defineConfig({
  title: 'Postern',
  description:
    "Vault's AWS auth method and a private Terraform module registry, as TypeScript libraries and one small server.",
  lang: 'en',
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ['**/node_modules/**', ...(withoutApi ? ['api/**'] : [])],
  ignoreDeadLinks: withoutApi ? [/^\/api\//] : false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/postern.svg' }]],
  markdown: {
    anchor: { slugify },
    config: (markdown) => {
      const renderLink = markdown.renderer.rules['link_open'];
      markdown.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const target = token?.attrGet('href') ?? '';
        const page = typeof env.path === 'string' ? env.path : docs;
        // The site holds pages alone; policies are files of the repository, too.
        const outside =
          /^\.\.?\//.test(target) && (target.endsWith('.json') || !resolve(dirname(page), target).startsWith(docs));
        if (!outside || token === undefined) return renderLink?.(tokens, index, options, env, self) ?? '';
        const path = resolve(dirname(page), target).slice(resolve(docs, '..').length + 1);
        if (repository !== undefined) {
          token.attrSet('href', `${repository}/${path}`);
          return self.renderToken(tokens, index, options);
        }
        for (const each of tokens.slice(index)) {
          if (each.type !== 'link_close') continue;
          each.tag = 'span';
          break;
        }
        return '<span>';
      };
    },
  },
  themeConfig: {
    logo: '/postern.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      {
        text: 'Guide',
        link: '/introduction',
        activeMatch: '^/(introduction|guide|registry|embedding|server|client|security|performance)',
      },
      { text: 'Cookbook', link: first(cookbook), activeMatch: '^/cookbook/' },
      { text: 'Reference', link: '/reference', activeMatch: '^/(reference|errors|dependencies|api/)' },
      { text: 'Spec', link: first(spec), activeMatch: '^/spec/' },
      { text: 'Decisions', link: first(decisions), activeMatch: '^/adr/' },
    ],
    sidebar: {
      '/': guide,
      '/reference': reference,
      '/errors': reference,
      '/dependencies': reference,
      '/api/': reference,
      '/spec/': spec,
      '/cookbook/': cookbook,
      '/adr/': decisions,
    },
    footer: { message: 'Apache License 2.0' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
