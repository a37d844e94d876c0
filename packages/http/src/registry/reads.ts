/** Reads of the registry protocol about one module: versions, one version, status, history (MODULE-3, MODULE-2, REGAPI-11). */
import { formatInstant, type HistoryEntry } from '@postern/core-registry';
import type { ModuleVersionAddress } from '@postern/ports';
import { type Exchange, type Handler, json, moduleOf, versionOf, wholeNumber } from './exchange.js';
import { moduleDetail } from './module-object.js';
import {
  fromDocument,
  invalid,
  isAnyJsonType,
  kebabDetails,
  member,
  ProblemError,
  parseJsonDocument,
  problemOf,
  requireObject,
  statusObject,
} from './representation.js';
import { createVersionListRenderer } from './version-list.js';

export interface ReadHandlers {
  readonly versions: Handler;
  readonly version: Handler;
  readonly latest: Handler;
  readonly status: Handler;
  readonly statuses: Handler;
  readonly history: Handler;
}

export function createReads(): ReadHandlers {
  const render = createVersionListRenderer();
  return {
    async versions(exchange) {
      const { body, etag } = await render(await exchange.session.listVersions(moduleOf(exchange)));
      return { status: 200, body, etag };
    },
    async version(exchange) {
      const { session } = exchange;
      // One after the other: a refused request leaves one audit event.
      const view = await session.readVersion(versionOf(exchange));
      return json(200, moduleDetail(view, await session.listVersions(moduleOf(exchange))));
    },
    async latest(exchange) {
      const overview = await exchange.session.latest(moduleOf(exchange));
      return json(200, moduleDetail(overview, overview.list));
    },
    async status(exchange) {
      return json(200, statusObject(await exchange.session.status(versionOf(exchange))));
    },
    async statuses(exchange) {
      const statuses = await fromDocument(exchange.session.statuses(() => askedVersions(exchange)));
      return json(200, { statuses: statuses.map((status) => (status === undefined ? null : statusObject(status))) });
    },
    async history(exchange) {
      const { session, query } = exchange;
      const { entries, total, next } = await session.history(versionOf(exchange), {
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
    // Other numbers of parts make a malformed address, which is never found.
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
