/** Small parts that the cores share: codecs and turns. Pure: no clock, no randomness, no I/O. */
export { lowerAscii } from './encoding/ascii.js';
export {
  type DecodeBase64Options,
  decodeBase64,
  decodeBase64Url,
  encodeBase64,
  encodeBase64Url,
} from './encoding/base64.js';
export { equalConstantTime } from './encoding/equal-constant-time.js';
export { encodeHex } from './encoding/hex.js';
export { formatRfc3339, parseRfc3339 } from './encoding/rfc3339.js';
export {
  PROTOTYPE_KEYS,
  parseStrictJson,
  type StrictJsonCode,
  type StrictJsonOptions,
  type StrictJsonResult,
} from './encoding/strict-json.js';
export { decodeUtf8, encodeUtf8 } from './encoding/utf8.js';
export { createUuid, formatUuid } from './encoding/uuid.js';
export { createKeyedSerializer, type KeyedSerializer } from './keyed-serializer.js';
