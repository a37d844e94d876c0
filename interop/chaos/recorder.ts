/** Calls of one client at nodes that its dice choose, and the record of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '@postern/internal';
import { type Answer, type CallInput, call } from './call.js';
import type { Operation } from './history.js';
import type { World } from './world.js';

/** What a call is about. */
export type Subject = Omit<Operation, 'node' | 'start' | 'end' | 'outcome' | 'status' | 'code' | 'requestId'>;

export interface Client {
  readonly dice: Dice;
  /** @param learn what the answer adds to what is recorded. */
  ask(subject: Subject, input: CallInput, learn?: (answer: Answer) => Partial<Subject>): Promise<Answer>;
  pause(): Promise<void>;
}

/** Of a server that is down, no more than a client would try. */
const AFTER_FAILURE_MS = 100;
const BETWEEN_MS = 60;

export function createClient({ nodes }: Pick<World, 'nodes'>, operations: Operation[], dice: Dice): Client {
  return {
    dice,
    pause: () => sleep(dice.roll(BETWEEN_MS)),
    async ask(subject, input, learn = () => ({})) {
      const node = dice.roll(nodes.length);
      const answer = await call(nodes[node]?.url ?? '', input);
      const { start, end, outcome, status, code, requestId } = answer;
      operations.push({ ...subject, node, start, end, outcome, status, code, requestId, ...learn(answer) });
      if (status === 0 || status >= 500) await sleep(AFTER_FAILURE_MS);
      return answer;
    },
  };
}
