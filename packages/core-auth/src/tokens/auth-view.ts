/** The `auth` object of a login or renewal answer (spec 2.8, behaviour sheet 2.2), as the specification names it. */
export interface AuthView {
  readonly client_token: string;
  /** Empty for batch tokens. */
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: 'service' | 'batch';
  readonly orphan: boolean;
  readonly mfa_requirement: null;
  readonly num_uses: number;
}
