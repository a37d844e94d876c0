/**
 * A `WebAssembly.Memory`: what the parser may take. Not by that name, which the published declarations could use only where
 * the types of a browser are there.
 */
export interface ParserMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
