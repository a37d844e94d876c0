/** PostgreSQL on a disk of its own, which can be filled. */
import { join } from 'node:path';
import { mountDisk } from '../disk.js';
import { createCluster, findPrograms } from '../postgres/cluster.js';
import type { ChaosStorage } from './chaos-storage.js';
import { SHORT_MS } from './faults.js';

const SCHEMA = 'postern';

export async function postgresUnderChaos(folder: string): Promise<ChaosStorage> {
  // Its owner is another user than that of the tests.
  const disk = mountDisk(join(folder, 'database'), '512m', '755');
  try {
    const settings = { max_wal_size: '96MB', min_wal_size: '32MB', checkpoint_timeout: '30s', max_connections: '120' };
    const cluster = await createCluster(settings, findPrograms([]), disk.folder);
    return {
      port: cluster.port,
      environment: {},
      configOf: (port) => {
        const url = cluster.connectionString.replace(`:${cluster.port}/`, `:${port}/`);
        return { postgres: { url, schema: SCHEMA } };
      },
      async waitingEvents() {
        const rows = await cluster.query(`SELECT convert_from(value, 'UTF8') AS event FROM ${SCHEMA}.log_entries`);
        return rows.map(({ event }) => String(event));
      },
      faults: [
        {
          name: 'PostgreSQL killed',
          lastsMs: SHORT_MS,
          async begin() {
            await cluster.stop('killed');
            return () => cluster.start();
          },
        },
        {
          name: 'PostgreSQL restarted',
          lastsMs: 100,
          async begin() {
            await cluster.stop('fast');
            return () => cluster.start();
          },
        },
        {
          name: 'database disk full',
          lastsMs: SHORT_MS,
          async begin() {
            disk.fill();
            return async () => {
              disk.free();
              // It ends where it cannot write its log.
              await cluster.start();
            };
          },
        },
      ],
      async remove() {
        await cluster.remove();
        disk.unmount();
      },
    };
  } catch (error) {
    disk.unmount();
    throw error;
  }
}
