/**
 * From a version to its bytes (MODULE-4, MODULE-5): `download` answers a signed address both as JSON and as
 * `X-Terraform-Get`, because each client reads one of them; the archive answers HEAD and GET without a token.
 */
import { acceptsCheckOverlay, checkOverlay, type OverlayFile, type Registry } from '@postern/core-registry';
import type { ArchiveFormat, Awaitable, ModuleAddress, ModuleArchive, ModuleVersionAddress } from '@postern/ports';
import type { ArchiveAddresses } from './archive-address.js';
import { askedRange, rangeOf } from './byte-range.js';
import { MODULES_PATH } from './endpoints.js';
import {
  type Answer,
  bytesOf,
  type Exchange,
  type Handler,
  json,
  matchesEtag,
  moduleOf,
  strongEtag,
  toBase64,
  versionOf,
} from './exchange.js';
import { ProblemError, problemOf } from './representation.js';

/**
 * Adds a check block to archives of deprecated versions, so that stock clients warn at every plan (OVERLAY-1). It changes
 * the archive's digest and fails its consumers' `terraform test`.
 */
export interface ArchiveOverlay {
  /** Which modules' archives get it. */
  wants(module: ModuleAddress): Awaitable<boolean>;
  /**
   * `addFilesToArchive` of `@postern/catalogue`, or your own. Undefined where the files cannot be added; then nothing of the
   * archive was read.
   *
   * @param reopen opens the same archive again: its content can be read only once.
   */
  addFiles(
    archive: ModuleArchive,
    files: readonly OverlayFile[],
    reopen: () => Promise<ModuleArchive>,
  ): Promise<Omit<ModuleArchive, 'digest'> | undefined>;
}

/** An archive as it is sent. */
interface SentArchive extends Omit<ModuleArchive, 'digest'> {
  /** With its quotes. */
  readonly etag: string;
  /** SHA-256, lower-case hex, where it is known before the bytes are sent. */
  readonly digest: string | undefined;
}

export interface DownloadContext {
  readonly registry: Registry;
  readonly addresses: ArchiveAddresses;
  /** Where the service is reached, without a slash at its end; undefined: addresses are relative to the request. */
  readonly publicUrl: string | undefined;
  readonly overlay: ArchiveOverlay | undefined;
}

export interface DownloadHandlers {
  readonly download: Handler;
  readonly downloadLatest: Handler;
  archive(format: ArchiveFormat): Handler;
}

export function createDownloads(context: DownloadContext): DownloadHandlers {
  const { registry, addresses, publicUrl, overlay } = context;

  async function overlays(exchange: Exchange, module: ModuleAddress): Promise<boolean> {
    const { headers } = exchange.request;
    const client = {
      userAgent: headers.get('user-agent') ?? undefined,
      terraformVersion: headers.get('x-terraform-version') ?? undefined,
    };
    return acceptsCheckOverlay(client) && (await overlay?.wants(module)) === true;
  }

  return {
    async download(exchange) {
      const version = versionOf(exchange);
      const { status, archive } = await exchange.session.authorizeDownload(version);
      const isOverlaid = status.deprecation !== null && (await overlays(exchange, version));
      const below = await addresses.issue({ version, format: archive.format, overlay: isOverlaid });
      // Relative without a public URL: the Host header is chosen by the client and must not receive a signed address.
      const location = publicUrl === undefined ? `./${below}` : `${publicUrl}${pathOf(version)}/${below}`;
      return {
        status: 200,
        body: JSON.stringify({ location, use_registry_credentials: false }),
        headers: { 'x-terraform-get': location, 'cache-control': 'private, no-store' },
      };
    },

    async downloadLatest(exchange) {
      const { latest } = await exchange.session.listVersions(moduleOf(exchange));
      const path = `${pathOf({ ...moduleOf(exchange), version: latest.summary.version })}/download`;
      const location = publicUrl === undefined ? path : `${publicUrl}${path}`;
      return { ...json(302, { location }), headers: { location } };
    },

    archive: (format) => async (exchange) => {
      const version = versionOf(exchange);
      const verdict = await addresses.verify({ version, format }, exchange.query);
      if (verdict.kind === 'expired') {
        throw new ProblemError(problemOf(403, 'the address of this archive has expired; request the download again'));
      }
      if (verdict.kind === 'forged') throw new ProblemError(problemOf(403, 'the address of this archive is not valid'));
      const { token: _none, ...call } = exchange.call;
      const { status, archive, submodules } = await registry.openArchive(call, version);
      const files = verdict.overlay ? checkOverlay(status, submodules) : [];
      const reopen = async () => (await registry.openArchive(call, version)).archive;
      const overlaid = files.length === 0 ? undefined : await overlay?.addFiles(archive, files, reopen);
      if (archive.format !== format) {
        await discard(archive.content);
        throw new ProblemError(problemOf(403, 'the address of this archive is not valid'));
      }
      return archiveAnswer(exchange, version, await sentArchive(archive, overlaid, files));
    },
  };
}

