/** Which roles an instance profile holds: full ARNs, paths included, and unique ids (BOUND-3, INFER-5, PROVIDER-1). */
import { type ProfileDirectory, ProviderError } from '@postern/ports';
import { partitionOf } from '../partition.js';
import { loadIam } from '../sdk/load-sdk.js';
import { isIamName, requireArn } from './answer-checks.js';
import type { AskIam, IamQuestion } from './ask-iam.js';
import { parseProviderArn } from './iam-arn.js';

interface Found {
  readonly arn: string | undefined;
  readonly roles: readonly { readonly arn: string | undefined; readonly uniqueId: string | undefined }[];
}

export function createProfileDirectory(askIam: AskIam): ProfileDirectory {
  return {
    async rolesOfProfile({ accountId, region, instanceProfileArn }, options) {
      const partition = partitionOf(region);
      if (partition === undefined) throw new ProviderError('misconfigured', 'unknown region');
      const asked = parseProviderArn(instanceProfileArn);
      const isOfAccount =
        asked?.type === 'instance-profile' && asked.accountId === accountId && asked.partition === partition;
      // A profile of another account is rejected, whatever the instance reports.
      if (!isOfAccount || !isIamName(asked.name)) return undefined;
      const question = questionFor(asked.name);
      const found = await askIam({ partition, accountId }, question, options);
      if (found === undefined) return undefined;
      requireArn(found.arn, { partition, accountId, type: 'instance-profile' }, question.what);
      // Re-created below another path it is another profile.
      if (found.arn !== instanceProfileArn) return undefined;
      return found.roles.map(({ arn, uniqueId }) => {
        requireArn(arn, { partition, accountId, type: 'role' }, question.what);
        return { arn: arn ?? '', uniqueId };
      });
    },
  };
}

function questionFor(name: string): IamQuestion<Found> {
  return {
    what: 'IAM GetInstanceProfile',
    id: `roles of ${name}`,
    async send(client, options) {
      const { GetInstanceProfileCommand } = await loadIam();
      const { InstanceProfile } = await client.send(
        new GetInstanceProfileCommand({ InstanceProfileName: name }),
        options,
      );
      const roles = (InstanceProfile?.Roles ?? []).map(({ Arn, RoleId }) => ({ arn: Arn, uniqueId: RoleId }));
      return { arn: InstanceProfile?.Arn, roles };
    },
  };
}
