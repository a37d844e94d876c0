/** What a soak runs on, for how long and how hard, and beyond which figures it fails. */

export type SoakStorage = 'sqlite' | 'postgres';

export interface SoakLimits {
  /** MiB an hour, of the linear fit after the warm-up. */
  readonly rssSlope: number;
  /** Descriptors at rest after the load, above those at rest before it. */
  readonly descriptors: number;
  /** Milliseconds: the median over all intervals of the event loop's p99, beyond that of the process that makes the load. */
  readonly p99Ms: number;
  /** Bytes in files, tables and indexes for each byte of a live record. */
  readonly bloat: number;
}

export interface SoakSettings {
  readonly minutes: number;
  readonly storages: readonly SoakStorage[];
  /** Calls a second. */
  readonly rate: number;
  readonly limits: SoakLimits;
}

/** The first part of a run, in which caches fill and the JIT compiles, is left out of the fit. */
export const WARM_UP_SHARE = 1 / 3;

const STORAGES: readonly SoakStorage[] = ['sqlite', 'postgres'];

/** @throws TypeError for a value out of range. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): SoakSettings {
  const figure = (name: string, otherwise: number) => {
    const text = environment[name];
    if (text === undefined || text === '') return otherwise;
    const value = Number(text);
    if (!Number.isFinite(value) || value <= 0) throw new TypeError(`${name}: expected a number above 0, not "${text}"`);
    return value;
  };
  const named = environment['SOAK_STORAGE'];
  const storages = STORAGES.filter((each) => named === undefined || named === '' || named === each);
  if (storages.length === 0) throw new TypeError(`SOAK_STORAGE: expected sqlite or postgres, not "${named}"`);
  return {
    minutes: figure('SOAK_MINUTES', 30),
    storages,
    rate: figure('SOAK_RATE', 40),
    limits: {
      rssSlope: figure('SOAK_MAX_RSS_SLOPE', 50),
      descriptors: figure('SOAK_MAX_DESCRIPTORS', 20),
      p99Ms: figure('SOAK_MAX_P99_MS', 60),
      bloat: figure('SOAK_MAX_BLOAT', 12),
    },
  };
}
