/** `PUT …/:module_version` with an archive as its body, and `DELETE`: versions are published whole and deleted whole. */
import { formatInstant } from '@postern/core-registry';
import type { ArchiveFormat, ModuleVersionDetails } from '@postern/ports';
import { type Handler, json, versionOf } from './exchange.js';
import { versionIdOf } from './module-object.js';
import { fromDocument, ProblemError, problemOf } from './problem.js';

/** The declared content type of a body; undefined: its first bytes decide. */
const FORMATS: ReadonlyMap<string, ArchiveFormat | undefined> = new Map([
  ['application/gzip', 'tar.gz'],
  ['application/x-gzip', 'tar.gz'],
  ['application/zip', 'zip'],
  ['application/octet-stream', undefined],
]);

export const publish: Handler = async (exchange) => {
  const { request, query, session } = exchange;
  const details = session.publish(versionOf(exchange), () => {
    const mediaType = (request.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
    if (!FORMATS.has(mediaType)) {
      throw new ProblemError(problemOf(415, `the content type must be one of ${[...FORMATS.keys()].join(', ')}`));
    }
    const format = FORMATS.get(mediaType);
    return {
      description: query.get('description') ?? undefined,
      source: query.get('source') ?? undefined,
      ...(format === undefined ? {} : { format }),
      content: exchange.streamBody(),
    };
  });
  return json(201, publishedDocument(await fromDocument(details)));
};

export const deleteVersion: Handler = async (exchange) => {
  await exchange.session.delete(versionOf(exchange));
  return { status: 204, body: null };
};

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
