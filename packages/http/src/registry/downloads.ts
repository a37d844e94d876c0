/**
 * From a version to its bytes (MODULE-4, MODULE-5): `download` answers a signed address both as JSON and as
 * `X-Terraform-Get`, because each client reads one of them; the archive answers HEAD and GET without a token.
 */
import { acceptsCheckOverlay, checkOverlay, type Registry } from '@postern/core-registry';
import type { ArchiveFormat, Awaitable, ModuleAddress, ModuleArchive, ModuleVersionAddress } from '@postern/ports';
import type { ArchiveAddresses } from './archive-address.js';
import { MODULES_PATH } from './endpoints.js';
import { type Answer, bytesOf, type Exchange, type Handler, json, moduleOf, toBase64, versionOf } from './exchange.js';
import { overlaidArchive } from './overlay/overlaid-archive.js';
import { ProblemError, problemOf } from './problem.js';
import type { SentArchive } from './sent-archive.js';

/** Whether archives of a module shall carry the check block that warns at every plan. */
export type WantsOverlay = (module: ModuleAddress) => Awaitable<boolean>;

export interface DownloadContext {
  readonly registry: Registry;
  readonly addresses: ArchiveAddresses;
  /** Where the service is reached, without a slash at its end; undefined: addresses are relative to the request. */
  readonly publicUrl: string | undefined;
  readonly wantsOverlay: WantsOverlay;
}

export interface DownloadHandlers {
  readonly download: Handler;
  readonly downloadLatest: Handler;
  archive(format: ArchiveFormat): Handler;
}

export function createDownloads(context: DownloadContext): DownloadHandlers {
  const { registry, addresses, publicUrl, wantsOverlay } = context;

  async function overlays(exchange: Exchange, module: ModuleAddress): Promise<boolean> {
    const { headers } = exchange.request;
    const client = {
      userAgent: headers.get('user-agent') ?? undefined,
      terraformVersion: headers.get('x-terraform-version') ?? undefined,
    };
    return acceptsCheckOverlay(client) && (await wantsOverlay(module));
  }

  return {
    async download(exchange) {
      const version = versionOf(exchange);
      const { status, archive } = await exchange.session.authorizeDownload(version);
      const overlay = status.deprecation !== null && (await overlays(exchange, version));
      const below = await addresses.issue({ version, format: archive.format, overlay });
      // Relative unless told where we are: the Host header is the client's word, and a signed address no gift to it.
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
        throw new ProblemError(problemOf(403, 'The address of this archive has expired: ask for the download again.'));
      }
      if (verdict.kind === 'forged')
        throw new ProblemError(problemOf(403, 'The address of this archive is not valid.'));
      const { token: _none, ...call } = exchange.call;
      const { status, archive } = await registry.openArchive(call, version);
      const file = verdict.overlay ? checkOverlay(status) : undefined;
      const overlaid =
        file && (await overlaidArchive(archive, file, async () => (await registry.openArchive(call, version)).archive));
      if (archive.format !== format) {
        await discard(archive.content);
        throw new ProblemError(problemOf(403, 'The address of this archive is not valid.'));
      }
      return archiveAnswer(exchange, version, overlaid ?? plainArchive(archive));
    },
  };
}

function plainArchive({ format, sizeBytes, digest, content }: ModuleArchive): SentArchive {
  return { format, sizeBytes, digest, content, etag: `"${digest}"` };
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
  if (!isRead) await discard(content);
  return {
    status: 200,
    body: isRead ? bytesOf(content) : null,
    contentType: CONTENT_TYPES[format],
    etag,
    headers: {
      'content-length': String(sizeBytes),
      'content-disposition': `attachment; filename="${namespace}-${name}-${provider}-${version}.${format}"`,
      // Bytes under a signed address never change, but a version may be revoked meanwhile: always asked again.
      'cache-control': 'private, no-cache',
      ...(digest === undefined ? {} : digestHeader(digest)),
    },
  };
}

/** RFC 9530. */
function digestHeader(hex: string): Readonly<Record<string, string>> {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return { 'repr-digest': `sha-256=:${toBase64(bytes)}:` };
}

/** Content that nobody will read: whatever it holds open is let go. */
export async function discard(content: AsyncIterable<Uint8Array>): Promise<void> {
  await content[Symbol.asyncIterator]().return?.();
}

function pathOf({ namespace, name, provider, version }: ModuleVersionAddress): string {
  return `${MODULES_PATH}/${[namespace, name, provider, version].map(encodeURIComponent).join('/')}`;
}
