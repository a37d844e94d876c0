/** DynamoDB Local as a child process on a free port of the loopback address, its data in memory. */
import { execFileSync, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { freePort } from '../postgres/cluster.js';

const STARTED_WITHIN_MS = 60_000;

export interface DynamoLocal {
  readonly port: number;
  readonly endpoint: string;
  /** From now on it does nothing, and no connection is closed. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** It takes any credentials, and keeps the tables of each access key and region apart. */
const CREDENTIALS = { accessKeyId: 'postern', secretAccessKey: 'local' };

/** Installs it where it is missing, which takes up to a minute, and starts it. */
export async function startDynamoLocal(): Promise<DynamoLocal> {
  const script = fileURLToPath(new URL('../../scripts/interop/setup-dynamodb.sh', import.meta.url));
  const lib = execFileSync('bash', [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  const port = await freePort();
  // Its native code is looked for beside the jar that asks for it.
  const flags = ['-XX:TieredStopAtLevel=1', '-Xmx512m', '-cp', `${lib}/*`];
  const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
  const child = spawn('java', [...flags, main, '-inMemory', '-disableTelemetry', '-port', String(port)], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const deadline = performance.now() + STARTED_WITHIN_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('DynamoDB Local did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, maxAttempts: 1 });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
