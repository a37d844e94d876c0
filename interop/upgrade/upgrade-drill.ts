/** A rolling upgrade, its rollback, and the upgrade again, on three nodes that serve; then the upgrade is finalized. */
import type { Cluster } from '../postgres/cluster.js';
import type { Build } from './builds.js';
import { type Fleet, startFleet } from './fleet.js';
import { createTraffic, ROLE, type Traffic } from './traffic.js';

const NODES = ['a', 'b', 'c'] as const;
/** Between two nodes: time for the load to reach what was replaced. */
const SERVE_MS = 600;

export interface UpgradeReport {
  readonly traffic: Traffic;
  /** By stage, what was lost then: must be empty. */
  readonly lost: Readonly<Record<string, readonly string[]>>;
  /** Records by their format, before the upgrade was finalized and after new nodes have written. */
  readonly formats: Readonly<Record<'before' | 'after', ReadonlyMap<number, number>>>;
  /** Exit code and text of `postern audit verify` over each chained log. */
  readonly audits: readonly { readonly code: number | null; readonly printed: string }[];
  /** Acknowledged logins without an event. */
  readonly unrecorded: readonly string[];
}

export interface UpgradeDrill {
  readonly cluster: Cluster;
  readonly schema: string;
  readonly older: Build;
  readonly newer: Build;
  /** Called while node `c` is of the older build, before the upgrade is finalized; then afterwards. */
  readonly straggler?: (fleet: Fleet, isFinalized: boolean) => Promise<void>;
}

export async function runUpgrade({ cluster, schema, older, newer, straggler }: UpgradeDrill): Promise<UpgradeReport> {
  const fleet = await startFleet(NODES, older, { postgres: { url: cluster.connectionString, schema } });
  try {
    await fleet.site.writeRole(fleet.nodes()[0]?.server.url ?? '', fleet.rootToken, ROLE);
    const traffic = createTraffic(fleet);
    const lost: Record<string, readonly string[]> = {};
    /** Under load; what was acknowledged until then is asked of every node while none is replaced. */
    async function stage(name: string, by: Build, nodes: readonly string[] = NODES): Promise<void> {
      traffic.start();
      for (const node of nodes) {
        await pause();
        await fleet.replace(node, by);
      }
      await pause();
      await traffic.stop();
      lost[name] = await traffic.lost('latest');
    }
    await stage('one node upgraded, beside two of before', newer, ['a']);
    await stage('all upgraded', newer, ['b', 'c']);
    await stage('one rolled back', older, ['c']);
    await stage('all rolled back', older, ['a', 'b']);
    await stage('upgraded again, but one', newer, ['a', 'b']);
    await straggler?.(fleet, false);
    const before = await formatsOf(cluster, schema);
    const finalized = await fleet.run(newer, ['storage', 'finalize']);
    if (finalized.code !== 0) throw new Error(finalized.printed);
    // Nodes that run follow within 10 s; those that start do at once.
    await fleet.replace('a', newer);
    await fleet.replace('b', newer);
    await straggler?.(fleet, true);
    await stage('finalized', newer, ['c']);
    lost['in the end'] = await traffic.lost('all');
    const after = await formatsOf(cluster, schema);
    for (const { name } of fleet.nodes()) await fleet.stop(name);
    const { chained, text } = fleet.auditLogs();
    const audits = [];
    for (const file of chained) audits.push(await fleet.verifyAudit(file));
    const unrecorded = traffic.acknowledged.instanceIds.filter((instanceId) => !text.includes(instanceId));
    return { traffic, lost, formats: { before, after }, audits, unrecorded };
  } finally {
    await fleet.end();
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, SERVE_MS));

async function formatsOf(cluster: Cluster, schema: string): Promise<ReadonlyMap<number, number>> {
  const rows = await cluster.query(
    `SELECT coalesce((convert_from(value, 'UTF8')::json ->> 'v')::int, 1) AS format, count(*) AS records
    FROM ${schema}.records GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ format, records }) => [Number(format), Number(records)]));
}
