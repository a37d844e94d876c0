/**
 * Small parts that the cores and their adapters share: codecs, coded errors, typed collections, commits under concurrency,
 * turns. Pure: no clock, no randomness, no I/O.
 */
export {
  type AuditDraft,
  type AuditOutbox,
  type AuditOutboxOptions,
  AuditUnavailableError,
  createAuditOutbox,
  isAuditOutbox,
  isAuditUnavailable,
  openCallTrail,
  type TrailStep,
} from './audit/audit-outbox.js';
export { redactTokens } from './audit/node-logs.js';
export type { SinkState } from './audit/sink-feeder.js';
export { CodedError, type CodedErrorOptions, hasErrorCode, withoutStack } from './coded-error.js';
export {
  createUuid,
  type DecodeBase64Options,
  decodeBase64,
  decodeBase64Url,
  decodeUtf8,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
  equalConstantTime,
  formatUuid,
  lowerAscii,
} from './encoding/bytes.js';
export { formatRfc3339, parseRfc3339 } from './encoding/rfc3339.js';
export {
  PROTOTYPE_KEYS,
  parseStrictJson,
  type StrictJsonCode,
  type StrictJsonOptions,
  type StrictJsonResult,
} from './encoding/strict-json.js';
export { foldRefusals } from './fold-refusals.js';
export { nearestName } from './nearest-name.js';
export { peerKey } from './peer-key.js';
export {
  decodeRecord,
  encodeRecord,
  isNewerRecordError,
  NEWER_RECORD_REMEDY,
  NewerRecordError,
  newestFormat,
  type OnUnreadable,
  parseRecord,
  RECORD_FORMAT,
  type RecordSchema,
  type UnreadableRecord,
  type WriteFormat,
} from './record-format.js';
export { AUDIT_SHAPE, CLOCK_SHAPE, type PortShape, requirePorts, STORAGE_SHAPE } from './require-ports.js';
export type { DataKeyFacts, OnSealFailure, SealFailure } from './sealing/data-keys.js';
export { createKeyWrapper, type WrappingKey } from './sealing/key-wrapper.js';
export { openSealedBytes, sealBytes } from './sealing/sealed-bytes.js';
export { createSealedCollection, type SealedCollection } from './sealing/sealed-collection.js';
export { createSealer, type Sealer } from './sealing/sealer.js';
export { createSingleFlight, type SingleFlight } from './single-flight.js';
export {
  type Collection,
  createBoundedCache,
  createCollection,
  createKeyedSerializer,
  createOptimisticRunner,
  type Entry,
  type KeyedSerializer,
  MAX_ATTEMPTS,
  type ReadAhead,
  type ReadOptions,
  type RecordReader,
  type RunOptimistic,
  readAhead,
  resolveUnknownCommit,
  unchanged,
} from './store.js';
