/** Lists of modules: all, of a namespace, searched for, by provider; paged by offset and limit (MODULE-6). */
import type { ModuleList, ModuleQuery } from '@postern/core-registry';
import { type Answer, type Exchange, type Handler, json, wholeNumber } from './exchange.js';
import { moduleSummary } from './module-object.js';
import type { JsonObject } from './representation.js';

async function list({ session, request, query }: Exchange, more: ModuleQuery): Promise<Answer> {
  const found = await session.listModules({
    provider: query.get('provider') ?? undefined,
    offset: wholeNumber(query, 'offset'),
    limit: wholeNumber(query, 'limit'),
    ...more,
  });
  return json(200, { meta: metaOf(found, request, query), modules: found.modules.map(moduleSummary) });
}

export const lists = {
  all: (exchange) => list(exchange, { namespace: exchange.query.get('namespace') ?? undefined }),
  ofNamespace: (exchange) => list(exchange, { namespace: exchange.params['organization_name'] ?? '' }),
  search: (exchange) =>
    list(exchange, { namespace: exchange.query.get('namespace') ?? undefined, words: exchange.query.get('q') ?? '' }),
  async byProvider({ session, params }) {
    const { organization_name: namespace = '', module_name: name = '' } = params;
    const views = await session.latestByProvider({ namespace, name });
    const meta = { limit: views.length, current_offset: 0 };
    return json(200, { meta, modules: views.map(moduleSummary) });
  },
} satisfies Readonly<Record<string, Handler>>;

function metaOf({ offset, limit, nextOffset }: ModuleList, request: Request, query: URLSearchParams): JsonObject {
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
