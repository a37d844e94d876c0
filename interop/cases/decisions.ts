/**
 * Where a decision overrides what a case expects of the best-known implementation: the status that holds here, and the
 * decision that says so. `undefined` status means "any refusal" stays as the case says.
 */
export interface Override {
  readonly decision: string;
  readonly ok: boolean;
  readonly status: number;
}

export const OVERRIDES: Readonly<Record<string, Override>> = {
  'cli-005': { decision: 'CONFIG-3: an endpoint is an https URL', ok: false, status: 400 },
  'list-003': { decision: 'FIELD-6: empty items are refused', ok: false, status: 400 },
  'list-004': { decision: 'FIELD-6: empty items are refused', ok: false, status: 400 },
  'tok-003': { decision: 'FIELD-6: empty items are refused', ok: false, status: 400 },
  'crt-010': { decision: 'the case itself leaves white space after the block open; accepted', ok: true, status: 204 },
  'rol-035': { decision: 'ROLE-5: bound_region applies to iam with inference', ok: true, status: 204 },
  'rol-040': { decision: 'ROLE-6: a default value that was read can be written back', ok: true, status: 204 },
  'rol-061': {
    decision: 'PROVIDER-1: the ARN that the provider returns must be the one that is bound',
    ok: false,
    status: 400,
  },
  'http-016': { decision: 'WIRE-19: unknown fields are rejected', ok: false, status: 400 },
  'p7-004': { decision: 'DOC-9: SHA-1 is refused', ok: false, status: 400 },
  'p7-010': { decision: 'DOC-4: signed attributes are required', ok: false, status: 400 },
};
