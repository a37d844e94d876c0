/** Values of the notice form, and how they become the registry's input and its errors field problems. */
import {
  type Deprecation,
  type DeprecationInput,
  formatDay,
  formatInstant,
  type Notice,
  REASON_CLASSES,
  type ReasonClass,
  type RegistryError,
  type RevocationInput,
} from '@postern/core-registry';
import { typedText } from '../form-body.js';

export const FIELDS = [
  'reason',
  'link',
  'reason_class',
  'replacement_module',
  'replacement_version',
  'sunset',
] as const;
export type FieldName = (typeof FIELDS)[number];
export type NoticeValues = Readonly<Record<FieldName, string>>;

/** The field at fault, and what is wrong with it. */
export interface FieldProblem {
  readonly field: FieldName;
  readonly text: string;
}

export function typedValues(fields: URLSearchParams): NoticeValues {
  return {
    reason: typedText(fields, 'reason'),
    link: typedText(fields, 'link'),
    reason_class: typedText(fields, 'reason_class'),
    replacement_module: typedText(fields, 'replacement_module'),
    replacement_version: typedText(fields, 'replacement_version'),
    sunset: typedText(fields, 'sunset'),
  };
}

/** What stands now, to be revised: what is not sent again is gone (REG-2). */
export function presentValues(notice: Deprecation | Notice | null): NoticeValues {
  const extras = notice !== null && 'sunsetAt' in notice ? notice : undefined;
  return {
    reason: notice?.reason ?? '',
    link: notice?.link ?? '',
    reason_class: extras?.reasonClass ?? '',
    replacement_module: extras?.replacement?.module ?? '',
    replacement_version: extras?.replacement?.version ?? '',
    sunset: extras?.sunsetAt === undefined || extras.sunsetAt === null ? '' : sunsetText(extras.sunsetAt),
  };
}

/** A day where it is one; an instant is not cut down to its day by revising something else. */
function sunsetText(sunsetAt: number): string {
  return formatInstant(sunsetAt).endsWith('T00:00:00.000Z') ? formatDay(sunsetAt) : formatInstant(sunsetAt);
}

export function toRevocation({ reason, link }: NoticeValues): RevocationInput {
  return { reason: reason || null, link: link || null };
}

/** The registry checks it all; a class it does not know is passed on for it to refuse. */
export function toDeprecation(values: NoticeValues): DeprecationInput {
  const { replacement_module: module, replacement_version: version, reason_class: reasonClass, sunset } = values;
  return {
    ...toRevocation(values),
    // The registry refuses an unknown class, with a pointer to this field.
    reasonClass: reasonClass === '' ? null : (reasonClass as ReasonClass),
    replacement: module === '' && version === '' ? null : { module: module || null, version: version || null },
    sunset: sunset || null,
  };
}

const FIELD_OF_POINTER: ReadonlyMap<string, FieldName> = new Map([
  ['/reason', 'reason'],
  ['/link', 'link'],
  ['/reasonClass', 'reason_class'],
  ['/replacement', 'replacement_module'],
  ['/replacement/module', 'replacement_module'],
  ['/replacement/version', 'replacement_version'],
  ['/sunset', 'sunset'],
]);

/** Undefined where the error is not about a field of the form. */
export function fieldProblem({ pointer, details }: RegistryError): FieldProblem | undefined {
  const field = FIELD_OF_POINTER.get(pointer ?? '');
  const { expected } = details;
  return field === undefined ? undefined : { field, text: `Must be ${expected ?? 'another text'}.` };
}

/** Why, as people choose it. */
export const CLASS_LABELS: Readonly<Record<ReasonClass, string>> = {
  legacy: 'No longer maintained',
  'critical-bugs': 'Critical bugs',
  security: 'Security problem',
  renamed: 'Renamed',
  other: 'Other',
};

export const CLASS_CHOICES = REASON_CLASSES.map((value) => ({ value, label: CLASS_LABELS[value] }));
