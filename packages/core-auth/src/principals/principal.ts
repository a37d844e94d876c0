/** A principal as the binding rules see it, whether it has just proven itself or is remembered by its token (PRINCIPAL-1, RENEW-3). */
import { canonicalArn, parseArn } from '../evidence/arn.js';

export interface Principal {
  readonly partition: string;
  readonly accountId: string;
  /** Of an assumed role: the role. */
  readonly type: 'user' | 'role';
  /** Friendly name. */
  readonly name: string;
  /** Survives no re-creation. */
  readonly uniqueId: string;
  /** Without path or session. */
  readonly canonicalArn: string;
  /** As STS wrote it: a user with its path, an assumed role with its session. */
  readonly stsArn: string;
}

/** Undefined where the ARN is of neither a user nor an assumed role. */
export function principalOf(stsArn: string, uniqueId: string): Principal | undefined {
  const arn = parseArn(stsArn);
  if (arn === undefined || uniqueId === '') return undefined;
  if (arn.type !== 'user' && arn.type !== 'assumed-role') return undefined;
  return {
    partition: arn.partition,
    accountId: arn.accountId,
    type: arn.type === 'user' ? 'user' : 'role',
    name: arn.name,
    uniqueId,
    canonicalArn: canonicalArn(arn),
    stsArn,
  };
}
