/** GetUser, GetRole, GetInstanceProfile, and the access keys of the server's own user. */
import type { SimulatedCloud } from './simulated-cloud.js';
import { type CloudAnswer, iamAnswer, queryError } from './xml.js';

const CREATED = '2020-01-01T00:00:00Z';
const KEYS_PER_USER = 2;

const FAULTS = {
  throttled: queryError(400, 'Throttling'),
  failed: queryError(500, 'ServiceFailure'),
  denied: queryError(403, 'AccessDenied'),
};

export async function answerIam(
  simulated: SimulatedCloud,
  accountId: string,
  parameters: URLSearchParams,
): Promise<CloudAnswer> {
  const { cloud, sts, serverKeys } = simulated;
  const action = parameters.get('Action') ?? '';
  const find = async (type: 'user' | 'role' | 'instance-profile', parameter: string) => {
    const name = parameters.get(parameter) ?? '';
    const found = await cloud.describePrincipal({ partition: 'aws', accountId, type, name });
    return found === undefined ? undefined : { name, ...found };
  };
  const missing = queryError(404, 'NoSuchEntity');
  switch (action) {
    case 'GetUser': {
      const user = await find('user', 'UserName');
      if (user === undefined) return missing;
      const { name, arn, uniqueId } = user;
      return iamAnswer(action, {
        User: { UserName: name, UserId: uniqueId, Arn: arn, Path: '/', CreateDate: CREATED },
      });
    }
    case 'GetRole': {
      const role = await find('role', 'RoleName');
      return role === undefined ? missing : iamAnswer(action, { Role: roleElements(role.arn, role.uniqueId) });
    }
    case 'GetInstanceProfile': {
      const profile = await find('instance-profile', 'InstanceProfileName');
      if (profile === undefined) return missing;
      const fault = simulated.faults.get(profile.arn);
      if (fault !== undefined) return FAULTS[fault];
      const query = { accountId, region: cloud.region, instanceProfileArn: profile.arn };
      const roles = ((await cloud.rolesOfProfile(query)) ?? []).map((role) =>
        typeof role === 'string' ? role : role.arn,
      );
      const Roles = roles.map((arn) => roleElements(arn, cloud.principal(arn)?.uniqueId ?? 'AROA0'));
      const { name, arn, uniqueId } = profile;
      const InstanceProfile = { InstanceProfileName: name, InstanceProfileId: uniqueId, Arn: arn, Path: '/', Roles };
      return iamAnswer(action, { InstanceProfile: { ...InstanceProfile, CreateDate: CREATED } });
    }
    case 'ListAccessKeys': {
      const AccessKeyMetadata = [...serverKeys.keys()].map((AccessKeyId) => ({ AccessKeyId, Status: 'Active' }));
      return iamAnswer(action, { AccessKeyMetadata, IsTruncated: 'false' });
    }
    case 'CreateAccessKey': {
      if (serverKeys.size >= KEYS_PER_USER) return queryError(409, 'LimitExceeded');
      const { accessKeyId, secretAccessKey } = simulated.newServerKey();
      const AccessKey = { UserName: 'server-under-test', AccessKeyId: accessKeyId, Status: 'Active' };
      return iamAnswer(action, { AccessKey: { ...AccessKey, SecretAccessKey: secretAccessKey } });
    }
    case 'DeleteAccessKey': {
      const id = parameters.get('AccessKeyId') ?? '';
      if (!serverKeys.delete(id)) return missing;
      sts.revokeAccessKey(id);
      return iamAnswer(action, {});
    }
    default:
      return queryError(400, 'InvalidAction');
  }
}

function roleElements(arn: string, uniqueId: string) {
  const RoleName = arn.slice(arn.lastIndexOf('/') + 1);
  return { RoleName, RoleId: uniqueId, Arn: arn, Path: '/', CreateDate: CREATED };
}
