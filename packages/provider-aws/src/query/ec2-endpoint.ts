/**
 * Where EC2 of a region is asked, as the SDK's client would: an endpoint that is configured, here or by `AWS_ENDPOINT_URL_EC2`,
 * `AWS_ENDPOINT_URL` or the shared file; else by partition, FIPS and dual stack (`AWS_USE_FIPS_ENDPOINT`,
 * `AWS_USE_DUALSTACK_ENDPOINT`). All of it is read by the SDK's own functions; the rules below are those of EC2 alone.
 */
import { partition } from '@aws-sdk/core/client';
import { ProviderError } from '@postern/ports';
import {
  loadConfig,
  NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS,
  NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS,
} from '@smithy/core/config';
import { resolveEndpointConfig } from '@smithy/core/endpoints';
import { parseUrl } from '@smithy/core/protocols';

interface Ec2EndpointParameters {
  readonly Region: string;
  readonly Endpoint: string | undefined;
  readonly UseFIPS: boolean;
  readonly UseDualStack: boolean;
}

/** @throws ProviderError `misconfigured` where EC2 does not offer the FIPS or dual-stack endpoint that is asked for. */
export async function findEc2Endpoint(region: string, configured: string | undefined): Promise<URL> {
  const [Endpoint, UseFIPS, UseDualStack] = await Promise.all([
    configured ?? serviceEndpoint(),
    loadConfig(NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS)(),
    loadConfig(NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS)(),
  ]);
  return new URL(decideEc2Endpoint({ Region: region, Endpoint, UseFIPS, UseDualStack }));
}

/** Of the environment or the shared file. */
function serviceEndpoint(): Promise<string | undefined> | undefined {
  const { serviceConfiguredEndpoint } = resolveEndpointConfig({
    serviceId: 'EC2',
    urlParser: parseUrl,
    // For the SDK's own way to an endpoint, which is not gone here.
    endpointProvider: () => ({ url: new URL('https://invalid/') }),
  });
  return serviceConfiguredEndpoint?.();
}

/** EC2's rules: https://github.com/aws/aws-sdk-js-v3/blob/main/codegen/sdk-codegen/aws-models/ec2.json, `endpointRuleSet`. */
export function decideEc2Endpoint({ Region, Endpoint, UseFIPS, UseDualStack }: Ec2EndpointParameters): string {
  if (Endpoint !== undefined) {
    if (UseFIPS || UseDualStack) throw notOffered('FIPS or dual stack with an endpoint of its own');
    return Endpoint;
  }
  const { name, dnsSuffix, dualStackDnsSuffix, supportsFIPS, supportsDualStack } = partition(Region);
  if (UseFIPS && supportsFIPS !== true) throw notOffered('FIPS in this partition');
  if (UseDualStack && supportsDualStack !== true) throw notOffered('dual stack in this partition');
  if (UseFIPS && !UseDualStack && name === 'aws-us-gov') return `https://ec2.${Region}.amazonaws.com`;
  return `https://ec2${UseFIPS ? '-fips' : ''}.${Region}.${UseDualStack ? dualStackDnsSuffix : dnsSuffix}`;
}

function notOffered(what: string): ProviderError {
  return new ProviderError('misconfigured', `EC2 has no endpoint for ${what}`);
}
