/** One kind of call in the mix, and what all kinds share. */
import type { Answer, Call, SoakClient } from './client.js';
import type { SoakSite } from './soak-site.js';

export interface Kind {
  readonly name: string;
  /** How often it is drawn, against the others. */
  readonly weight: number;
  /** Every other status fails the soak. 0: cut by the server. */
  readonly expected: readonly number[];
  /** @returns undefined where there is nothing to call it for yet. */
  run(): Promise<Answer> | undefined;
}

export interface SoakContext {
  readonly world: SoakSite;
  readonly client: SoakClient;
  /** Below `limit`, seeded. */
  readonly draw: (limit: number) => number;
  /** The address of a customer. */
  readonly peer: () => string;
  /** The address of somebody who sends what is refused. */
  readonly stranger: () => string;
}

const PEERS = 500;
const STRANGERS = 2000;

export function createContext(world: SoakSite, client: SoakClient, draw: SoakContext['draw']): SoakContext {
  const address = (block: string, at: number) => `${block}.${at >> 8}.${at & 255}`;
  return {
    ...{ world, client, draw },
    peer: () => address('10.1', draw(PEERS)),
    stranger: () => address('198.18', draw(STRANGERS)),
  };
}

/** Calls as the operator. */
export function operator({ client, world, peer }: SoakContext) {
  return (call: Omit<Call, 'peer'>) =>
    client.send({ ...call, peer: peer(), headers: { 'x-service-token': world.rootToken, ...call.headers } });
}

/** The member of an answer at this path, if it is text. */
export function textAt(answer: Answer, ...path: readonly string[]): string | undefined {
  let value: unknown = parsed(answer.text);
  for (const name of path) {
    // A JSON object or array: a record of unknown members.
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }
  return typeof value === 'string' ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
