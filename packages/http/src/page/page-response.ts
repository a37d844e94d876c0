/** Answers of the page: headers under which hostile text stays text, whatever else should fail (PAGE-9). */
import type { Html } from './html.js';

/**
 * Nothing is loaded but the style sheet and the icon of this origin; no script runs, no site may frame it, forms submit to this origin. No
 * `unsafe-inline`: markup that got in could neither run nor draw over the page.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const COMMON = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // Not `no-referrer`: with it browsers send forms with the origin "null", and the form guard could not tell them apart.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

export interface PageHeaders {
  readonly requestId: string;
  readonly more?: Readonly<Record<string, string>> | undefined;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

export function htmlResponse(status: number, body: Html, { requestId, more, cookies = [] }: PageHeaders): Response {
  const headers = {
    ...COMMON,
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'x-request-id': requestId,
    ...more,
  };
  return withCookies(new Response(body.toString(), { status, headers }), cookies);
}

/** To a page of this registry, after a form: reloading it does not send the form again. */
export function seeOther(path: string, { requestId, cookies = [] }: PageHeaders): Response {
  const headers = { ...COMMON, 'cache-control': 'no-store', location: path, 'x-request-id': requestId };
  return withCookies(new Response(null, { status: 303, headers }), cookies);
}

/** For a file whose address names its content. */
export function assetResponse(content: string, contentType: string): Response {
  const headers = {
    ...COMMON,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': contentType,
  };
  return new Response(content, { status: 200, headers });
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}
