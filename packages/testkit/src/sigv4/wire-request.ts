/** A request as it stands on the wire, and what Signature Version 4 signs it with. */

/** Names and values in the order and spelling in which they were sent; a name may come more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface WireRequest {
  readonly method: string;
  /** Path and query exactly as in the request line. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: Uint8Array | undefined;
}

export interface SigV4Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** With temporary credentials. */
  readonly sessionToken?: string;
}

/** What a signature is good for. The date is the first eight digits of the request's own. */
export interface SigningScope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** How a service wants the path canonicalised. STS takes the defaults. */
export interface PathRules {
  /** Resolves `.` and `..` and merges slashes. True unless told; S3 does not. */
  readonly normalizePath?: boolean;
  /**
   * `double`: every byte of the path as sent is encoded once more (`%3A` becomes `%253A`), as all services but S3 do.
   * `single`: it is decoded first.
   */
  readonly pathEncoding?: 'double' | 'single';
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const TERMINATOR = 'aws4_request';

/** All values of a header in order of arrival, without the white space around them, its name in any case. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.flatMap(([key, value]) => (key.toLowerCase() === wanted ? [value.trim()] : []));
}

/** Splits at the first `?`; the query is empty without one. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
