/**
 * Is this the whole answer to the action that was asked? The SDK reads any XML, and finds no instances in a page of HTML or
 * in an answer that was cut: "none" would become a denial where nobody answered at all (ERROR-5).
 */

const OPENING = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<([A-Za-z]{1,80})[\s>]/;
const LOOK_AT_BYTES = 1024;

/** The action of a request of the query protocol, or undefined for a request of another kind. */
export function actionOf(body: unknown): string | undefined {
  return typeof body === 'string' ? /^Action=([A-Za-z]{1,64})&/.exec(body)?.[1] : undefined;
}

/** Whether the document begins and ends with the answer to the action. */
export function isWholeAnswer(action: string, body: Uint8Array): boolean {
  const root = `${action}Response`;
  const bytes = asBuffer(body);
  const end = bytes.subarray(-LOOK_AT_BYTES).toString('latin1').trimEnd();
  return rootOf(bytes) === root && end.endsWith(`</${root}>`) && !bytes.includes('<!DOCTYPE');
}

/** Whether the document is an error as EC2, IAM and STS tell one. */
export function isProviderErrorDocument(body: Uint8Array): boolean {
  const bytes = asBuffer(body);
  const root = rootOf(bytes);
  return (root === 'Response' || root === 'ErrorResponse') && !bytes.includes('<!DOCTYPE');
}

function rootOf(bytes: Buffer): string | undefined {
  return OPENING.exec(bytes.subarray(0, LOOK_AT_BYTES).toString('latin1'))?.[1];
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
