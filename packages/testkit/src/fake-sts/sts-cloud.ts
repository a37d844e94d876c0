import type { FakePrincipal } from '../fake-cloud/principals.js';

/** What the fake STS asks of its cloud; `FakeCloud` has all of it. */
export interface StsCloud {
  readonly region: string;
  readonly ownAccountId: string;
  /** The user, role or instance profile that has this ARN now. */
  principal(arn: string): FakePrincipal | undefined;
}
