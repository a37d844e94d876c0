/** How the two stores are swept: settings only (TIDY-1, WIRE-8, TIDY-2). */
import * as z from 'zod';
import { durationField } from '../fields/duration-field.js';
import { booleanField, described } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { deleteOperation, existsIn, type RecordKind, readOperation, updateRecord } from './record-operations.js';
import { DEFAULT_TIDY_CONFIG, type TidyConfig, type TidyTarget } from './records.js';

const tidyFields = z.object({
  safety_buffer: described(durationField, 'Time past its expiration that an entry is still kept. Default 72h.'),
  disable_periodic_tidy: described(booleanField, 'Sweep by hand only.'),
});

const tidyOutput = z.object({ safety_buffer: z.int().nonnegative(), disable_periodic_tidy: z.boolean() });

const TARGETS: readonly { target: TidyTarget; alias: string; what: string }[] = [
  { target: 'identity-accesslist', alias: 'config/tidy/identity-whitelist', what: 'the access list' },
  { target: 'roletag-denylist', alias: 'config/tidy/roletag-blacklist', what: 'the deny list' },
];

export function createTidyConfigOperations(context: MethodContext) {
  return TARGETS.flatMap(({ target, alias, what }) => {
    const at = { path: `config/tidy/${target}`, aliases: [alias] } as const;
    const kind: RecordKind<TidyConfig> = {
      collection: context.collections.tidyConfigs,
      idOf: () => target,
      toWire: (config) => ({
        safety_buffer: config.safetyBufferSeconds,
        disable_periodic_tidy: config.disablePeriodicTidy,
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
        fields: tidyFields,
        exists: existsIn(kind),
        async handle(request) {
          const { safety_buffer: buffer, disable_periodic_tidy: disable } = request.fields;
          const decide = (stored: TidyConfig = DEFAULT_TIDY_CONFIG): TidyConfig => ({
            safetyBufferSeconds: buffer ?? stored.safetyBufferSeconds,
            disablePeriodicTidy: disable ?? stored.disablePeriodicTidy,
          });
          await updateRecord(kind.collection, target, decide, request);
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
