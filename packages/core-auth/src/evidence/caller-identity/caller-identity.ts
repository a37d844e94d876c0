/**
 * Who signed the request, as STS says: three texts that must agree with each other (STS-13).
 * Users and assumed roles log in; root, federated users and everything else have no role to be bound to.
 */
import { unverified } from '../../errors.js';
import { type Arn, parseArn } from '../arn.js';

/** A principal that STS vouches for. Proven: it signed this request. Not proven: that its sender is that principal. */
export interface CallerIdentity {
  /** As STS wrote it: a user with its path, an assumed role with its session. */
  readonly arn: string;
  readonly parsedArn: Arn;
  /** As STS wrote it: `AIDA…`, or `AROA…:<session>`. */
  readonly userId: string;
  /** The part of `userId` before the colon: of the user, or of the role. Survives no re-creation. */
  readonly uniqueId: string;
  /** Twelve digits; equals `parsedArn.accountId`. */
  readonly accountId: string;
  /** Of an assumed role only. */
  readonly sessionName?: string;
}

/** The texts of a GetCallerIdentityResult. */
export interface CallerIdentityTexts {
  readonly arn: string;
  readonly userId: string;
  readonly account: string;
}

const PARTITION = /^[a-z][a-z-]{2,31}$/;
const ACCOUNT = /^\d{12}$/;
/** What IAM allows in names of users, roles and sessions. */
const NAME = /^[\w+=,.@-]{1,128}$/;
/** What IAM allows in paths, but for the slashes at the ends and doubled ones. */
const PATH = /^[!-.0-~]+(?:\/[!-.0-~]+)*$/;
const UNIQUE_ID = /^\w{1,128}$/;

/**
 * @param partition of the endpoint that was asked, where it is known.
 * @throws AuthError `evidence_unverified`, reason `identity_…`.
 */
export function decideCallerIdentity(texts: CallerIdentityTexts, partition: string | undefined): CallerIdentity {
  const { arn, userId, account } = texts;
  const parsedArn = parseArn(arn);
  if (parsedArn === undefined || !isPrincipal(parsedArn) || formatPrincipal(parsedArn) !== arn) {
    throw unverified('identity_arn');
  }
  if (partition !== undefined && parsedArn.partition !== partition) throw unverified('identity_other_partition');
  if (!ACCOUNT.test(account) || parsedArn.accountId !== account) throw unverified('identity_account');
  const { sessionName } = parsedArn;
  const uniqueId = uniqueIdOf(userId, sessionName);
  if (uniqueId === undefined) throw unverified('identity_user_id');
  const identity = { arn, parsedArn, userId, uniqueId, accountId: account };
  return sessionName === '' ? identity : { ...identity, sessionName };
}

function isPrincipal({ partition, type, name, path, sessionName }: Arn): boolean {
  if (!PARTITION.test(partition) || !NAME.test(name)) return false;
  if (type === 'assumed-role') return NAME.test(sessionName);
  return type === 'user' && (path === '' || PATH.test(path));
}

/** The one text of an ARN that STS answers: a text with anything more, or in another place, differs from it. */
function formatPrincipal({ partition, accountId, type, name, path, sessionName }: Arn): string {
  if (type === 'assumed-role') return `arn:${partition}:sts::${accountId}:assumed-role/${name}/${sessionName}`;
  return `arn:${partition}:iam::${accountId}:user/${path === '' ? '' : `${path}/`}${name}`;
}

/** Undefined where the id is malformed or of another session than the ARN. */
function uniqueIdOf(userId: string, sessionName: string): string | undefined {
  const suffix = sessionName === '' ? '' : `:${sessionName}`;
  const uniqueId = userId.slice(0, userId.length - suffix.length);
  return userId.endsWith(suffix) && UNIQUE_ID.test(uniqueId) ? uniqueId : undefined;
}
