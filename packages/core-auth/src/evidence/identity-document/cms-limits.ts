/**
 * Bounds of the CMS reader (DOC-8). Real values are below 1.6 KiB with nine levels; each bound leaves room for
 * what AWS may add and none for what only an attacker sends.
 */

/** Bytes of a whole SignedData. Against hashing and walking megabytes for an unauthenticated caller. */
export const MAX_CMS_BYTES = 64 * 1024;

/** Octets of a length field. Against lengths that overflow 32 bits or are padded without end. */
export const MAX_LENGTH_OCTETS = 4;

/** Elements inside one another. Against stacks of headers; the reader keeps one frame a level and never recurses. */
export const MAX_DEPTH = 20;

/** Pieces of a constructed OCTET STRING. Against thousands of empty pieces, each costing a view. */
export const MAX_CONTENT_PIECES = 64;

/** Signed attributes. Against quadratic comparison of their types. */
export const MAX_ATTRIBUTES = 16;

/** Elements of the values of an attribute that is not used, at any depth. Against walking large values that are not used. */
export const MAX_ATTRIBUTE_ELEMENTS = 256;

/** Embedded certificates, and embedded CRLs. They are skipped; the bound is on the skipping. */
export const MAX_EMBEDDED = 16;
