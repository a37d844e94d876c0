/** What every case of a run shares. */
import type { SimulatedCloud } from './cloud/simulated-cloud.js';
import type { JsonObject } from './json.js';
import type { Target } from './target.js';

export interface Run {
  readonly target: Target;
  readonly simulated: SimulatedCloud;
  readonly codes: boolean;
  /** Client configuration of the run. */
  readonly client: () => JsonObject;
  /** Organization of the registry that the cases use; default: one for each case. */
  readonly organization: string | undefined;
}
