/** The contract of the Storage port as a list of cases: every adapter passes all of them. */
import assert from 'node:assert/strict';
import type { Storage } from '@postern/ports';
import { atomicityCases } from './contract/atomicity-cases.js';
import { basicCases } from './contract/basic-cases.js';
import { cancellationCases } from './contract/cancellation-cases.js';
import { closingCases } from './contract/closing-cases.js';
import { concurrencyCases } from './contract/concurrency-cases.js';
import type { ContractDefinition } from './contract/contract-case.js';
import { expiryCases } from './contract/expiry-cases.js';
import { limitCases } from './contract/limit-cases.js';
import { logCases } from './contract/log-cases.js';
import { malformedCases } from './contract/malformed-cases.js';
import { modelCases } from './contract/model-cases.js';
import { outcomeCases } from './contract/outcome-cases.js';
import { pagingCases } from './contract/paging-cases.js';
import { preconditionCases } from './contract/precondition-cases.js';
import { twoHandleCases } from './contract/two-handle-cases.js';
import { unicodeCases } from './contract/unicode-cases.js';
import { versionCases } from './contract/version-cases.js';

/** One storage, empty at first, for one case. */
export interface StorageUnderTest {
  readonly storage: Storage;
  /** Closes the storage and opens the same data again; required where the contract's `durable` is true. */
  reopen?(): Promise<Storage>;
  /** Closes what is open and removes the data. */
  destroy(): Promise<void>;
}

export interface StorageContractOptions {
  create(): Promise<StorageUnderTest>;
  /** Whether the data outlive the storage object: adds the cases that reopen it. */
  readonly durable: boolean;
  /**
   * Opens a second handle on the data of a storage under test, as another process would: adds the cases about two handles.
   * The contract closes it. Leave it out where one process owns the data.
   */
  openAnother?(first: StorageUnderTest): Promise<Storage>;
}

/** One case, for the test runner's `it(name, run)`. */
export interface StorageContractCase {
  readonly name: string;
  run(): Promise<void>;
}

const definitions: readonly ContractDefinition[] = [
  ...basicCases,
  ...preconditionCases,
  ...atomicityCases,
  ...versionCases,
  ...pagingCases,
  ...expiryCases,
  ...unicodeCases,
  ...limitCases,
  ...logCases,
  ...malformedCases,
  ...concurrencyCases,
  ...cancellationCases,
  ...outcomeCases,
  ...closingCases,
  ...modelCases,
  ...twoHandleCases,
];

/**
 * The contract's cases for one adapter, each on a storage of its own.
 *
 * @example
 * ```ts
 * it.each(storageContract({ durable: false, create }))('$name', ({ run }) => run());
 * ```
 */
export function storageContract(options: StorageContractOptions): readonly StorageContractCase[] {
  return definitions
    .filter(({ needsDurability }) => needsDurability === undefined || options.durable)
    .filter(({ needsSecondHandle }) => needsSecondHandle === undefined || options.openAnother !== undefined)
    .map((definition) => ({ name: definition.name, run: () => runCase(definition, options) }));
}

async function runCase(definition: ContractDefinition, options: StorageContractOptions): Promise<void> {
  const created = await options.create();
  const others: Storage[] = [];
  try {
    await definition.run({
      storage: created.storage,
      reopen: async () => {
        assert.ok(created.reopen !== undefined, 'a durable storage can be reopened');
        return created.reopen();
      },
      openAnother: async () => {
        assert.ok(options.openAnother !== undefined, 'a second handle can be opened');
        const other = await options.openAnother(created);
        others.push(other);
        return other;
      },
    });
  } finally {
    await Promise.all(others.map((other) => other.close()));
    await created.destroy();
  }
}
