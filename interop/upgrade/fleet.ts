/** Nodes on one database, each of a build that is replaced while the others serve. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createSite,
  type PosternProcess,
  type ServingPostern,
  type Site,
  servePostern,
  startPostern,
} from '@postern/internal';
import type { Build } from './builds.js';

export interface FleetNode {
  readonly name: string;
  readonly build: Build;
  readonly server: ServingPostern;
}

export interface Fleet {
  readonly site: Site;
  readonly rootToken: string;
  /** Those that serve now. */
  nodes(): readonly FleetNode[];
  /** Stops a node in order, and starts it again with this build. */
  replace(name: string, build: Build): Promise<FleetNode>;
  stop(name: string): Promise<void>;
  start(name: string, build: Build): Promise<FleetNode>;
  /** Runs another command on the database. @returns its exit code and all that it printed. */
  run(build: Build, args: readonly string[]): Promise<{ readonly code: number | null; readonly printed: string }>;
  /** Runs `postern audit verify`. */
  verifyAudit(file: string): Promise<{ readonly code: number | null; readonly printed: string }>;
  /** Of every node: the audit logs that are chained, and the text of all. */
  auditLogs(): { readonly chained: readonly string[]; readonly text: string };
  end(): Promise<void>;
}

/** @param storage as the configuration has it. */
export async function startFleet(names: readonly string[], build: Build, storage: object): Promise<Fleet> {
  // A build of before knows neither rates of peers nor of tokens: without the members, every build takes its default.
  const site = createSite({
    storage,
    registry: { archives: './archives', rate: false },
    peerRate: undefined,
    tokenRate: undefined,
  });
  const nodes = new Map<string, FleetNode>();
  const logs = new Map<string, Build>();

  /** A log that was not chained is not carried on by a chain. */
  function configOf(name: string, of: Build): string {
    const log = `audit-${name}${of.knowsFormats ? '' : '-before'}.log`;
    logs.set(log, of);
    const file = join(site.folder, `${name}.json`);
    const config = { ...JSON.parse(readFileSync(site.configFile, 'utf8')), audit: { file: `./${log}` } };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }
  const optionsOf = ({ command, environment }: Build) => ({
    environment,
    ...(command === undefined ? {} : { command }),
  });
  async function start(name: string, of: Build): Promise<FleetNode> {
    const node = { name, build: of, server: await servePostern(configOf(name, of), optionsOf(of)) };
    nodes.set(name, node);
    return node;
  }
  async function stop(name: string): Promise<void> {
    const node = nodes.get(name);
    // No load balancer takes it out first: customers see refused and cut connections.
    node?.server.signal('SIGTERM');
    const code = await node?.server.ended;
    nodes.delete(name);
    if (code !== 0) throw new Error(`${name} of ${node?.build.name} ended with ${code}:\n${node?.server.stderr()}`);
  }

  async function ended(started: PosternProcess) {
    const code = await started.ended;
    return { code, printed: started.stdout() + started.stderr() };
  }

  const [first = '', ...others] = names;
  const { rootToken } = (await start(first, build)).server;
  if (rootToken === undefined) throw new Error('the first start printed no root token');
  for (const name of others) await start(name, build);
  return {
    ...{ site, rootToken, stop, start },
    nodes: () => [...nodes.values()],
    async replace(name, by) {
      await stop(name);
      return start(name, by);
    },
    run: (by, args) => ended(startPostern([...args, '--config', configOf(first, by)], optionsOf(by))),
    verifyAudit: (file) => ended(startPostern(['audit', 'verify', file])),
    auditLogs() {
      const files = [...logs].map(([log, of]) => ({ file: join(site.folder, log), of }));
      const text = files.map(({ file }) => readFileSync(file, 'utf8')).join('');
      return { text, chained: files.filter(({ of }) => of.knowsFormats).map(({ file }) => file) };
    },
    async end() {
      for (const { server } of nodes.values()) {
        server.signal('SIGKILL');
        await server.ended;
      }
      site.remove();
    },
  };
}
