/** Is the instance of a verified document there, running, and where the document says (behaviour sheet 15 step 10, R5, R15)? */
import type { InstanceFacts, InstanceQuery } from '@postern/ports';

export type InstanceDecision =
  | { readonly allow: true; readonly instance: InstanceFacts }
  | {
      readonly allow: false;
      readonly code:
        | 'instance_not_found'
        | 'instance_not_running'
        | 'instance_account_mismatch'
        | 'instance_region_mismatch';
    };

/** The one state in which an instance may log in. */
const RUNNING = 'running';

/**
 * Judges the provider's answer to `query`. An answer for another instance is no answer. Pure.
 *
 * @param found what the directory answered; undefined when it knows none of that id.
 */
export function decideInstance(query: InstanceQuery, found: InstanceFacts | undefined): InstanceDecision {
  if (found === undefined || found.instanceId !== query.instanceId) return { allow: false, code: 'instance_not_found' };
  if (found.accountId !== undefined && found.accountId !== query.accountId) {
    return { allow: false, code: 'instance_account_mismatch' };
  }
  if (found.region !== query.region) return { allow: false, code: 'instance_region_mismatch' };
  if (found.state !== RUNNING) return { allow: false, code: 'instance_not_running' };
  return { allow: true, instance: found };
}
