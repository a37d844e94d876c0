/** An auth method that principals log in to: the fake STS verifies what they sign, the fake cloud knows who they are. */
import type { FakeSts, SignCallerIdentityOptions } from '@postern/testkit';
import type { OperationCall } from '../src/call.js';
import type { Role } from '../src/roles/role.js';
import type { AuthView } from '../src/tokens/auth-view.js';
import {
  createTestMethod,
  type TestMethod,
  type TestMethodOptions,
  type TestPorts,
  testRole,
} from './create-test-method.js';

/** Another account, and one that is not associated until a test says so. */
export const OTHER_ACCOUNT = '222222222222';

export interface IamWorldOptions extends Omit<TestMethodOptions, 'ports' | 'beside'> {
  readonly ports?: TestPorts;
  /** Another method on the same storage, cloud, STS and clock: a second process. */
  readonly beside?: IamWorld;
}

export interface IamWorld extends TestMethod {
  readonly sts: FakeSts;
  /** Signs now and logs in; `role` as the field is sent, none where it is left out. */
  readonly signIn: (
    credentials: SignCallerIdentityOptions['credentials'],
    role?: string,
    more?: Partial<OperationCall>,
  ) => Promise<AuthView>;
  /** Stores an `iam` role, bound to nobody unless told. */
  readonly putIamRole: (changes?: Partial<Role>) => Promise<void>;
}

export function createIamWorld(how: IamWorldOptions = {}): IamWorld {
  const { ports: otherPorts, beside, ...rest } = how;
  const test = createTestMethod({
    ...rest,
    ...(beside === undefined ? {} : { beside }),
    ports: ({ cloud: { callerIdentity } }) => ({ ...otherPorts, cloud: { callerIdentity, ...otherPorts?.cloud } }),
  });
  const { sts } = test.cloud;
  return {
    ...test,
    sts,
    async signIn(credentials, role, more = {}) {
      const fields = { ...sts.signLogin({ credentials }), ...(role === undefined ? {} : { role }) };
      const { auth } = await test.call('login', { fields, ...more });
      if (auth === undefined) throw new TypeError('a login answered without auth');
      return auth;
    },
    putIamRole: (changes = {}) =>
      test.putRole(testRole({ authType: 'iam', boundAccountIds: [], resolveUniqueIds: false, ...changes })),
  };
}
