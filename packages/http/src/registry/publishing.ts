/** `PUT …/:module_version` with an archive as its body, and `DELETE`: versions are published whole and deleted whole. */
import { formatInstant, type Registry } from '@postern/core-registry';
import type { ArchiveFormat, ModuleVersionDetails } from '@postern/ports';
import { type Handler, json, moduleOf, versionOf } from './exchange.js';
import { versionIdOf } from './module-object.js';
import { NOT_FOUND, ProblemError, problemOf } from './problem.js';

/** What a body is declared as; undefined: its first bytes tell. */
const FORMATS: ReadonlyMap<string, ArchiveFormat | undefined> = new Map([
  ['application/gzip', 'tar.gz'],
  ['application/x-gzip', 'tar.gz'],
  ['application/zip', 'zip'],
  ['application/octet-stream', undefined],
]);

export function createPublish(registry: Registry): Handler {
  return async (exchange) => {
    const { request, call, query } = exchange;
    const version = versionOf(exchange);
    const mediaType = (request.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
    if (!FORMATS.has(mediaType)) {
      // Who calls and whether they may comes before what they send.
      const { canManage } = await registry.access(call, moduleOf(exchange).namespace);
      if (!canManage) throw new ProblemError(NOT_FOUND);
      throw new ProblemError(problemOf(415, `the content type must be one of ${[...FORMATS.keys()].join(', ')}`));
    }
    const format = FORMATS.get(mediaType);
    const details = await registry.publish(call, {
      version,
      description: query.get('description') ?? undefined,
      source: query.get('source') ?? undefined,
      ...(format === undefined ? {} : { format }),
      content: exchange.streamBody(),
    });
    return json(201, publishedDocument(details));
  };
}

export function createDelete(registry: Registry): Handler {
  return async (exchange) => {
    await registry.delete(exchange.call, versionOf(exchange));
    return { status: 204, body: null };
  };
}

function publishedDocument({ address, owner, source, publishedAt, archive }: ModuleVersionDetails): unknown {
  return {
    data: {
      type: 'registry-module-versions',
      id: versionIdOf(address),
      attributes: {
        version: address.version,
        status: 'ok',
        source,
        owner,
        'created-at': formatInstant(publishedAt),
        archive: { format: archive.format, 'size-bytes': archive.sizeBytes, 'sha-256': archive.digest },
      },
    },
  };
}
