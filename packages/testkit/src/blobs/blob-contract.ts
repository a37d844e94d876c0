/** The contract of the BlobStore port as a list of cases: every adapter passes all of them. */
import assert from 'node:assert/strict';
import type { BlobStore } from '@postern/ports';
import type { BlobCaseDefinition } from './blob-case.js';
import { contentCases } from './content-cases.js';
import { listingCases } from './listing-cases.js';
import { refusalCases } from './refusal-cases.js';

/** One store, empty at first, for one case. */
export interface BlobStoreUnderTest {
  readonly blobs: BlobStore;
  /** Opens the same data again; required where the contract's `durable` is true. */
  reopen?(): Promise<BlobStore>;
  /** Replaces stored bytes behind the store's back; without it those cases are left out by `alterable`. */
  alter?(digest: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void>;
  /** Removes the data. */
  destroy(): Promise<void>;
}

export interface BlobContractOptions {
  create(): Promise<BlobStoreUnderTest>;
  /** Whether the data outlive the store object: adds the case that reopens it. */
  readonly durable: boolean;
  /** Whether stored bytes can be altered from outside: adds the cases that do. */
  readonly alterable: boolean;
}

/** One case, for the test runner's `it(name, run)`. */
export interface BlobContractCase {
  readonly name: string;
  run(): Promise<void>;
}

const definitions: readonly BlobCaseDefinition[] = [...contentCases, ...refusalCases, ...listingCases];

/**
 * The contract's cases for one adapter, each on a store of its own.
 *
 * @example
 * ```ts
 * it.each(blobContract({ durable: false, alterable: false, create }))('$name', ({ run }) => run());
 * ```
 */
export function blobContract(options: BlobContractOptions): readonly BlobContractCase[] {
  return definitions
    .filter(({ needs }) => (needs === 'durability' ? options.durable : needs !== 'altering' || options.alterable))
    .map((definition) => ({ name: definition.name, run: () => runCase(definition, options) }));
}

async function runCase(definition: BlobCaseDefinition, options: BlobContractOptions): Promise<void> {
  const created = await options.create();
  try {
    await definition.run({
      blobs: created.blobs,
      reopen: async () => {
        assert.ok(created.reopen !== undefined, 'a durable store can be reopened');
        return created.reopen();
      },
      alter: async (digest, change) => {
        assert.ok(created.alter !== undefined, 'an alterable store can be altered');
        await created.alter(digest, change);
      },
    });
  } finally {
    await created.destroy();
  }
}
