/**
 * The certificates that a login trusts right now: built-in ones and those that operators registered (CERT-5, DOC-5). One record,
 * the mark, is written with every certificate that is written or deleted, in the same commit: its version tells every process
 * whether what it read of the certificates still holds, without listing them at each login.
 */
import type { ReadOptions } from '@postern/kernel';
import type { Operation, Version } from '@postern/ports';
import * as z from 'zod';
import type { TrustedCertificate } from '../evidence/identity-document/certificate.js';
import { checkSources } from '../evidence/identity-document/certificate-source.js';
import { createTrustStore, type TrustStore } from '../evidence/identity-document/trust-store.js';
import type { MethodContext } from '../method-context.js';
import { createCollection, type Entry, type RecordStore } from '../store/collection.js';
import type { CertificateConfig } from './records.js';

export interface LoadTrustStore {
  (options?: ReadOptions): Promise<TrustStore>;
  /** What was loaded last: nothing is proven by it until a load returns the same. */
  last(): TrustStore | undefined;
  /** Of the mark, for those who read it together with other records. */
  readonly markKey: string;
}

/**
 * Asks at each call whether a certificate was written since the last, so that a registration counts at once in every
 * process; reads, parses and indexes only what changed.
 *
 * The X.509 parser and the package's certificates are imported at the first call: they are more than all the rest.
 *
 * @throws TypeError at once where an entry of the options' own list of built-in certificates is not PEM. One that is PEM
 *   but not X.509 fails each call; `trustBuiltIn` checks that beforehand.
 */
export function createTrustStoreLoader(context: MethodContext): LoadTrustStore {
  const { certificates } = context.collections;
  const { allowSha1Signatures, builtInCertificates: own } = context.options;
  if (own !== undefined) checkSources(own);
  const mark = createCertificateMark(context);
  let parsed: ReadonlyMap<string, TrustedCertificate | undefined> = new Map();
  let builtIn: readonly TrustedCertificate[] | undefined;
  let current: { readonly mark: Version | undefined; readonly store: TrustStore } | undefined;

  const load = async (callOptions?: ReadOptions): Promise<TrustStore> => {
    // Before the certificates: one written while they are read then shows as a change at the next call.
    const now = await mark.read(callOptions);
    if (current !== undefined && current.mark === now) return current.store;
    const stored = await certificates.all(callOptions);
    const { builtInCertificates, trustBuiltIn } = await import('../evidence/identity-document/certificate-built-in.js');
    const { trustRegistered } = await import('../evidence/identity-document/certificate-parser.js');
    // Nothing below waits: calls that overlap see whole results of each other.
    const keys = stored.map(keyOf);
    let store = current?.store;
    if (store === undefined || keys.length !== parsed.size || !keys.every((key) => parsed.has(key))) {
      builtIn ??= own === undefined ? builtInCertificates() : trustBuiltIn(own);
      const trust = trustWith(trustRegistered);
      parsed = new Map(stored.map((entry) => [keyOf(entry), parsed.get(keyOf(entry)) ?? trust(entry)]));
      const registered = [...parsed.values()].filter((certificate) => certificate !== undefined);
      store = createTrustStore({ builtIn, registered, allowSha1Signatures });
    }
    current = { mark: now, store };
    return store;
  };
  return Object.assign(load, { last: () => current?.store, markKey: mark.key });
}

/** Versions are never reused for a name, so name and version name one certificate. */
function keyOf(entry: Entry<CertificateConfig>): string {
  return `${entry.id}\0${entry.version}`;
}

type TrustRegistered = (name: string, type: CertificateConfig['type'], text: string) => TrustedCertificate;

/** Undefined where what is stored cannot be read: less is trusted, and other logins do not fail for it. */
function trustWith(trustRegistered: TrustRegistered) {
  return ({ id, value }: Entry<CertificateConfig>): TrustedCertificate | undefined => {
    try {
      return trustRegistered(id, value.type, value.pem);
    } catch {
      return undefined;
    }
  };
}

const MARK_ID = 'last-write';

export interface CertificateMark {
  /** Changes with every write of a certificate; undefined before the first. Read it before the certificates. */
  read(options?: ReadOptions): Promise<Version | undefined>;
  readonly key: string;
  /** Belongs into every commit that writes or deletes a certificate. */
  readonly put: Operation;
}

export function createCertificateMark(context: RecordStore): CertificateMark {
  const marks = createCollection(context, 'certificate-marks/', z.strictObject({}));
  return {
    key: marks.prefix + MARK_ID,
    read: async (callOptions) => (await marks.get(MARK_ID, callOptions))?.version,
    put: marks.put(MARK_ID, {}, 'any'),
  };
}
