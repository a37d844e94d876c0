/** The one form in which Signature Version 4 writes an instant: `20150830T123600Z`. */

import { parseRfc3339 } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';

const PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The instant, or undefined where the text names none. */
export function parseAmzDate(text: string): EpochMillis | undefined {
  return PATTERN.test(text) ? parseRfc3339(text.replace(PATTERN, '$1-$2-$3T$4:$5:$6Z')) : undefined;
}
