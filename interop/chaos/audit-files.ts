/** The audit logs of the nodes, and when each line was written: a line tells when its call was made, by a clock that lies. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAudit } from '@postern/server/command';
import { call } from './call.js';
import type { Effects, NodeAudit, ToldEvent } from './check-audit.js';
import type { Violation } from './history.js';
import type { World } from './world.js';

const EVERY_MS = 500;
/** In it a living process tells what it did. */
const FED_MS = 120_000;
const LOOK_MS = 1_000;
/** A node feeds its sinks once a minute what a commit without an answer left in the storage. */
const STEADY_LOOKS = 70;

export interface AuditFiles {
  /** Call it once the servers have stopped. */
  read(): readonly NodeAudit[];
  stop(): void;
}

export function watchAuditFiles({ nodes }: Pick<World, 'nodes'>): AuditFiles {
  const sizes = nodes.map((): { readonly at: number; readonly bytes: number }[] => []);
  const look = () => {
    for (const [node, { auditFile }] of nodes.entries()) {
      sizes[node]?.push({ at: performance.now(), bytes: statSync(auditFile).size });
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop: () => clearInterval(timer),
    read() {
      look();
      return nodes.map(({ auditFile, kills }, node) => {
        const lines = readFileSync(auditFile, 'utf8').trimEnd().split('\n');
        let end = 0;
        const writtenAt = lines.map((line) => {
          end += Buffer.byteLength(line) + 1;
          return sizes[node]?.find(({ bytes }) => bytes >= end)?.at ?? performance.now();
        });
        return { events: lines.map(eventOf), writtenAt, kills };
      });
    },
  };
}

/** The lines of an audit log; `postern audit verify` judges them. */
function eventOf(line: string): ToldEvent {
  return JSON.parse(line) as ToldEvent;
}

/** What the storage holds: tokens, access-list entries, and events that no sink has after a while. */
export async function effectsOf({ nodes, rootToken, storage }: World): Promise<Effects> {
  const list = async (path: string): Promise<readonly string[]> => {
    const input = { method: 'GET', path: `${path}?list=true`, token: rootToken } as const;
    const { json, status, text } = await call(nodes[0]?.url ?? '', input);
    if (status === 404) return [];
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    // The shape of a list (WIRE-6).
    return (json as { readonly data: { readonly keys: readonly string[] } }).data.keys;
  };
  const accessors = await list('v1/auth/token/accessors');
  const instances = await list('v1/auth/cloud/identity-accesslist');
  const deadline = performance.now() + FED_MS;
  const counts: number[] = [];
  for (;;) {
    const waiting = await storage.waitingEvents();
    counts.unshift(waiting.length);
    // What dead processes left stays until another takes it over.
    const isSteady = counts.length > STEADY_LOOKS && new Set(counts.slice(0, STEADY_LOOKS)).size === 1;
    if (waiting.length === 0 || isSteady || performance.now() > deadline) {
      return { accessors, instances, waiting: waiting.map(eventOf), now: Date.now() };
    }
    await sleep(LOOK_MS);
  }
}

export async function brokenChains({ nodes }: World): Promise<readonly Violation[]> {
  const problems: Violation[] = [];
  for (const { auditFile } of nodes) {
    const said: string[] = [];
    const print = (text: string) => said.push(text);
    const code = await verifyAudit([auditFile], { printOut: print, printError: print });
    if (code !== 0) problems.push({ at: 0, what: said.join('') });
  }
  return problems;
}

/** What the nodes said and told, beside the histories. */
export function keepLogs({ nodes, folder }: World): void {
  for (const [at, node] of nodes.entries()) {
    writeFileSync(join(folder, `node-${at}.log`), node.stderr());
    try {
      writeFileSync(join(folder, `node-${at}.audit`), readFileSync(node.auditFile));
    } catch {
      // It never started.
    }
  }
}
