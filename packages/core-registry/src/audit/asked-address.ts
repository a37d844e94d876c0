/** What a call named, as the audit trail repeats it. */
import { isAddressPart } from '../addresses/address.js';
import { parseVersion } from '../versions/version.js';

/** What of an address the caller named, whatever it was. */
export interface AskedAddress {
  readonly namespace?: string | undefined;
  readonly module?: string;
  readonly provider?: string;
  readonly version?: string;
}

/**
 * What is no address is not repeated: it may be anything, such as a token that somebody pasted in its place (THREAT-36).
 * Only asked of calls that leave an event: most are reads, which leave none.
 */
export function toldAddress(asked: AskedAddress): Readonly<Record<string, string | undefined>> {
  const told = Object.entries(asked).map(([name, text]) => {
    const isSound = name === 'version' ? parseVersion(text) !== undefined : isAddressPart(text);
    return [name, text === undefined || isSound ? text : '(malformed)'] as const;
  });
  return Object.fromEntries(told);
}
