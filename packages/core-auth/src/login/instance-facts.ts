/** Is the instance of a verified document there, running, and where the document says (INSTANCE-1, PROVIDER-1)? */
import type { InstanceFacts, InstanceQuery } from '@postern/ports';

export type InstanceCode =
  | 'instance_not_found'
  | 'instance_account_mismatch'
  | 'instance_region_mismatch'
  | 'instance_not_running';

/** One question about the answer of the provider, in the order in which they are judged. */
export interface InstanceCheck {
  readonly code: InstanceCode;
  readonly met: boolean;
  readonly expected: string;
  readonly actual: string | undefined;
}

export type InstanceDecision =
  | { readonly allow: true; readonly instance: InstanceFacts }
  | {
      readonly allow: false;
      readonly code: InstanceCode;
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
  const failed = instanceChecks(query, found).find(({ met }) => !met);
  return failed === undefined ? { allow: true, instance: found } : { allow: false, code: failed.code };
}

/** Every question but whether there is such an instance. Pure. */
export function instanceChecks(query: InstanceQuery, found: InstanceFacts): readonly InstanceCheck[] {
  const { accountId = query.accountId, region, state } = found;
  const checks = [
    ['instance_account_mismatch', query.accountId, accountId],
    ['instance_region_mismatch', query.region, region],
    ['instance_not_running', RUNNING, state],
  ] as const;
  return checks.map(([code, expected, actual]) => ({ code, expected, actual, met: actual === expected }));
}
