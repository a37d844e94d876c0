/** The storage under the servers of a run: how they reach it, what it holds for them, and what goes wrong with it alone. */
import type { NetworkProxy } from '../postgres/proxy.js';

/** A fault of the storage alone: one of `faults.ts` that needs no more of the world than the links. */
interface StorageFault {
  readonly name: string;
  readonly lastsMs: number;
  begin(world: { readonly links: readonly NetworkProxy[] }): Promise<() => Promise<void>>;
}

export interface ChaosStorage {
  /** Of this machine; each server has a link to it. */
  readonly port: number;
  /** Beside the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The member `storage` of a configuration that reaches it at this port. */
  configOf(port: number): object;
  /** Audit events that no sink has yet, as they are stored. */
  waitingEvents(): Promise<readonly string[]>;
  readonly faults: readonly StorageFault[];
  remove(): Promise<void>;
}

/** @param folder where its files may lie. */
export type OpenChaosStorage = (folder: string) => Promise<ChaosStorage>;
