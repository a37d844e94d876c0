/** Lists of modules: all, of a namespace, searched for, by provider; paged by offset and limit (MODULE-6). */
import type { ModuleList, ModuleQuery, Registry } from '@postern/core-registry';
import { type Answer, type Exchange, type Handler, json } from './exchange.js';
import type { JsonObject } from './json-document.js';
import { moduleSummary } from './module-object.js';
import { wholeNumber } from './query-numbers.js';

export interface ListHandlers {
  readonly all: Handler;
  readonly ofNamespace: Handler;
  readonly search: Handler;
  readonly byProvider: Handler;
}

export function createLists(registry: Registry): ListHandlers {
  async function list(exchange: Exchange, more: ModuleQuery): Promise<Answer> {
    const { call, query } = exchange;
    const found = await registry.listModules(call, {
      provider: query.get('provider') ?? undefined,
      offset: wholeNumber(query, 'offset'),
      limit: wholeNumber(query, 'limit'),
      ...more,
    });
    return json(200, { meta: metaOf(found, exchange), modules: found.modules.map(moduleSummary) });
  }

  return {
    all: (exchange) => list(exchange, { namespace: exchange.query.get('namespace') ?? undefined }),
    ofNamespace: (exchange) => list(exchange, { namespace: exchange.params['organization_name'] ?? '' }),
    search: (exchange) =>
      list(exchange, {
        namespace: exchange.query.get('namespace') ?? undefined,
        words: exchange.query.get('q') ?? '',
      }),
    async byProvider({ call, params }) {
      const { organization_name: namespace = '', module_name: name = '' } = params;
      const views = await registry.latestByProvider(call, { namespace, name });
      const meta = { limit: views.length, current_offset: 0 };
      return json(200, { meta, modules: views.map(moduleSummary) });
    },
  };
}

function metaOf({ offset, limit, nextOffset }: ModuleList, { request, query }: Exchange): JsonObject {
  const previous = offset === 0 ? undefined : Math.max(0, offset - limit);
  return {
    limit,
    current_offset: offset,
    ...(nextOffset === undefined ? {} : { next_offset: nextOffset, next_url: pageUrl(request, query, nextOffset) }),
    ...(previous === undefined ? {} : { prev_offset: previous, prev_url: pageUrl(request, query, previous) }),
  };
}

/** Relative to the host, so that it holds behind any name that the registry is reached by. */
function pageUrl({ url }: Request, query: URLSearchParams, offset: number): string {
  const next = new URLSearchParams(query);
  next.set('offset', String(offset));
  return `${new URL(url).pathname}?${next}`;
}
