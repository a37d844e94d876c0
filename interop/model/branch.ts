/** One way in which a step of a command may go. */
import type { Answer } from './answers.js';
import type { ModelRole, ModelState } from './model-state.js';

export interface Branch {
  readonly state: ModelState;
  /** Undefined: the command goes on with its next step. */
  readonly answer?: Answer;
  /** Committed something: what a fault can strike. */
  readonly wrote?: boolean;
  /** A login's commit is found again where its answer was lost; the first commit of tidying is tried again. */
  readonly recovers?: 'applied' | 'both';
  readonly carry?: ModelRole | undefined;
}
