/** A publisher over the catalogue in memory: keeps what it is given, refuses what a test names. */
import { ModuleArchiveError, type ModuleArchiveErrorCode, type ModulePublisher } from '@postern/ports';
import type { createMemoryCatalogue } from '@postern/testkit';

export interface MemoryPublisher extends ModulePublisher {
  /** The next publication is refused so, after its content was read. */
  refuseNext(code: ModuleArchiveErrorCode): void;
  /** Pieces of content that were read. */
  pieces(): number;
}

export function createMemoryPublisher(catalogue: ReturnType<typeof createMemoryCatalogue>): MemoryPublisher {
  const refusals: ModuleArchiveErrorCode[] = [];
  let pieces = 0;
  return {
    refuseNext: (code) => void refusals.push(code),
    pieces: () => pieces,
    async publish({ version, owner, description = '', source = '', format = 'tar.gz', content }) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) {
        pieces += 1;
        chunks.push(chunk);
      }
      const refusal = refusals.shift();
      if (refusal !== undefined) {
        throw new ModuleArchiveError(refusal, 'refused on purpose', { place: { path: 'main.tf', line: 3 } });
      }
      return catalogue.add({
        address: version,
        owner,
        description,
        source,
        format,
        content: Uint8Array.from(Buffer.concat(chunks)),
      });
    },
    delete: async (version) => catalogue.remove(version),
  };
}
