/** Users, roles and instance profiles by friendly name: full ARN and unique id (PRINCIPAL-4, PROVIDER-1). */
import type { PrincipalDirectory, PrincipalQuery } from '@postern/ports';
import { loadIam } from '../sdk/load-sdk.js';
import { isIamName, requireArn } from './answer-checks.js';
import type { AskIam, IamQuestion } from './ask-iam.js';

interface Found {
  readonly arn: string | undefined;
  readonly uniqueId: string | undefined;
}

export function createPrincipalDirectory(askIam: AskIam): PrincipalDirectory {
  return {
    async describePrincipal(query, options) {
      if (!isIamName(query.name)) return undefined;
      const { partition, accountId, type, name } = query;
      const question = questionFor(query);
      const found = await askIam({ partition, accountId }, question, options);
      if (found === undefined) return undefined;
      const arn = requireArn(found.arn, { partition, accountId, type }, question.what);
      // A name that differs, be it in case alone, is not the one that was asked about.
      if (arn.name !== name || !found.arn || !found.uniqueId) return undefined;
      return { arn: found.arn, uniqueId: found.uniqueId };
    },
  };
}

function questionFor({ type, name }: PrincipalQuery): IamQuestion<Found> {
  const id = `${type} ${name}`;
  switch (type) {
    case 'user':
      return {
        what: 'IAM GetUser',
        id,
        async send(client, options) {
          const { GetUserCommand } = await loadIam();
          const { User } = await client.send(new GetUserCommand({ UserName: name }), options);
          return { arn: User?.Arn, uniqueId: User?.UserId };
        },
      };
    case 'role':
      return {
        what: 'IAM GetRole',
        id,
        async send(client, options) {
          const { GetRoleCommand } = await loadIam();
          const { Role } = await client.send(new GetRoleCommand({ RoleName: name }), options);
          return { arn: Role?.Arn, uniqueId: Role?.RoleId };
        },
      };
    case 'instance-profile':
      return {
        what: 'IAM GetInstanceProfile',
        id,
        async send(client, options) {
          const { GetInstanceProfileCommand } = await loadIam();
          const input = { InstanceProfileName: name };
          const { InstanceProfile } = await client.send(new GetInstanceProfileCommand(input), options);
          return { arn: InstanceProfile?.Arn, uniqueId: InstanceProfile?.InstanceProfileId };
        },
      };
  }
}
