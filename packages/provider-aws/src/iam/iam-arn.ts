/** ARNs that the provider answered or that are asked about, in the parts that decide whose they are (PROVIDER-4). */

export interface ProviderArn {
  readonly partition: string;
  readonly accountId: string;
  /** `role`, `user`, `instance-profile`, `assumed-role`, `root` … */
  readonly type: string;
  /** The last piece, without the path. Of an assumed role: the session's name. */
  readonly name: string;
}

/** The parts of an ARN of IAM or STS, or undefined for other texts. */
export function parseProviderArn(text: string | undefined): ProviderArn | undefined {
  const match = /^arn:([a-z-]+):(?:iam|sts)::(\d{12}):([a-z-]+)(?:\/([!-~]+))?$/.exec(text ?? '');
  const [, partition, accountId, type, rest] = match ?? [];
  if (partition === undefined || accountId === undefined || type === undefined) return undefined;
  return { partition, accountId, type, name: rest?.split('/').at(-1) ?? '' };
}
