/** Pages for reading: lists, a module, a version. A page the visitor may not read is answered as missing (REG-8). */

import { isRegistryError, RegistryError, STATES } from '@postern/core-registry';
import type { ModuleVersionState } from '@postern/ports';
import { LRUCache } from 'lru-cache';
import type { Html } from './html.js';
import { ACTIONS, isCommand } from './manage/actions.js';
import type { Exchange, Handler, PageContext } from './page-context.js';
import { doneCookie, doneToForget } from './session/visitor-cookies.js';
import { wholeNumber } from './views/document.js';
import { moduleListPage, providersPage } from './views/module-list.js';
import { modulePage } from './views/module-page.js';
import { versionPage } from './views/version-page.js';

const MODULES_PER_PAGE = 50;
const MAX_WORDS_CHARACTERS = 256;
/** As far as the registry pages through modules. */
const MAX_OFFSET = 10_000;

export function createReadHandlers({ site }: PageContext) {
  const renderReadme = createReadmeCache();
  const moduleOf = ({ params: { namespace = '', name = '', provider = '' } }: Exchange) => ({
    namespace,
    name,
    provider,
  });

  async function listOf({ visit, query }: Exchange, namespace: string | undefined): Promise<Html> {
    const words = (query.get('q') ?? '').trim().slice(0, MAX_WORDS_CHARACTERS);
    const offset = wholeNumber(query.get('offset'), MAX_OFFSET);
    const list = await visit.registry.listModules({ namespace, words, offset, limit: MODULES_PER_PAGE });
    return moduleListPage(visit, { list, words, namespace });
  }

  const index: Handler = async (exchange) => exchange.page(await listOf(exchange, undefined));

  const organization: Handler = async (exchange) => {
    const { namespace } = moduleOf(exchange);
    const { canRead } = await exchange.visit.registry.access(namespace);
    if (!canRead) throw new RegistryError('not_found', 'not found');
    return exchange.page(await listOf(exchange, namespace));
  };

  const name: Handler = async (exchange) => {
    const module = moduleOf(exchange);
    const views = await exchange.visit.registry.latestByProvider(module);
    return exchange.page(providersPage(exchange.visit, views, module.namespace, module.name));
  };

  const module: Handler = async (exchange) => {
    const { visit, query } = exchange;
    const address = moduleOf(exchange);
    const { list, ...latest } = await visit.registry.latest(address);
    const state = stateOf(query.get('state'));
    const offset = wholeNumber(query.get('offset'), Number.MAX_SAFE_INTEGER);
    return exchange.page(modulePage(visit, { list, latest, state, offset }));
  };

  const version: Handler = async (exchange) => {
    const { request, params, query, visit } = exchange;
    const address = { ...moduleOf(exchange), version: params['version'] ?? '' };
    const before = wholeNumber(query.get('before'), Number.MAX_SAFE_INTEGER);
    const { history, ...view } = await visit.registry.readVersionWithHistory(address, before === 0 ? {} : { before });
    const [access, readme] = await Promise.all([
      visit.session === undefined ? undefined : visit.registry.access(address.namespace),
      renderReadme(view.details.root.readme),
    ]);
    const done = doneCookie(request);
    if (done !== undefined) exchange.addCookie(doneToForget(visit.origin, site.versionPath(address)));
    const notice = done !== undefined && isCommand(done) ? ACTIONS[done].done(address.version) : undefined;
    const canManage = access?.canManage === true;
    return exchange.page(versionPage(visit, { view, history, readme, canManage, notice }));
  };

  return { index, organization, name, module, version };
}

function stateOf(text: string | null): ModuleVersionState | undefined {
  return STATES.find((state) => state === text);
}

export type RenderReadme = (text: string) => Promise<Html | undefined>;

/**
 * Keeps rendered READMEs: a version's README never changes, and one that is slow to render is rendered once, not for every
 * reader. The library is loaded with the first README.
 *
 * @param maxCharacters of Markdown and markup together.
 */
export function createReadmeCache(maxCharacters = 8 * 1024 * 1024): RenderReadme {
  const kept = new LRUCache<string, Html>({
    maxSize: maxCharacters,
    sizeCalculation: (html, text) => text.length + html.length,
  });
  return async (text) => {
    if (text === '') return undefined;
    const { MAX_README_CHARACTERS, renderReadme } = await import('./readme/render-readme.js');
    // One character more than is shown: whether the rest is left out is part of what is rendered.
    const key = text.slice(0, MAX_README_CHARACTERS + 1);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const html = renderReadme(key);
    if (html !== undefined) kept.set(key, html);
    return html;
  };
}

/** Whether the visitor must sign in, or sign in again. */
export function needsSignIn(error: unknown): boolean {
  return isRegistryError(error) && error.kind === 'unauthorized';
}
