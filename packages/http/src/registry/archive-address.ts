/**
 * The signed address of an archive: which version, until when, with or without the check block that warns. Its path ends
 * in the format because stock clients choose their unpacker by that (MODULE-5).
 */
import type { ArchiveFormat, Clock, EpochMillis, ModuleVersionAddress } from '@postern/ports';
import { versionIdOf } from './module-object.js';
import type { UrlSigner } from './url-signer.js';

export interface ArchiveAddress {
  readonly version: ModuleVersionAddress;
  readonly format: ArchiveFormat;
  /** Whether the archive shall warn at every plan, where its version is deprecated (OVERLAY-1). */
  readonly overlay: boolean;
}

export interface ArchiveAddresses {
  /** Path and query after `…/:module_version/`. */
  issue(address: ArchiveAddress): Promise<string>;
  /** `expired`: was issued and is over. `forged`: anything else that is not `valid`. */
  verify(address: Omit<ArchiveAddress, 'overlay'>, query: URLSearchParams): Promise<ArchiveVerdict>;
}

export type ArchiveVerdict =
  | { readonly kind: 'valid'; readonly overlay: boolean }
  | { readonly kind: 'expired' }
  | { readonly kind: 'forged' };

export function createArchiveAddresses(signer: UrlSigner, clock: Clock, ttlSeconds: number): ArchiveAddresses {
  return {
    async issue({ version, format, overlay }) {
      const expiresAt = clock.now() + ttlSeconds * 1000;
      const expires = String(Math.ceil(expiresAt / 1000));
      const signature = await signer.sign(signedText({ version, format, overlay }, expires));
      const query = new URLSearchParams({ expires, ...(overlay ? { overlay: 'check' } : {}), signature });
      return `archive.${format}?${query}`;
    },
    async verify(address, query) {
      const expires = query.get('expires') ?? '';
      const flag = query.get('overlay');
      const overlay = flag === 'check';
      if (!/^\d{1,12}$/.test(expires) || (flag !== null && !overlay)) return { kind: 'forged' };
      const isOurs = await signer.verify(signedText({ ...address, overlay }, expires), query.get('signature') ?? '');
      if (!isOurs) return { kind: 'forged' };
      const until: EpochMillis = Number(expires) * 1000;
      return clock.now() < until ? { kind: 'valid', overlay } : { kind: 'expired' };
    },
  };
}

/** As JSON: parts of a path hold any character once they are decoded, and none may pass for the border of another. */
function signedText({ version, format, overlay }: ArchiveAddress, expires: string): string {
  return JSON.stringify(['postern-archive-1', versionIdOf(version), format, expires, overlay]);
}
