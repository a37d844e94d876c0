/**
 * The principal that this process is to AWS, found by the AWS SDK's own chain: a pod, a task or a profile is itself, not the instance
 * it runs on. Where variables name a source, keys of another one are refused.
 */
import type { AwsCredentials, CredentialProvider } from '@postern/client';
import type { Environment } from '../server-place.js';

/** No identity to sign with. The message is for the terminal: it names variables, never their secrets. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}

export interface AwsIdentity {
  readonly credentials: CredentialProvider;
  /** Where the keys came from, and the id of the access key: `web identity (AWS_ROLE_ARN), access key ASIA…`; after the first signature. */
  description(): string | undefined;
}

interface Source {
  readonly title: string;
  /** What in the environment names it; any of these is enough. */
  readonly variables: readonly string[];
  /** As the SDK marks credentials, in `$source`. */
  readonly features: RegExp;
  readonly remedy: string;
}

/** In the order in which the SDK asks them. */
const NAMED_SOURCES: readonly Source[] = [
  {
    title: 'profile',
    variables: ['AWS_PROFILE'],
    features: /^CREDENTIALS_(PROFILE|PROCESS|SSO|LOGIN)/,
    remedy: 'check that the profile is in the shared files of AWS, and log in again where it uses single sign-on',
  },
  {
    title: 'environment',
    variables: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    features: /^CREDENTIALS_ENV_VARS$/,
    remedy: 'set both variables, or neither',
  },
  {
    title: 'web identity',
    variables: ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
    features: /^CREDENTIALS_ENV_VARS_STS_WEB_ID_TOKEN$/,
    remedy: 'set both variables, and check the token file, that STS can be reached, and the trust policy of the role',
  },
  {
    title: 'container',
    variables: ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
    features: /^CREDENTIALS_HTTP$/,
    remedy: 'check that the task or pod has a role, and that its credential agent runs',
  },
];

const DEFAULT_PROFILE = 'default profile';
const INSTANCE = 'role of the instance';

/** @param environment what the SDK reads from `process.env`, to name it */
export function findAwsIdentity(environment: Environment = process.env): AwsIdentity {
  const isSet = (variable: string) => (environment[variable] ?? '') !== '';
  const named = NAMED_SOURCES.find(({ variables }) => variables.some(isSet));
  const title = named && `${named.title} (${named.variables.filter(isSet).join(', ')})`;
  let description: string | undefined;

  return {
    async credentials() {
      const found = await askSdk(named === undefined).catch((error: unknown) => {
        throw new IdentityError(
          named === undefined
            ? 'no AWS credentials: set AWS_PROFILE or the variables of a key, or run where the platform gives a role'
            : `no AWS credentials from the ${title}${causeOf(error)}: ${named.remedy}`,
        );
      });
      const features = Object.keys(found.$source ?? {});
      if (named !== undefined && !features.some((feature) => named.features.test(feature))) {
        throw new IdentityError(`no AWS credentials from the ${title}: ${named.remedy}`);
      }
      const from =
        title ?? (features.some((feature) => NAMED_SOURCES[0]?.features.test(feature)) ? DEFAULT_PROFILE : INSTANCE);
      description = `${from}, access key ${found.accessKeyId}`;
      return found;
    },
    description: () => description,
  };
}

type SdkCredentials = AwsCredentials & { readonly $source?: object };

/** @param asksInstance whether the instance may be asked in the end; a profile that names it as its source may always. */
async function askSdk(asksInstance: boolean): Promise<SdkCredentials> {
  if (!asksInstance) process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  // Its advice on Node versions is for programmers, and would stand between the lines of this command.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  // Loaded here: an instance that shows its document needs none of it.
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  const silent = () => undefined;
  const logger = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };
  return defaultProvider({ logger, timeout: METADATA_TIMEOUT_MS, maxRetries: METADATA_RETRIES })();
}

const METADATA_TIMEOUT_MS = 2_000;
const METADATA_RETRIES = 2;

/** The code of the cloud or of the system. Not the message: that of a `credential_process` quotes its command line. */
function causeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const told = code ?? (/^(Error|CredentialsProviderError|TokenProviderError|)$/.test(name) ? undefined : name);
  return told === undefined ? '' : ` (${told})`;
}
