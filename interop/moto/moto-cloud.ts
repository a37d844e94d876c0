/** What tests do to the cloud that moto plays, as an administrator of any of its accounts, with the real SDK. */
import {
  EC2Client,
  type Instance,
  RunInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateAccessKeyCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DeleteRoleCommand,
  IAMClient,
  ListAccessKeysCommand,
} from '@aws-sdk/client-iam';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { type MotoServer, startMoto } from './moto-server.js';

/** The account of callers that moto does not know. */
export const OWN = '123456789012';
export const OTHER = '444455556666';
export const REGION = 'us-east-1';

/** One of those that moto knows. */
const IMAGE_ID = 'ami-12c6146b';

const TRUST = JSON.stringify({ Version: '2012-10-17', Statement: [] });

export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface MotoCloud {
  readonly url: string;
  /** Credentials of a session of any role in any account. */
  assume(roleArn: string, sessionName?: string): Promise<KeyPair>;
  /** An administrator's clients in an account. */
  account(accountId: string): Promise<MotoAccount>;
  stop(): Promise<void>;
}

export interface MotoAccount {
  run(options?: {
    readonly count?: number;
    readonly profileArn?: string;
    readonly region?: string;
  }): Promise<Instance[]>;
  stopInstance(instanceId: string): Promise<void>;
  terminateInstance(instanceId: string): Promise<void>;
  createUser(name: string, path?: string): Promise<{ readonly arn: string; readonly uniqueId: string }>;
  createKey(userName: string): Promise<KeyPair>;
  keysOf(userName: string): Promise<string[]>;
  createRole(name: string, path?: string): Promise<{ readonly arn: string; readonly uniqueId: string }>;
  deleteRole(name: string): Promise<void>;
  createProfile(
    name: string,
    path: string,
    roleName?: string,
  ): Promise<{ readonly arn: string; readonly uniqueId: string }>;
}

export async function startMotoCloud(): Promise<MotoCloud> {
  const server: MotoServer = await startMoto();
  const nobody = { accessKeyId: 'AKIANOBODYNOBODYNOBO', secretAccessKey: 'x' };
  const cloud: MotoCloud = {
    url: server.url,
    async assume(roleArn, sessionName = 'session') {
      const client = new STSClient({ endpoint: server.url, region: REGION, credentials: nobody });
      const { Credentials: made } = await client.send(
        new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: sessionName }),
      );
      return {
        accessKeyId: text(made?.AccessKeyId),
        secretAccessKey: text(made?.SecretAccessKey),
        sessionToken: text(made?.SessionToken),
      };
    },
    async account(accountId) {
      const credentials = await cloud.assume(`arn:aws:iam::${accountId}:role/administrator`);
      return openAccount(server.url, credentials);
    },
    stop: () => server.stop(),
  };
  return cloud;
}

async function openAccount(endpoint: string, credentials: KeyPair): Promise<MotoAccount> {
  const iam = new IAMClient({ endpoint, region: REGION, credentials });
  const ec2 = (region = REGION): EC2Client => new EC2Client({ endpoint, region, credentials });
  return {
    async run({ count = 1, profileArn, region } = {}) {
      const client = ec2(region);
      const { Instances } = await client.send(
        new RunInstancesCommand({
          ImageId: IMAGE_ID,
          MinCount: count,
          MaxCount: count,
          ...(profileArn === undefined ? {} : { IamInstanceProfile: { Arn: profileArn } }),
          TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: 'web' }] }],
        }),
      );
      return Instances ?? [];
    },
    async stopInstance(instanceId) {
      await ec2().send(new StopInstancesCommand({ InstanceIds: [instanceId] }));
    },
    async terminateInstance(instanceId) {
      await ec2().send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
    },
    async createUser(name, path = '/') {
      const { User } = await iam.send(new CreateUserCommand({ UserName: name, Path: path }));
      return { arn: text(User?.Arn), uniqueId: text(User?.UserId) };
    },
    async createKey(userName) {
      const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: userName }));
      return { accessKeyId: text(AccessKey?.AccessKeyId), secretAccessKey: text(AccessKey?.SecretAccessKey) };
    },
    async keysOf(userName) {
      const { AccessKeyMetadata } = await iam.send(new ListAccessKeysCommand({ UserName: userName }));
      return (AccessKeyMetadata ?? []).map(({ AccessKeyId }) => text(AccessKeyId));
    },
    async createRole(name, path = '/') {
      const input = { RoleName: name, Path: path, AssumeRolePolicyDocument: TRUST };
      const { Role } = await iam.send(new CreateRoleCommand(input));
      return { arn: text(Role?.Arn), uniqueId: text(Role?.RoleId) };
    },
    async deleteRole(name) {
      await iam.send(new DeleteRoleCommand({ RoleName: name }));
    },
    async createProfile(name, path, roleName) {
      const { InstanceProfile } = await iam.send(
        new CreateInstanceProfileCommand({ InstanceProfileName: name, Path: path }),
      );
      if (roleName !== undefined) {
        const input = { InstanceProfileName: name, RoleName: roleName };
        await iam.send(new AddRoleToInstanceProfileCommand(input));
      }
      return { arn: text(InstanceProfile?.Arn), uniqueId: text(InstanceProfile?.InstanceProfileId) };
    },
  };
}

function text(value: string | undefined): string {
  if (value === undefined || value === '') throw new Error('moto left out what it must say');
  return value;
}
