/** How the two stores are swept: settings only (TIDY-1, WIRE-8, TIDY-2). */
import * as z from 'zod';
import { durationField } from '../fields/duration-field.js';
import { booleanField, described } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type Shown } from '../operation.js';
import { deleteOperation, existsIn, type RecordKind, readOperation, updateRecord } from './record-operations.js';
import { DEFAULT_TIDY_CONFIG, type TidyConfig, type TidyTarget } from './records.js';

export const keepExistingField = described(
  booleanField,
  'Keep entries of instances that still exist, and of those that the cloud cannot tell of. Default true.',
);

const tidyFields = z.object({
  safety_buffer: described(durationField, 'Time past its expiration that an entry is still kept. Default 72h.'),
  disable_periodic_tidy: described(booleanField, 'Sweep by hand only.'),
  tidy_keep_existing_instances: keepExistingField,
});

const tidyOutput = z.object({
  safety_buffer: z.int().nonnegative(),
  disable_periodic_tidy: z.boolean(),
  tidy_keep_existing_instances: z
    .boolean()
    .optional()
    .meta({ description: 'of the access list; absent where it is true' }),
});

/** The deny list knows no instances. */
export function fieldsOf<F extends z.ZodObject>(target: TidyTarget, fields: F): F {
  if (target === 'identity-accesslist') return fields;
  // Every field is optional: a schema without one parses to a value of the same type.
  return fields.omit({ tidy_keep_existing_instances: true }) as unknown as F;
}

const TARGETS: readonly { target: TidyTarget; alias: string; what: string }[] = [
  { target: 'identity-accesslist', alias: 'config/tidy/identity-whitelist', what: 'the access list' },
  { target: 'roletag-denylist', alias: 'config/tidy/roletag-blacklist', what: 'the deny list' },
];

export function createTidyConfigOperations(context: MethodContext) {
  return TARGETS.flatMap(({ target, alias, what }) => {
    const at = { path: `config/tidy/${target}`, aliases: [alias] } as const;
    const kind: RecordKind<TidyConfig, Shown<typeof tidyOutput>> = {
      collection: context.collections.tidyConfigs,
      idOf: () => target,
      toWire: (config) => ({
        safety_buffer: config.safetyBufferSeconds,
        disable_periodic_tidy: config.disablePeriodicTidy,
        ...(config.keepExistingInstances === false ? { tidy_keep_existing_instances: false } : {}),
      }),
    };
    return [
      defineOperation({
        ...at,
        id: `config.tidy.${target}.write`,
        summary: `Configure how ${what} is swept`,
        verb: 'write',
        scope: 'mount',
        access: 'management',
        fields: fieldsOf(target, tidyFields),
        exists: existsIn(kind),
        async handle(request) {
          const { safety_buffer: buffer, disable_periodic_tidy: disable, ...more } = request.fields;
          const decide = (stored: TidyConfig = DEFAULT_TIDY_CONFIG): TidyConfig => ({
            safetyBufferSeconds: buffer ?? stored.safetyBufferSeconds,
            disablePeriodicTidy: disable ?? stored.disablePeriodicTidy,
            ...keepSetting(more.tidy_keep_existing_instances ?? stored.keepExistingInstances),
          });
          await updateRecord(kind, target, decide, request);
          return {};
        },
      }),
      readOperation(
        {
          ...at,
          id: `config.tidy.${target}.read`,
          summary: `Read how ${what} is swept`,
          output: tidyOutput,
        },
        kind,
      ),
      deleteOperation({ ...at, id: `config.tidy.${target}.delete`, summary: `Sweep ${what} by default again` }, kind),
    ];
  });
}

/** Only where it is not the default: a node that knows format 1 reads the record (STORE-5). */
function keepSetting(keep = true): Pick<TidyConfig, 'keepExistingInstances'> {
  return keep ? {} : { keepExistingInstances: false };
}
