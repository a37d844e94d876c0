/** Where what is served hangs, asked as Vault's clients ask it before they do anything else (WIRE-31). Nothing can be mounted. */
import * as z from 'zod';
import type { MethodContext } from '../method-context.js';
import { type AnswerOf, defineOperation, type Shown } from '../operation.js';
import { permissionDenied } from '../tokens/authenticate.js';

const mount = z.object({
  type: z.string(),
  description: z.string(),
  accessor: z.string(),
  local: z.boolean(),
  config: z.object({ default_lease_ttl: z.number(), max_lease_ttl: z.number() }),
});

/** By path, each with a slash at its end. */
const mountsOutput = z.object({}).catchall(mount);
const uiOutput = z.object({ auth: z.record(z.string(), mount), secret: z.record(z.string(), mount) });
const uiPathOutput = mount.extend({ path: z.string() });

type Mount = Shown<typeof mount>;

export function createMountOperations({ options }: MethodContext) {
  const { mountPath, defaultTtlSeconds, maxTtlSeconds } = options;
  const config = { default_lease_ttl: defaultTtlSeconds, max_lease_ttl: maxTtlSeconds };
  const mountOf = (type: string, description: string): Mount => ({
    type,
    description,
    accessor: `${type}_postern`,
    local: false,
    config,
  });
  // Policies and clients name it below `auth/`; wherever it hangs otherwise, its whole path is its name.
  const auth: Readonly<Record<string, Mount>> = {
    [`${mountPath.replace(/^auth\//, '')}/`]: mountOf('aws', 'cloud instances and principals'),
    'token/': mountOf('token', 'tokens'),
  };
  const system: Readonly<Record<string, Mount>> = { 'sys/': mountOf('system', 'health, policies, capabilities') };
  const all = [
    ...Object.entries(auth).map(([path, each]) => [`auth/${path}`, each] as const),
    ...Object.entries(system),
  ];
  const HERE = { scope: 'sys', verb: 'read', fields: z.object({}) } as const;

  return [
    defineOperation({
      ...HERE,
      id: 'mounts.auth',
      summary: 'List the auth methods that are served',
      path: 'auth',
      access: 'management',
      output: mountsOutput,
      handle: async (): Promise<AnswerOf<typeof mountsOutput>> => ({ data: auth }),
    }),
    defineOperation({
      ...HERE,
      id: 'mounts.read',
      summary: 'List what is served besides auth methods',
      path: 'mounts',
      access: 'management',
      output: mountsOutput,
      handle: async (): Promise<AnswerOf<typeof mountsOutput>> => ({ data: system }),
    }),
    defineOperation({
      ...HERE,
      id: 'mounts.ui',
      summary: 'List everything that is served, for any token',
      path: 'internal/ui/mounts',
      access: 'token',
      output: uiOutput,
      handle: async () => ({ data: { auth, secret: system } }),
    }),
    defineOperation({
      ...HERE,
      id: 'mounts.ui-path',
      summary: 'Tell what serves a path, for any token',
      path: 'internal/ui/mounts/:path*',
      access: 'token',
      output: uiPathOutput,
      async handle({ params }) {
        const asked = `${(params['path'] ?? '').replace(/\/$/, '')}/`;
        const found = all.find(([path]) => asked.startsWith(path));
        // As Vault says it where nothing is mounted: a token learns nothing of what it may not see.
        if (found === undefined) throw permissionDenied('policy_does_not_grant');
        return { data: { ...found[1], path: found[0] } };
      },
    }),
  ];
}
