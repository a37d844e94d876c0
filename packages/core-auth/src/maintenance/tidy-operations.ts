/** Sweeping by hand, and how the latest runs went (TIDY-3, WIRE-8, TIDY-7). */

import { formatRfc3339 } from '@postern/kernel';
import * as z from 'zod';
import { DEFAULT_TIDY_CONFIG, type TidyTarget } from '../config/records.js';
import { fieldsOf, keepExistingField } from '../config/tidy-operations.js';
import { durationField } from '../fields/duration-field.js';
import { described } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import type { Tidy } from './tidy.js';
import { isHeld } from './tidy-lease.js';
import { NO_COUNTS, type SweepTarget, type TidyRun } from './tidy-run.js';

const tidyFields = z.object({
  safety_buffer: described(durationField, 'Time past its expiration that an entry is still kept. Default 72h.'),
  tidy_keep_existing_instances: keepExistingField,
});

const TARGETS: readonly { target: TidyTarget; alias: string; what: string }[] = [
  { target: 'roletag-denylist', alias: 'tidy/roletag-blacklist', what: 'the deny list' },
  { target: 'identity-accesslist', alias: 'tidy/identity-whitelist', what: 'the access list' },
];

/** What `runView` makes. */
const runOutput = z.object({
  running: z.boolean(),
  examined: z.number(),
  removed: z.number(),
  renewed: z.number(),
  failed: z.number(),
  kept: z.number(),
  unverified: z.number(),
  safety_buffer: z.number().nullable(),
  started_time: z.string().nullable(),
  finished_time: z.string().nullable(),
  last_error: z.string().nullable(),
});

const statusOutput = z.object({
  'identity-accesslist': runOutput,
  'roletag-denylist': runOutput,
  tokens: runOutput,
} satisfies Record<SweepTarget, z.ZodType>);

export function createTidyOperations({ ports }: MethodContext, tidy: Tidy) {
  const byHand = TARGETS.map(({ target, alias, what }) =>
    defineOperation({
      id: `tidy.${target}`,
      summary: `Sweep ${what} now, in the background`,
      verb: 'write',
      scope: 'mount',
      path: `tidy/${target}`,
      aliases: [alias],
      access: 'management',
      fields: fieldsOf(target, tidyFields),
      background: true,
      async handle({ fields }) {
        // The stored settings are those of periodic runs: a run by hand has its own defaults.
        const started = await tidy.start(target, {
          safetyBufferSeconds: fields.safety_buffer ?? DEFAULT_TIDY_CONFIG.safetyBufferSeconds,
          keepExistingInstances: fields.tidy_keep_existing_instances,
        });
        if (!started) return { warnings: [`a run over ${what} is under way; nothing was started`] };
        return { accepted: true, warnings: [`a run over ${what} was started; tidy/status tells how it goes`] };
      },
    }),
  );
  const status = defineOperation({
    id: 'tidy.status',
    summary: 'Tell how the latest run over each store goes or went',
    verb: 'read',
    scope: 'mount',
    path: 'tidy/status',
    access: 'management',
    fields: z.object({}),
    output: statusOutput,
    async handle(request) {
      const latest = await tidy.latest(request);
      const now = ports.clock.now();
      const view = (target: SweepTarget) => runView(latest.get(target), now);
      return {
        data: {
          'identity-accesslist': view('identity-accesslist'),
          'roletag-denylist': view('roletag-denylist'),
          tokens: view('tokens'),
        },
      };
    },
  });
  return [...byHand, status];
}

function runView(run: TidyRun | undefined, now: number): z.infer<typeof runOutput> {
  const running = run !== undefined && isHeld(run, now);
  const { examined, removed, renewed, failed, kept = 0, unverified = 0 } = run ?? NO_COUNTS;
  return {
    running,
    examined,
    removed,
    renewed,
    failed,
    kept,
    unverified,
    safety_buffer: run?.safetyBufferSeconds ?? null,
    started_time: run === undefined ? null : formatRfc3339(run.startedAt),
    finished_time: run?.finishedAt === undefined ? null : formatRfc3339(run.finishedAt),
    // A run whose process died never wrote its end.
    last_error: run?.lastError ?? (run?.running === true && !running ? 'interrupted' : null),
  };
}
