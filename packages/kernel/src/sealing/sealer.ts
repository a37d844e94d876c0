/**
 * Secrets of records, sealed (STORE-4): AES-256-GCM under a data key. What is sealed is bound to the storage key and the
 * member that it stands in: moved anywhere else, it does not open. A stored text is a secret in plain, as before sealing.
 */
import type { CallOptions } from '@postern/ports';
import { decodeBase64Url, decodeUtf8, encodeBase64Url, encodeUtf8 } from '../encoding/bytes.js';
import type { WriteFormat } from '../record-format.js';
import { createDataKeys, type DataKey, type DataKeys, type SealingPorts } from './data-keys.js';
import { openSealedBytes, sealBytes } from './sealed-bytes.js';

/** The first record format in which secrets are sealed: what older versions read they must find in plain. */
const SEALED_SINCE = 2;
/** No other use of a data key seals under the same words. */
const DOMAIN = 'postern-sealed-secret';

/** In place of the text: an object, which no text that a caller chose is taken for. */
interface Sealed {
  /** Id of the data key, a dot, and base64url of nonce and ciphertext. */
  readonly sealed: string;
}

export interface Sealer extends DataKeys {
  /** Whether secrets are sealed at the next write. */
  readonly isSealing: () => boolean;
  /** @param place the storage key of the record, and the path of the member. */
  seal(dataKey: DataKey, secret: string, place: Place): Promise<Sealed>;
  /** @throws the error of `onFailure` where it does not open. */
  open(sealed: Sealed, place: Place, options?: CallOptions): Promise<string>;
}

export interface Place {
  readonly key: string;
  readonly member: string;
}

export interface SealerOptions extends SealingPorts {
  /** Where the ring of data keys is stored. */
  readonly ringKey: string;
  readonly format: WriteFormat;
}

export function createSealer(options: SealerOptions): Sealer {
  const { crypto, wrappers, onFailure } = options;
  const keys = createDataKeys(options, options.ringKey);
  return {
    ...keys,
    isSealing: () => wrappers.length > 0 && options.format() >= SEALED_SINCE,
    async seal({ id, key }, secret, place) {
      const bytes = await sealBytes(crypto, key, encodeUtf8(secret), boundTo(place));
      return { sealed: `${id}.${encodeBase64Url(bytes)}` };
    },
    async open(value, place, call) {
      const [id = '', text = ''] = value.sealed.split('.');
      const bytes = decodeBase64Url(text);
      const { key } = await keys.find(id, call);
      const secret = bytes && (await openSealedBytes(crypto, key, bytes, boundTo(place)));
      const opened = secret === undefined ? undefined : decodeUtf8(secret);
      if (opened === undefined) throw onFailure('unreadable', `${place.member} of ${place.key} was altered`);
      return opened;
    },
  };
}

/** Neither part can hold the NUL that keeps them apart. */
function boundTo({ key, member }: Place): Uint8Array {
  return encodeUtf8(`${DOMAIN}\0${key}\0${member}`);
}

/** A member of a parsed record that may hold a secret. */
interface Slot {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly member: string;
}

/** @param paths as `Secrets` has them. */
function slotsOf(record: object, paths: readonly string[]): readonly Slot[] {
  return paths.flatMap((path) => walk(record, path.split('.'), ''));
}

function walk(holder: unknown, [name = '', ...rest]: readonly string[], above: string): readonly Slot[] {
  if (typeof holder !== 'object' || holder === null) return [];
  if (name === '*') return Object.entries(holder).flatMap(([at, each]) => walk(each, rest, `${above}${at}.`));
  // An object that JSON.parse made.
  const members = holder as Record<string, unknown>;
  if (!Object.hasOwn(members, name)) return [];
  if (rest.length > 0) return walk(members[name], rest, `${above}${name}.`);
  return [{ holder: members, name, member: above + name }];
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}

/** The secrets of one record. */
export interface Secrets {
  readonly sealer: Sealer;
  /** Of the members that hold them: `secretKey`, or `keys.*.key` for a member of each element of a list. */
  readonly paths: readonly string[];
  /** The storage key of the record. */
  readonly key: string;
}

/** Replaces sealed members of a parsed record by their texts. */
export async function openMembers(
  { sealer, paths, key }: Secrets,
  record: object,
  options?: CallOptions,
): Promise<void> {
  for (const { holder, name, member } of slotsOf(record, paths)) {
    const value = holder[name];
    if (isSealed(value)) holder[name] = await sealer.open(value, { key, member }, options);
  }
}

/** Replaces the texts of a record of its own by sealed members. An empty text is no secret. */
export async function sealMembers(
  { sealer, paths, key }: Secrets,
  record: object,
  options?: CallOptions,
): Promise<void> {
  if (!sealer.isSealing()) return;
  const slots = slotsOf(record, paths).filter(({ holder, name }) => holder[name] !== '');
  if (slots.length === 0) return;
  const dataKey = await sealer.current(options);
  for (const { holder, name, member } of slots) {
    const secret = holder[name];
    if (typeof secret === 'string') holder[name] = await sealer.seal(dataKey, secret, { key, member });
  }
}

/** Whether every secret of a parsed record is sealed under the data key of this id. */
export function isSealedUnder(keyId: string, paths: readonly string[], record: object): boolean {
  return slotsOf(record, paths).every(({ holder, name }) => {
    const value = holder[name];
    return isSealed(value) ? value.sealed.startsWith(`${keyId}.`) : value === '';
  });
}
