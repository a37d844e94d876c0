import type { Awaitable } from './shared.js';

export type Capability = 'create' | 'read' | 'update' | 'delete' | 'list';

export interface AuthorizationRequest {
  /** Policies of the caller's token, normalised. */
  readonly policies: readonly string[];
  /** Full path below `/v1/`: `auth/cloud/role/dev`. */
  readonly path: string;
  readonly capability: Capability;
}

/** Decides management calls (POLICY-1). `root` never reaches it: root may do everything. */
export interface Authorizer {
  isAllowed(request: AuthorizationRequest): Awaitable<boolean>;
}
