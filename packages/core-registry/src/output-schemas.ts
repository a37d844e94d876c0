/** What operations answer, in the domain's names: documents are made from these. Instants are epoch milliseconds. */
import * as z from 'zod';
import { COMMANDS, STATES } from './lifecycle/transitions.js';
import type {
  Access,
  CommandOutcome,
  DeprecateOutcome,
  DownloadGrant,
  HistoryPage,
  ModuleList,
  ModuleListing,
  ModuleVersionView,
  RangeOutcome,
  VersionList,
} from './results.js';
import { REASON_CLASSES, type VersionStatus } from './version-status.js';

/** What it says must be what the method answers. */
type Says<T> = z.ZodType<T>;

const text = z.string();
const nullableText = text.nullable();
const instant = z.number().meta({ format: 'epoch-millis' });
const notice = { reason: nullableText, link: nullableText };
const extras = {
  reasonClass: z.enum(REASON_CLASSES).nullable(),
  replacement: z.object({ module: nullableText, version: nullableText }).nullable(),
  sunsetAt: instant.nullable(),
};
const authorship = { at: instant, by: text, revisedAt: instant.nullable(), revisedBy: nullableText };
const module = z.object({ namespace: text, name: text, provider: text });
const address = module.extend({ version: text });
const deprecation = z.object({ id: text, ...notice, ...extras, ...authorship });

export const statusOutput = z.object({
  id: text,
  address,
  state: z.enum(STATES),
  deprecation: deprecation.nullable(),
  revocation: z.object({ id: text, ...notice, ...authorship }).nullable(),
}) satisfies Says<VersionStatus>;

export const statusesOutput = z.array(statusOutput.optional()) satisfies Says<(VersionStatus | undefined)[]>;

export const commandOutput = z.object({ status: statusOutput, changed: z.boolean() }) satisfies Says<CommandOutcome>;
export const deprecateOutput = commandOutput.extend({ deprecation }) satisfies Says<DeprecateOutcome>;

export const rangeOutput = z.object({
  module,
  range: text,
  dryRun: z.boolean(),
  complete: z.boolean(),
  changes: z.array(
    z.object({
      version: text,
      from: z.enum(STATES),
      to: z.enum(STATES),
      action: z.enum(['deprecate', 'revise', 'reinstate', 'none']),
      outcome: z.enum(['planned', 'done', 'failed', 'not-attempted']),
      code: text.optional(),
    }),
  ),
}) satisfies Says<RangeOutcome>;

export const historyOutput = z.object({
  entries: z.array(
    z.object({
      seq: z.number(),
      time: instant,
      actor: text,
      requestId: text,
      command: z.enum([...COMMANDS, 'delete']),
      from: z.enum(STATES),
      to: z.enum(STATES),
      ...notice,
      ...extras,
    }),
  ),
  total: z.number(),
  next: z.number().optional(),
});
historyOutput satisfies Says<Omit<HistoryPage, 'next'> & { next?: number | undefined }>;

export const accessOutput = z.object({
  caller: text,
  canRead: z.boolean(),
  canManage: z.boolean(),
}) satisfies Says<Access>;

const dependency = z.object({ name: text, source: text, version: text });
const providerDependency = dependency.extend({ namespace: text });
const requirements = { dependencies: z.array(dependency), providerDependencies: z.array(providerDependency) };
const contents = z.object({
  path: text,
  name: text,
  readme: text,
  empty: z.boolean(),
  inputs: z.array(
    z.object({
      name: text,
      type: text,
      description: text,
      default: text.optional(),
      required: z.boolean(),
      sensitive: z.boolean(),
    }),
  ),
  outputs: z.array(z.object({ name: text, description: text, sensitive: z.boolean() })),
  ...requirements,
  resources: z.array(z.object({ name: text, type: text })),
});
const archive = z.object({ format: z.enum(['tar.gz', 'zip']), sizeBytes: z.number(), digest: text });

const facts = z.object({ address, owner: text, description: text, source: text, publishedAt: instant });

export const moduleViewOutput = z.object({
  status: statusOutput,
  details: facts.extend({ archive, root: contents, submodules: z.array(contents), examples: z.array(contents) }),
});
/** zod makes what may be undefined optional; the port says it is always there. */
type Loose<T> = T extends readonly (infer U)[] ? Loose<U>[] : T extends object ? { [K in keyof T]?: Loose<T[K]> } : T;
moduleViewOutput satisfies Says<Loose<ModuleVersionView>>;

export const moduleListingsOutput = z.array(z.object({ status: statusOutput, details: facts }));
moduleListingsOutput.element satisfies Says<ModuleListing>;

export const moduleListOutput = z.object({
  modules: moduleListingsOutput,
  offset: z.number(),
  limit: z.number(),
  nextOffset: z.number().optional(),
});
moduleListOutput satisfies Says<Loose<ModuleList>>;

const listing = z.object({
  summary: z.object({
    version: text,
    publishedAt: instant,
    root: z.object(requirements),
    submodules: z.array(z.object({ path: text, ...requirements })),
  }),
  status: statusOutput,
});

export const versionListOutput = z.object({
  module,
  versions: z.array(listing),
  latest: listing,
  latestActive: listing.optional(),
});
versionListOutput satisfies Says<Loose<VersionList>>;

export const grantOutput = z.object({ status: statusOutput, archive }) satisfies Says<DownloadGrant>;
