/** Surroundings that turn on the server: what fails spells out every secret there is, as a driver does that quotes its parameters. */
import { type Storage, StorageError } from '@postern/ports';
import { type Planted, plant } from './planted.js';

export interface PlantedSecrets {
  /** Every secret so far, by name. */
  readonly secrets: ReadonlyMap<string, Planted>;
  /** Plants a secret that is a text. The same name again replaces it. */
  secret(name: string, text: string): string;
  add(planted: Planted): void;
  /** The texts of the first ones and the latest: those of the call that fails are among them, and megabytes would only cost time. */
  spill(): string;
}

export function createPlantedSecrets(): PlantedSecrets {
  const secrets = new Map<string, Planted>();
  const texts = new Map<string, string>();
  return {
    secrets,
    secret(name, text) {
      texts.set(name, text);
      secrets.set(name, plant(name, text));
      return text;
    },
    add: (planted) => void secrets.set(planted.name, planted),
    spill: () =>
      [...[...texts].slice(0, 4), ...[...texts].slice(-24)].map(([name, text]) => `${name}=${text}`).join(' '),
  };
}

/** An error that no port promises, with the secrets in each place where an error can hold any. */
export function spilledError(spilled: string): Error {
  return Object.assign(new Error(spilled), { parameters: spilled, cause: new Error(spilled) });
}

/** @param strike throws where the trouble is one of those named. */
export function guardCalls<Trouble extends string>(strike: (...troubles: readonly Trouble[]) => void) {
  return <Args extends readonly unknown[], T>(inner: (...args: Args) => T | Promise<T>, ...by: readonly Trouble[]) =>
    async (...args: Args): Promise<T> => {
      strike(...by);
      return inner(...args);
    };
}

export const STORAGE_TROUBLES = ['reads throw', 'commits throw', 'commits unavailable', 'commits unknown'] as const;
export type StorageTrouble = (typeof STORAGE_TROUBLES)[number];

export function troubledStorage(inner: Storage, strike: (...troubles: readonly StorageTrouble[]) => void): Storage {
  const guarded = guardCalls(strike);
  return {
    get: guarded(inner.get.bind(inner), 'reads throw'),
    getMany: guarded(inner.getMany.bind(inner), 'reads throw'),
    list: guarded(inner.list.bind(inner), 'reads throw'),
    listExpired: guarded(inner.listExpired.bind(inner), 'reads throw'),
    readLog: guarded(inner.readLog.bind(inner), 'reads throw'),
    removeFromLog: guarded(inner.removeFromLog.bind(inner), 'reads throw'),
    commit: guarded(inner.commit.bind(inner), 'commits throw', 'commits unavailable', 'commits unknown'),
    close: () => inner.close(),
  };
}

/** What a storage throws in its trouble. Undefined for troubles of others. */
export function storageTrouble(trouble: string, spilled: string): Error | undefined {
  if (trouble === 'commits unavailable') return new StorageError('unavailable', spilled);
  if (trouble === 'commits unknown') return new StorageError('outcome_unknown', spilled);
  return trouble === 'reads throw' || trouble === 'commits throw' ? spilledError(spilled) : undefined;
}