async function sentArchive(
  { digest, ...archive }: ModuleArchive,
  overlaid: Omit<ModuleArchive, 'digest'> | undefined,
  files: readonly OverlayFile[],
): Promise<SentArchive> {
  if (overlaid === undefined) return { ...archive, digest, etag: `"${digest}"` };
  // The digest is known only after it was sent; what it is made of is known now.
  return {
    ...overlaid,
    digest: undefined,
    etag: await strongEtag(JSON.stringify([digest, ...files.map(({ path, content }) => [path, content])])),
  };
}

const CONTENT_TYPES: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
};

async function archiveAnswer(
  { request }: Exchange,
  { namespace, name, provider, version }: ModuleVersionAddress,
  { format, sizeBytes, digest, etag, content }: SentArchive,
): Promise<Answer> {
  const isRead = request.method === 'GET';
  // `If-None-Match` comes before `Range` (RFC 9110, 13.2.2), and a range is of a GET.
  const isUnchanged = matchesEtag(request.headers.get('if-none-match'), etag);
  const range = isRead && !isUnchanged ? askedRange(request.headers, etag, sizeBytes) : undefined;
  if (!isRead || range === 'unsatisfiable') await discard(content);
  if (range === 'unsatisfiable') {
    const headers = { 'content-range': `bytes */${sizeBytes}` };
    throw new ProblemError(problemOf(416, `the archive has ${sizeBytes} bytes; ask for some of them`, { headers }));
  }
  const headers = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="${namespace}-${name}-${provider}-${version}.${format}"`,
    // Bytes under a signed address never change, but a version may be revoked meanwhile: always asked again.
    'cache-control': 'private, no-cache',
    ...(digest === undefined ? {} : digestHeader(digest)),
  };
  const answer = { contentType: CONTENT_TYPES[format], etag };
  if (range === undefined) {
    const body = isRead ? bytesOf(content) : null;
    return { ...answer, status: 200, body, headers: { ...headers, 'content-length': String(sizeBytes) } };
  }
  const { first, last } = range;
  const ofRange = {
    'content-length': String(last - first + 1),
    'content-range': `bytes ${first}-${last}/${sizeBytes}`,
  };
  return { ...answer, status: 206, body: bytesOf(rangeOf(content, range)), headers: { ...headers, ...ofRange } };
}

/** RFC 9530. */
function digestHeader(hex: string): Readonly<Record<string, string>> {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return { 'repr-digest': `sha-256=:${toBase64(bytes)}:` };
}

/** Releases content that will not be read. */
export async function discard(content: AsyncIterable<Uint8Array>): Promise<void> {
  await content[Symbol.asyncIterator]().return?.();
}

function pathOf({ namespace, name, provider, version }: ModuleVersionAddress): string {
  return `${MODULES_PATH}/${[namespace, name, provider, version].map(encodeURIComponent).join('/')}`;
}
