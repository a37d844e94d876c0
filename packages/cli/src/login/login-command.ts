/** `postern login`: prints the token or writes it to a file; errors, with the server's code, go to the standard error. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  collectInstanceEvidence,
  fileNonceStore,
  isPosternClientError,
  type Login,
  type MetadataOptions,
  type PosternClient,
  writeTokenFile,
} from '@postern/client';
import { clientOf, reasonOf } from '../server-client.js';
import type { Environment } from '../server-place.js';
import { printError, printOut } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { findAwsIdentity, IdentityError } from './aws-identity.js';
import { LOGIN_USAGE, type LoginCommand } from './login-command-line.js';

const DONE = 0;
const FAILED = 1;
const REFUSED = 3;

/** @returns the exit code. @throws UsageError for an invalid option */
export async function runLoginCommand(command: LoginCommand): Promise<number> {
  try {
    const { token } = await login(clientOf(command), command);
    if (command.tokenFile === undefined) printOut(`${token}\n`);
    else await writeTokenFile(command.tokenFile, token);
    return DONE;
  } catch (error) {
    // The client throws it for invalid options, which here came from the command line.
    if (error instanceof TypeError) throw new UsageError(error.message, LOGIN_USAGE);
    if (error instanceof IdentityError) {
      printError(`postern: login failed: ${error.message}\n`);
      return FAILED;
    }
    const isKnown = isPosternClientError(error);
    const isDenied = isKnown && (error.kind === 'denied' || error.kind === 'forbidden');
    printError(`postern: ${isKnown ? `login ${isDenied ? 'denied' : 'failed'}: ` : ''}${reasonOf(error)}\n`);
    return isDenied ? REFUSED : FAILED;
  }
}

async function login(client: PosternClient, command: LoginCommand): Promise<Login> {
  const { by, role, nonceFolder, region, serverId } = command;
  if (by === 'instance') {
    const metadata = metadataOptions(process.env);
    const nonces = fileNonceStore(nonceFolder ?? defaultNonceFolder(process.env));
    return client.loginWithInstance({ role, nonces, evidence: () => collectInstanceEvidence(metadata) });
  }
  const { credentials, description } = findAwsIdentity();
  try {
    return await client.loginWithPrincipal({ role, credentials, region, serverId });
  } finally {
    const signedAs = description();
    if (signedAs !== undefined) printError(`postern: signed with the keys of the ${signedAs}\n`);
  }
}

/** The variables of the AWS SDKs. */
function metadataOptions(environment: Environment): MetadataOptions {
  const endpoint = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? '';
  const ipv6 = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE']?.toLowerCase() === 'ipv6';
  return { ipv6, ...(endpoint === '' ? {} : { endpoint }) };
}

function defaultNonceFolder(environment: Environment): string {
  const state = environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(state, 'postern', 'nonces');
}
