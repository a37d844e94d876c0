/** `PUT …/:module_version` with an archive as its body, and `DELETE`: versions are published whole and deleted whole. */
import { formatInstant } from '@postern/core-registry';
import type { ArchiveFormat, ModuleVersionDetails } from '@postern/ports';
import { type Answer, type Exchange, type Handler, json, versionOf } from './exchange.js';
import { versionIdOf } from './module-object.js';
import { fromDocument, ProblemError, problemOf } from './representation.js';

/** The declared content type of a body; undefined: its first bytes decide. */
const FORMATS: ReadonlyMap<string, ArchiveFormat | undefined> = new Map([
  ['application/gzip', 'tar.gz'],
  ['application/x-gzip', 'tar.gz'],
  ['application/zip', 'zip'],
  ['application/octet-stream', undefined],
]);

/** How long a publication waits for the one before it, and how many wait with it. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 50;

/**
 * One publication at a time a token (REGAPI-10): to read an archive costs far more than another call, and the rate of calls
 * does not tell. Others wait for a short time.
 */
export function createPublish(maxWaitMs: number = MAX_WAIT_MS): Handler {
  const lines = new Map<string, (() => void)[]>();

  async function takeTurn(token: string): Promise<void> {
    const line = lines.get(token);
    if (line === undefined) {
      lines.set(token, []);
      return;
    }
    if (line.length >= MAX_WAITING) throw tooManyUploads();
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(start), 1);
        reject(tooManyUploads());
      }, maxWaitMs);
      line.push(start);
    });
  }

  function endTurn(token: string): void {
    const next = lines.get(token)?.shift();
    if (next === undefined) lines.delete(token);
    else next();
  }

  return async (exchange) => {
    const { token = '' } = exchange.call;
    let isTaken = false;
    // Asked for once the caller is known to be allowed: nobody else takes the turn of a token.
    const published = publish(exchange, async () => {
      await takeTurn(token);
      isTaken = true;
    });
    return published.finally(() => {
      if (isTaken) endTurn(token);
    });
  };
}

function tooManyUploads(): ProblemError {
  return new ProblemError(
    problemOf(429, 'this token is publishing another version; try again', { retryAfterSeconds: 5 }),
  );
}

async function publish(exchange: Exchange, takeTurn: () => Promise<void>): Promise<Answer> {
  const { request, query, session } = exchange;
  const details = session.publish(versionOf(exchange), async () => {
    const mediaType = (request.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
    if (!FORMATS.has(mediaType)) {
      throw new ProblemError(problemOf(415, `the content type must be one of ${[...FORMATS.keys()].join(', ')}`));
    }
    const format = FORMATS.get(mediaType);
    await takeTurn();
    return {
      description: query.get('description') ?? undefined,
      source: query.get('source') ?? undefined,
      ...(format === undefined ? {} : { format }),
      content: exchange.streamBody(),
    };
  });
  return json(201, publishedDocument(await fromDocument(details)));
}

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
