/** Writing, reading, listing and deleting policies (POLICY-6). */
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { changedFields } from '../fields/changed-fields.js';
import { described, keysOutput, requireName, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { type AnswerOf, defineOperation } from '../operation.js';
import { ROOT_POLICY } from '../roles/terms.js';
import { removeRecord, runOptimistic, unchanged } from '../store/collection.js';
import { pageFields, pageOf } from '../store/list-page.js';
import { foldPolicyName } from './policy-book.js';
import { MAX_POLICY_CHARACTERS, parsePolicyText } from './policy-text.js';

const HERE = { scope: 'policies', access: 'management', path: ':name' } as const;
const noFields = z.object({});

const policyFields = z.object({
  policy: described(textField, `The policy, HCL or JSON, at most ${MAX_POLICY_CHARACTERS} characters. Required.`),
  rules: described(textField, 'The former name of `policy`.'),
});

const policyOutput = z.object({ name: z.string(), policy: z.string(), source: z.enum(['configuration', 'api']) });

export function createPolicyOperations(context: MethodContext) {
  const { collections, policyBook } = context;
  const nameOf = (params: Readonly<Record<string, string>>) => foldPolicyName(requireName(params, 'name'));
  return [
    defineOperation({
      ...HERE,
      id: 'policy.write',
      summary: 'Create or replace a policy',
      verb: 'write',
      fields: policyFields,
      exists: async (params, call) => (await collections.policies.get(nameOf(params), call)) !== undefined,
      async handle(request) {
        const name = nameOf(request.params);
        refuseFixed(context, name);
        const text = request.fields.policy ?? request.fields.rules;
        if (text === undefined || text === '') {
          throw new AuthError('field_missing', 'policy: required', { details: { field: 'policy' } });
        }
        const parsed = parsePolicyText(text);
        if (!parsed.ok) throw invalid(parsed.problem);
        const [problem] = policyBook.problemsOf(parsed.policy);
        if (problem !== undefined) throw invalid(problem);
        await runOptimistic(async () => {
          const existing = await collections.policies.get(name, request);
          const put = collections.policies.put(name, { text, policy: parsed.policy }, unchanged(existing));
          const changes = changedFields(existing && { policy: existing.value.text }, { policy: text });
          await request.commit([put], { facts: { changes } });
        });
        return {};
      },
    }),
    defineOperation({
      ...HERE,
      id: 'policy.read',
      summary: 'Read a policy',
      verb: 'read',
      fields: noFields,
      output: policyOutput,
      async handle(request): Promise<AnswerOf<typeof policyOutput>> {
        const name = nameOf(request.params);
        const fixed = policyBook.configured().get(name);
        if (name === ROOT_POLICY) return { data: { name, policy: '', source: 'configuration' } };
        if (fixed !== undefined) return { data: { name, policy: JSON.stringify(fixed), source: 'configuration' } };
        const stored = await collections.policies.get(name, request);
        if (stored === undefined) throw new AuthError('not_found', 'there is no such policy');
        return { data: { name, policy: stored.value.text, source: 'api' } };
      },
    }),
    defineOperation({
      ...HERE,
      id: 'policy.list',
      summary: 'List the names of policies',
      verb: 'list',
      path: '',
      fields: pageFields,
      output: keysOutput,
      async handle(request) {
        const stored = await collections.policies.allIds(request);
        return pageOf(new Set([ROOT_POLICY, ...policyBook.configured().keys(), ...stored]), request.fields);
      },
    }),
    defineOperation({
      ...HERE,
      id: 'policy.delete',
      summary: 'Delete a policy',
      verb: 'delete',
      fields: noFields,
      async handle(request) {
        const name = nameOf(request.params);
        refuseFixed(context, name);
        await removeRecord(collections.policies, name, request);
        return {};
      },
    }),
  ];
}

/** @throws AuthError `policy_fixed` for a policy that the API cannot change. */
function refuseFixed({ policyBook, ports }: MethodContext, name: string): void {
  if (ports.authorizer !== undefined) {
    throw new AuthError(
      'policy_fixed',
      'policies are decided by the service that embeds this method; change them there',
    );
  }
  if (name !== ROOT_POLICY && !policyBook.configured().has(name)) return;
  const where = name === ROOT_POLICY ? 'built in' : 'part of the configuration; change it there';
  throw new AuthError('policy_fixed', `policy ${name}: ${where}`);
}

function invalid(problem: string): AuthError {
  return new AuthError('policy_invalid', `policy: ${problem}`, { details: { field: 'policy' } });
}
