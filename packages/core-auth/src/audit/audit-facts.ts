/** What a handler tells the audit trail while it works: said again, later words win (AUDIT-1). */

/** In clear here; the secrets among it leave only as keyed hashes. */
export interface AuditFacts {
  readonly role?: string;
  /** Instance id or principal ARN. Dispatch names the caller's accessor where nothing better is known. */
  readonly principal?: string;
  readonly authType?: 'ec2' | 'iam';
  /** Accessor of the token issued, renewed, looked up or revoked. */
  readonly accessor?: string;
  /** Secret: hashed. */
  readonly token?: string;
  /** Secret: hashed. */
  readonly nonce?: string;
  /** Merged with what was said before. Never holds a secret. */
  readonly details?: Readonly<Record<string, string>>;
}
