/** The policies in force: those of the configuration, and behind them those that were stored by API (POLICY-4, POLICY-6). */
import { lowerAscii } from '@postern/kernel';
import type { Awaitable, Capability } from '@postern/ports';
import * as z from 'zod';
import { isName } from '../fields/fields.js';
import { ROOT_POLICY } from '../roles/terms.js';
import type { Collection } from '../store/collection.js';
import { type PathTemplates, patternProblem } from './matchable-pattern.js';
import { CAPABILITIES, type CompiledPolicy, compilePolicy, decidePolicies, type Policy } from './policy.js';

export const storedPolicySchema = z.strictObject({
  /** As its author wrote it. */
  text: z.string(),
  policy: z.record(z.string(), z.array(z.enum(CAPABILITIES)).readonly()).readonly(),
});

export type StoredPolicy = z.output<typeof storedPolicySchema>;

/** What a set of policies grants, as they were when they were read. */
export interface Permissions {
  isAllowed(path: string, capability: Capability): Awaitable<boolean>;
}

export interface PolicyBook {
  /** Reads the policies of these names; one that does not exist grants nothing. */
  permissionsOf(names: readonly string[]): Promise<Permissions>;
  /** Policies of the configuration by folded name. */
  configured(): ReadonlyMap<string, Policy>;
  /**
   * Replaces the policies of the configuration, all of them or none.
   *
   * @throws TypeError that names each problem.
   */
  configure(policies: Readonly<Record<string, Policy>>): void;
  /** What is wrong with a policy's patterns, a line each. */
  problemsOf(policy: Policy): readonly string[];
}

/**
 * @param policies by folded name.
 * @param templates paths that patterns can match.
 */
export function createPolicyBook(policies: Collection<StoredPolicy>, templates: () => PathTemplates): PolicyBook {
  let configured = new Map<string, Policy>();
  const compiled = new WeakMap<Policy, CompiledPolicy>();

  /** Decoded records are shared until they change, so each is compiled once. */
  const compile = (policy: Policy): CompiledPolicy => {
    const known = compiled.get(policy);
    if (known !== undefined) return known;
    const fresh = compilePolicy(policy);
    compiled.set(policy, fresh);
    return fresh;
  };

  const problemsOf = (policy: Policy): readonly string[] =>
    Object.keys(policy).flatMap((pattern) => {
      const problem = patternProblem(pattern, templates());
      return problem === undefined ? [] : [`${JSON.stringify(pattern)}: ${problem}`];
    });

  return {
    configured: () => configured,
    problemsOf,
    configure(given) {
      const next = new Map<string, Policy>();
      const problems: string[] = [];
      for (const [written, policy] of Object.entries(given)) {
        const name = foldPolicyName(written);
        if (name === ROOT_POLICY) problems.push(`${written}: the policy root grants everything and cannot be defined`);
        if (next.has(name)) problems.push(`${written}: differs from another policy in case only`);
        problems.push(...problemsOf(policy).map((problem) => `${written}: ${problem}`));
        next.set(name, policy);
      }
      if (problems.length > 0) throw new TypeError(`policies: ${problems.join('\n')}`);
      configured = next;
    },
    async permissionsOf(names) {
      const unique = [...new Set(names)];
      const fixed = unique.map((name) => configured.get(name)).filter((policy) => policy !== undefined);
      const others = unique.filter((name) => !configured.has(name) && isName(name));
      const stored = (await policies.getMany(others)).flatMap((entry) =>
        entry === undefined ? [] : [entry.value.policy],
      );
      const rules = [...fixed, ...stored].map(compile);
      return { isAllowed: (path, capability) => decidePolicies(rules, path, capability) };
    },
  };
}

/** Tokens carry names in lower case. */
export function foldPolicyName(name: string): string {
  return lowerAscii(name.trim());
}
