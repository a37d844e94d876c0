/** The text of an instance identity document as the metadata service prints it (DOC-1, DOC-10). */

/** Members in the cloud's order; a test may add, change or drop any of them. */
export interface DocumentFields {
  readonly accountId: string;
  readonly architecture: string;
  readonly availabilityZone: string;
  readonly billingProducts: readonly string[] | null;
  readonly devpayProductCodes: readonly string[] | null;
  readonly marketplaceProductCodes: readonly string[] | null;
  readonly imageId: string;
  readonly instanceId: string;
  readonly instanceType: string;
  readonly kernelId: string | null;
  /** ISO 8601 with whole seconds: `2026-02-16T00:38:27Z`. */
  readonly pendingTime: string;
  readonly privateIp: string;
  readonly ramdiskId: string | null;
  readonly region: string;
  readonly version: string;
}

/** Two spaces, `"key" : value`, a list on one line, no newline at the end: the bytes that are signed. */
export function documentText(fields: DocumentFields | Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${JSON.stringify(key)} : ${valueText(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

function valueText(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.length === 0 ? '[ ]' : `[ ${value.map((item) => JSON.stringify(item)).join(', ')} ]`;
}

/** An instant as documents spell it; parts of a second are cut. */
export function pendingTimeText(epochMillis: number): string {
  return `${new Date(epochMillis).toISOString().slice(0, 19)}Z`;
}

/** Base64 in lines of 76 characters, as the metadata service serves signatures. */
export function base64Lines(bytes: Uint8Array): string {
  return (
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\n');
}
