/** Bounds of what a request may carry in one field (THREAT-35). All far above what any client sends. */

/** UTF-16 units of a text. A signed document with its certificates has about 4 KiB. */
export const MAX_TEXT_CHARACTERS = 64 * 1024;

export const MAX_LIST_ITEMS = 1000;

/** UTF-16 units of one item: an ARN with the longest path fits. */
export const MAX_LIST_ITEM_CHARACTERS = 2048;

/** UTF-16 units of a duration: `999999h59m59s` fits many times over. */
export const MAX_DURATION_CHARACTERS = 64;

/** 292 years: what 63 bits of nanoseconds hold, which is the bound of clients. */
export const MAX_DURATION_SECONDS = 9_223_372_036;

/** Names in paths. A bare role tag allows role names of up to 176 characters. */
export const MAX_NAME_CHARACTERS = 256;

/** Unknown fields that a warning names; the others are left out. */
export const MAX_UNKNOWN_NAMED = 20;

/** Characters of each of them. */
export const MAX_UNKNOWN_CHARACTERS = 64;
