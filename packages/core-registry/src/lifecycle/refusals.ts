/** What a caller is told whose command the state of the version does not allow. */
import type { RefusalCode } from './transitions.js';

export const REFUSALS: Readonly<Record<RefusalCode, string>> = {
  revoke_not_deprecated: 'only a deprecated version can be revoked: deprecate it first',
  reinstate_revoked: 'the version is revoked: unrevoke it before it is reinstated',
};
