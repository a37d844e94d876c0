/** `postern sandbox`: a real server on an embedded store, a fake cloud around it, and a guided tour through its HTTP API. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createProviderConfiguration, type ProviderConfiguration } from '@postern/core-auth';
import { type CallOptions, systemClock } from '@postern/ports';
import {
  createServer,
  hostedRegistry,
  openAuditFile,
  type PosternServer,
  type Provider,
  type ServerOptions,
} from '@postern/server';
import {
  endOnSignals,
  endOnUncaught,
  forSetting,
  revokeToken,
  type Terminal,
  terminalLog,
} from '@postern/server/command';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud, type FakeCloud } from '@postern/testkit';
import { nextStepLines } from './next-steps.js';
import { createPages, type Pages } from './pages.js';
import { principalSteps } from './principal-steps.js';
import { POLICIES, registrySteps } from './registry-steps.js';
import { type Step, tourSteps } from './steps.js';
import { createTour, TourFailure } from './tour.js';

const DEFAULT_PORT = 8200;

export interface SandboxOptions {
  /** End after the tour. */
  readonly once: boolean;
  /** Folder of database, audit log and documents; made when missing. */
  readonly data: string;
  /** Undefined: the default port, or any where that is taken. */
  readonly port: number | undefined;
}

/**
 * @returns the exit code of a tour that ran `--once`, or of one that failed; undefined while the sandbox goes on serving.
 * @throws SqliteOpenError while another sandbox has the folder; StartError.
 */
export async function runSandbox(options: SandboxOptions, terminal: Terminal): Promise<number | undefined> {
  const log = terminalLog(terminal);
  endOnUncaught(log);
  const pages = createPages(terminal);
  await forSetting('--data', mkdir(options.data, { recursive: true, mode: 0o700 }));
  const storage = await openSqliteStorage({ file: join(options.data, 'postern.db') });
  const auditFile = join(options.data, 'audit.log');
  const audit = await forSetting('--data', openAuditFile(auditFile));
  const cloud = createFakeCloud({ clock: systemClock });
  const { sts } = cloud;
  const archives = join(options.data, 'archives');
  const server = await startServer(
    {
      storage,
      audit,
      auth: { policies: POLICIES },
      registry: hostedRegistry({ storage, audit, archives, isAlone: true, title: 'Sandbox modules' }),
      log,
      provider: createSandboxProvider(cloud, createProviderConfiguration(storage)),
    },
    options.port,
  );
  const token = await server.method.createRootToken();
  const end = async () => {
    await revokeToken(server.method, token, 'sandbox-end');
    await server.close();
    await storage.close();
    await audit.close();
  };
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending ??= end();
    return ending;
  };
  // From here on: in the middle of the tour too, nobody leaves a root token behind. A terminal that is closed ends it as well.
  endOnSignals(stop, log, ['SIGHUP']);

  pages.heading('Postern sandbox: AWS logins and a module registry, against a simulated AWS');
  pages.plain(`  server  ${server.url}   storage in ${shown(options.data)}`);
  pages.plain(`  cloud   simulated in this process: account ${cloud.ownAccountId}, region ${cloud.region}`);
  const admin = { name: 'administrator', token };
  const pagePath = server.registryPagePath ?? '/registry';
  const steps = [
    ...tourSteps(cloud, admin),
    ...principalSteps(cloud, sts, admin),
    ...registrySteps(cloud, admin, options.data, pagePath),
  ];
  const failed = await walk(steps, server, pages, () => ending !== undefined);
  if (ending !== undefined) {
    await ending;
    return 0;
  }
  pages.plain('');
  if (failed !== undefined) {
    pages.bad(`The tour failed at: ${failed}`);
    await stop();
    return 1;
  }
  pages.good(`All steps succeeded. Audit log: ${shown(auditFile)}`);
  if (options.once) {
    await stop();
    return 0;
  }
  goOn(cloud, options.data, server, token, pages);
  return undefined;
}

/** @returns the title of the step that failed; undefined too where the sandbox began to end in the middle. */
async function walk(
  steps: readonly Step[],
  server: PosternServer,
  pages: Pages,
  isEnding: () => boolean,
): Promise<string | undefined> {
  const tour = createTour(server.url, pages);
  for (const { title, run } of steps) {
    pages.step(title);
    try {
      await run(tour);
      if (isEnding()) return undefined;
    } catch (error) {
      if (isEnding()) return undefined;
      if (!(error instanceof TourFailure)) throw error;
      pages.bad(error.message);
      return title;
    }
  }
  return undefined;
}

function goOn(cloud: FakeCloud, folder: string, server: PosternServer, token: string, pages: Pages): void {
  pages.heading('The server keeps running until Ctrl-C. Try it in another terminal, in this folder:');
  pages.plain('');
  for (const line of nextStepLines(cloud, folder, server.url, token)) pages.plain(line === '' ? '' : `  ${line}`);
  pages.plain('');
}

/** On the port asked for; where none was and the usual one is taken, on any. */
async function startServer(options: ServerOptions, port: number | undefined): Promise<PosternServer> {
  if (port !== undefined) return forSetting('--port', createServer({ ...options, port }));
  try {
    return await createServer({ ...options, port: DEFAULT_PORT });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    return forSetting('--port', createServer({ ...options, port: 0 }));
  }
}

function shown(path: string): string {
  const fromHere = relative('.', path);
  return fromHere === '' || fromHere.startsWith('..') ? path : `./${fromHere}`;
}

interface Question {
  readonly accountId: string;
}

/** The fake cloud as a provider: a stored STS association opens another account. */
function createSandboxProvider(cloud: FakeCloud, configuration: ProviderConfiguration): Provider {
  /** What assuming a role is in the real cloud. */
  async function follow({ accountId }: Question, options?: CallOptions): Promise<void> {
    const association = await configuration.stsAssociation(accountId, options);
    if (association === undefined) cloud.dissociateAccount(accountId);
    else cloud.associateAccount(accountId);
  }
  function following<Q extends Question, A>(ask: (query: Q, options?: CallOptions) => Promise<A>) {
    return async (query: Q, options?: CallOptions): Promise<A> => {
      await follow(query, options);
      return ask(query, options);
    };
  }
  return {
    describeInstance: following(cloud.describeInstance),
    rolesOfProfile: following(cloud.rolesOfProfile),
    describePrincipal: following(cloud.describePrincipal),
    callerIdentity: cloud.callerIdentity,
    builtInCertificates: cloud.defaultCertificates(),
  };
}
