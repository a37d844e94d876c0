/** What lies on the disk against what lives in it. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadSqliteDriver } from '@postern/storage-sqlite';
import { SCHEMA, type SoakSite } from './soak-site.js';

export interface Bloat {
  readonly liveRows: number;
  /** Keys and values of live records. */
  readonly liveBytes: number;
  /** Files, or tables and indexes. */
  readonly diskBytes: number;
  /** Entries of logs that wait: events that no sink has recorded yet. */
  readonly waitingEntries: number;
  /** What only this storage has: free pages, dead tuples. */
  readonly details: string;
  readonly archiveFiles: number;
  readonly auditBytes: number;
}

export async function readBloat(world: SoakSite): Promise<Bloat> {
  const { folder } = world.site;
  const archives = readdirSync(join(folder, 'archives'), { recursive: true, withFileTypes: true });
  return {
    ...(world.cluster === undefined ? await readSqlite(join(folder, 'postern.db')) : await readPostgres(world.cluster)),
    archiveFiles: archives.filter((entry) => entry.isFile()).length,
    auditBytes: statSync(join(folder, 'audit.log')).size,
  };
}

type Figures = Omit<Bloat, 'archiveFiles' | 'auditBytes'>;

async function readSqlite(file: string): Promise<Figures> {
  const database = (await loadSqliteDriver()).open(file);
  try {
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA query_only = ON');
    const first = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
    const pages = first('PRAGMA page_count');
    const free = first('PRAGMA freelist_count');
    const walBytes = statSync(`${file}-wal`).size;
    return {
      liveRows: first('SELECT count(*) FROM records'),
      liveBytes: first('SELECT sum(length(key) + length(value)) FROM records'),
      diskBytes: statSync(file).size,
      waitingEntries: first('SELECT count(*) FROM log_rows'),
      details: `${pages} pages, ${free} free, log ${mib(walBytes)} MiB`,
    };
  } finally {
    database.close();
  }
}

async function readPostgres(cluster: NonNullable<SoakSite['cluster']>): Promise<Figures> {
  const number = (value: unknown) => Number(value ?? 0);
  const [live] = await cluster.query(
    `SELECT count(*) AS rows, sum(length(key) + length(value)) AS bytes,
      (SELECT count(*) FROM ${SCHEMA}.log_entries) AS entries FROM ${SCHEMA}.records`,
  );
  const tables = await cluster.query(
    `SELECT relname, n_live_tup AS live, n_dead_tup AS dead, autovacuum_count AS vacuums,
      pg_table_size(relid) AS table_bytes, pg_indexes_size(relid) AS index_bytes
    FROM pg_stat_user_tables WHERE schemaname = '${SCHEMA}' AND relname IN ('records', 'log_entries') ORDER BY relname`,
  );
  const lines = tables.map(
    (each) =>
      `${each['relname']} ${each['live']} live, ${each['dead']} dead, ${each['vacuums']} vacuums, table ` +
      `${mib(number(each['table_bytes']))} MiB, indexes ${mib(number(each['index_bytes']))} MiB`,
  );
  return {
    liveRows: number(live?.['rows']),
    liveBytes: number(live?.['bytes']),
    diskBytes: tables.reduce((sum, each) => sum + number(each['table_bytes']) + number(each['index_bytes']), 0),
    waitingEntries: number(live?.['entries']),
    details: lines.join('; '),
  };
}

export function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
