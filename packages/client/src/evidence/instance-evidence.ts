/**
 * What an instance shows of itself (DOC-1): its identity document, signed by its cloud. The client reads the document only to
 * know which instance it is on; whether the signature holds is for the server to say.
 */
import { conceal, unprinted } from '../concealed.js';
import { type MetadataOptions, type MetadataSession, openMetadata } from './instance-metadata.js';
import { invalidMetadata, notAnInstance } from './metadata-request.js';

/** The login fields that prove the instance. */
export type InstanceProof =
  | { readonly pkcs7: string }
  /** Base64 of the document, and its signature. */
  | { readonly identity: string; readonly signature: string };

/** Not verified here. Printing it shows no proof. */
export interface InstanceEvidence {
  readonly instanceId: string;
  /** Hidden from printing and JSON: with it and the nonce anyone can log in as this instance. */
  readonly proof: InstanceProof;
}

export interface InstanceEvidenceOptions extends MetadataOptions {
  /** `rsa2048` (default): PKCS#7. `signature`: the document with its signature. */
  readonly form?: 'rsa2048' | 'signature';
}

const FOLDER = '/latest/dynamic/instance-identity';

/**
 * Asks the metadata service of the instance that this runs on.
 *
 * @throws PosternClientError `not_an_instance`, `metadata_disabled`, `metadata_timed_out`, `metadata_unavailable`,
 *   `metadata_answer_invalid`, `aborted`
 * @throws TypeError for an invalid endpoint
 * @example
 * ```ts
 * const evidence = await collectInstanceEvidence({ timeoutMs: 500 });
 * ```
 */
export async function collectInstanceEvidence(options: InstanceEvidenceOptions = {}): Promise<InstanceEvidence> {
  const metadata = await openMetadata(options);
  const document = await read(metadata, 'document');
  const instanceId = instanceIdIn(document);
  if (options.form !== 'signature')
    return instanceEvidence(instanceId, { pkcs7: oneLine(await read(metadata, 'rsa2048')) });
  const signature = oneLine(await read(metadata, 'signature'));
  // Byte by byte: the signature is over the text as it came.
  return instanceEvidence(instanceId, { identity: Buffer.from(document).toString('base64'), signature });
}

/** Evidence that was collected elsewhere: by an agent on the host, say, for a container. */
export function instanceEvidence(instanceId: string, proof: InstanceProof): InstanceEvidence {
  return conceal({ instanceId }, { proof: unprinted({ ...proof }) });
}

async function read(metadata: MetadataSession, name: string): Promise<string> {
  const text = await metadata.get(`${FOLDER}/${name}`);
  if (text === undefined) throw notAnInstance(`its metadata service has no ${name}`);
  return text;
}

function oneLine(base64: string): string {
  const text = base64.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+=*$/.test(text))
    throw invalidMetadata('the metadata service gave a signature that is no base64');
  return text;
}

function instanceIdIn(document: string): string {
  try {
    const { instanceId }: Record<string, unknown> = JSON.parse(document);
    if (typeof instanceId === 'string' && /^[\w-]{1,128}$/.test(instanceId)) return instanceId;
  } catch {
    // Said below.
  }
  throw invalidMetadata('the metadata service gave a document without an instance id');
}
