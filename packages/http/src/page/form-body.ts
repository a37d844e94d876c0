/** The fields of a form that was sent: bounded before anything is kept, decoded once. */
import { isAuthError } from '@postern/core-auth';

/** The longest reason and link, percent-encoded, take half of it. */
export const FORM_LIMIT_BYTES = 64 * 1024;

/** The page's own forms have a dozen. */
const MAX_FIELDS = 100;

export type FormBody =
  | { readonly ok: true; readonly fields: URLSearchParams }
  | { readonly ok: false; readonly refusal: 'too_large' | 'bad_form' | 'unavailable' };

export type ReadBytes = (limitBytes: number) => Promise<Uint8Array>;

/** @param readBytes as `readBoundedBody`: throws `body_too_large`. */
export async function readForm(contentType: string | null, readBytes: ReadBytes): Promise<FormBody> {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    return { ok: false, refusal: 'bad_form' };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readBytes(FORM_LIMIT_BYTES));
    if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) return { ok: false, refusal: 'bad_form' };
    return { ok: true, fields: new URLSearchParams(text) };
  } catch (error) {
    const code = isAuthError(error) ? error.code : undefined;
    if (code === 'server_busy') return { ok: false, refusal: 'unavailable' };
    return { ok: false, refusal: code === 'body_too_large' ? 'too_large' : 'bad_form' };
  }
}

/** A text field as people type it: browsers send CR LF for a line break, and leave the spaces around it. */
export function typedText(fields: URLSearchParams, name: string): string {
  return (fields.get(name) ?? '').replaceAll('\r\n', '\n').trim();
}
