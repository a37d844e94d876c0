/** Reads of the registry protocol about one module: versions, one version, status, history (MODULE-3, MODULE-2, REGAPI-11). */
import { formatInstant, type HistoryEntry, type Registry } from '@postern/core-registry';
import type { ModuleVersionAddress } from '@postern/ports';
import { type Exchange, type Handler, json, moduleOf, versionOf } from './exchange.js';
import { isAnyJsonType } from './faces.js';
import { invalid, member, parseJsonDocument, requireObject } from './json-document.js';
import { moduleDetail } from './module-object.js';
import { ProblemError, problemOf } from './problem.js';
import { wholeNumber } from './query-numbers.js';
import { createVersionListRenderer } from './version-list.js';
import { kebabDetails, statusObject } from './wire-notices.js';

export interface ReadHandlers {
  readonly versions: Handler;
  readonly version: Handler;
  readonly latest: Handler;
  readonly status: Handler;
  readonly statuses: Handler;
  readonly history: Handler;
}

export function createReads(registry: Registry): ReadHandlers {
  const render = createVersionListRenderer();
  return {
    async versions(exchange) {
      const { body, etag } = await render(await registry.listVersions(exchange.call, moduleOf(exchange)));
      return { status: 200, body, etag };
    },
    async version(exchange) {
      const { call } = exchange;
      // The second is asked only what the first was not refused: one request leaves one event.
      const view = await registry.readVersion(call, versionOf(exchange));
      const list = await registry.listVersions(call, moduleOf(exchange));
      return json(200, moduleDetail(view, list));
    },
    async latest(exchange) {
      const { call } = exchange;
      const module = moduleOf(exchange);
      const view = await registry.latest(call, module);
      const list = await registry.listVersions(call, module);
      return json(200, moduleDetail(view, list));
    },
    async status(exchange) {
      return json(200, statusObject(await registry.status(exchange.call, versionOf(exchange))));
    },
    async statuses(exchange) {
      const { call } = exchange;
      let versions: readonly ModuleVersionAddress[] = [];
      try {
        if (call.token !== undefined) versions = await askedVersions(exchange);
      } catch (error) {
        // Who calls comes before what was sent: a wrong token is told nothing of its document.
        await registry.statuses(call, []);
        throw error;
      }
      const statuses = await registry.statuses(call, versions);
      return json(200, { statuses: statuses.map((status) => (status === undefined ? null : statusObject(status))) });
    },
    async history(exchange) {
      const { call, query } = exchange;
      const { entries, total, next } = await registry.history(call, versionOf(exchange), {
        before: wholeNumber(query, 'before'),
        limit: wholeNumber(query, 'limit'),
      });
      return json(200, { history: entries.map(entryObject), meta: { total, next_before: next ?? null } });
    },
  };
}

/** `{"versions": ["acme/network/aws/1.0.0", …]}`. @throws ProblemError 415, 422 */
async function askedVersions({ request, readBody }: Exchange): Promise<readonly ModuleVersionAddress[]> {
  if (!isAnyJsonType(request.headers.get('content-type'))) {
    throw new ProblemError(problemOf(415, 'the content type must be application/json'));
  }
  const versions = member(requireObject(parseJsonDocument(await readBody()), ''), 'versions');
  if (!Array.isArray(versions)) throw invalid('/versions', 'versions: must be a list of ids of module versions');
  return versions.map((id: unknown, at) => {
    if (typeof id !== 'string') throw invalid(`/versions/${at}`, `versions.${at}: must be the id of a module version`);
    // What has other parts is the address of nothing.
    const [namespace = '', name = '', provider = '', ...rest] = id.split('/');
    return { namespace, name, provider, version: rest.join('/') };
  });
}

function entryObject({ seq, time, actor, requestId, command, from, to, reason, link, ...extras }: HistoryEntry) {
  const { 'reason-class': reason_class, replacement, sunset } = kebabDetails(extras) ?? {};
  return {
    seq,
    time: formatInstant(time),
    actor,
    request_id: requestId,
    command,
    from,
    to,
    reason,
    link,
    reason_class: reason_class ?? null,
    replacement: replacement ?? null,
    sunset_at: sunset ?? null,
  };
}
