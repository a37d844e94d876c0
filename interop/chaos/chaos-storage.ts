/** The storage under the servers of a run: how they reach it, what it holds for them, and what goes wrong with it alone. */
import type { Fault } from './faults.js';

export interface ChaosStorage {
  /** Of this machine; each server has a link to it. */
  readonly port: number;
  /** Beside the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The member `storage` of a configuration that reaches it at this port. */
  configOf(port: number): object;
  /** Audit events that no sink has yet, as they are stored. */
  waitingEvents(): Promise<readonly string[]>;
  readonly faults: readonly Fault[];
  remove(): Promise<void>;
}

/** @param folder where its files may lie. */
export type OpenChaosStorage = (folder: string) => Promise<ChaosStorage>;
