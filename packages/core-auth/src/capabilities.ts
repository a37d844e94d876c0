/** What a token may do at given paths, asked as Vault's clients ask it (POLICY-9). */
import type { Capability } from '@postern/ports';
import * as z from 'zod';
import { pathOf, pathTemplate, permissionsOf } from './authorize.js';
import { AuthError } from './errors.js';
import { described, listField, textField } from './fields/fields.js';
import type { MethodContext } from './method-context.js';
import { type AnswerOf, defineOperation, type Operation, type OperationRequest } from './operation.js';
import { CAPABILITIES } from './policies/policy.js';
import { ROOT_POLICY } from './roles/terms.js';
import { findTokenByAccessor, findTokenRecord, permissionDenied } from './tokens/authenticate.js';
import { requireField } from './tokens/token-operations.js';
import type { TokenRecord } from './tokens/token-record.js';

const MAX_PATHS = 100;
const NONE: readonly string[] = ['deny'];

const pathFields = {
  path: described(
    textField,
    'One path, or several separated by commas. Paths are as policies have them: without `v1/`.',
  ),
  paths: described(listField, `Paths, at most ${MAX_PATHS}.`),
};

/** By path; `capabilities` where one path was asked for. */
const capabilitiesOutput = z.object({ capabilities: z.array(z.string()).optional() }).catchall(z.array(z.string()));

type PathFields = { readonly path?: string | undefined; readonly paths?: readonly string[] | undefined };

/** @param operations the whole catalogue, once it is made: some of its paths are open to every token. */
export function createCapabilityOperations(context: MethodContext, operations: readonly Operation[]) {
  const HERE = { scope: 'sys', verb: 'write', output: capabilitiesOutput } as const;

  async function tell(
    record: TokenRecord | undefined,
    request: OperationRequest<PathFields>,
  ): Promise<AnswerOf<typeof capabilitiesOutput>> {
    if (record === undefined) throw permissionDenied('token_unknown');
    const asked = pathsOf(request.fields);
    const { isAllowed } = await permissionsOf(context, record.policies);
    const found = await Promise.all(
      asked.map(async (path): Promise<[string, string[]]> => {
        if (record.policies.includes(ROOT_POLICY)) return [path, [ROOT_POLICY]];
        const { folded, open } = placeOf(path);
        const verdicts = await Promise.all(
          CAPABILITIES.map(
            async (each) => each !== 'deny' && (open.has(each) || (await isAllowed(folded, each)) === true),
          ),
        );
        const granted = CAPABILITIES.filter((_, at) => verdicts[at]);
        return [path, granted.length === 0 ? [...NONE] : granted];
      }),
    );
    const [only] = found;
    const data = Object.fromEntries(found);
    return { data: only !== undefined && found.length === 1 ? { ...data, capabilities: only[1] } : data };
  }

  /** The path as policies decide it, and what every token may do there. */
  function placeOf(path: string): { readonly folded: string; readonly open: ReadonlySet<Capability> } {
    const { mountPath } = context.options;
    let folded = path;
    const open = new Set<Capability>();
    for (const operation of operations) {
      const params = matchTemplate(pathTemplate(operation, mountPath), path);
      if (params === undefined) continue;
      folded = pathOf(operation, params, mountPath);
      if (operation.access !== 'management') open.add(operation.verb === 'write' ? 'update' : operation.verb);
    }
    return { folded, open };
  }

  return [
    defineOperation({
      ...HERE,
      id: 'token.capabilities-self',
      summary: "Tell what the caller's token may do at paths",
      path: 'capabilities-self',
      access: 'token',
      fields: z.object(pathFields),
      handle: (request) => tell(request.caller?.record, request),
    }),
    defineOperation({
      ...HERE,
      id: 'token.capabilities',
      summary: 'Tell what a token may do at paths',
      path: 'capabilities',
      access: 'management',
      fields: z.object({ ...pathFields, token: described(textField, 'The token. Required.') }),
      async handle(request) {
        const token = requireField(request.fields.token, 'token');
        request.annotate({ token });
        return tell(await findTokenRecord(context, token, request), request);
      },
    }),
    defineOperation({
      ...HERE,
      id: 'token.capabilities-accessor',
      summary: 'Tell what the token of an accessor may do at paths',
      path: 'capabilities-accessor',
      access: 'management',
      fields: z.object({ ...pathFields, accessor: described(textField, 'Accessor of the token. Required.') }),
      async handle(request) {
        const accessor = requireField(request.fields.accessor, 'accessor');
        return tell((await findTokenByAccessor(context, accessor, request))?.value, request);
      },
    }),
  ];
}

/** @throws AuthError `field_missing`, `field_invalid` */
function pathsOf({ path, paths = path?.split(',') ?? [] }: PathFields): readonly string[] {
  const asked = paths.map((each) => each.trim().replace(/^\//, '')).filter((each) => each !== '');
  requireField(asked[0], 'paths');
  if (asked.length <= MAX_PATHS) return asked;
  const expected = `at most ${MAX_PATHS} paths`;
  throw new AuthError('field_invalid', `paths: must be ${expected}`, { details: { field: 'paths', expected } });
}

/** @returns the parameters of a template that the path fits; undefined where it does not. */
function matchTemplate(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  const params: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const actual = given[at] ?? '';
    const name = segment.startsWith(':') ? segment.slice(1) : undefined;
    if (actual === '' || (name === undefined && actual !== segment)) return undefined;
    if (name?.endsWith('*')) {
      params[name.slice(0, -1)] = given.slice(at).join('/');
      return params;
    }
    if (name !== undefined) params[name] = actual;
  }
  return given.length === wanted.length ? params : undefined;
}
