/** Client configuration (CONFIG-1): how the provider is reached and what signed requests must carry. Shapes and defaults. */
import { z } from 'zod';

export const clientConfigSchema = z.object({
  /** -1: the provider SDK's own default. */
  maxRetries: z.number().int(),
  accessKey: z.string(),
  /** Write-only. */
  secretKey: z.string(),
  endpoint: z.string(),
  iamEndpoint: z.string(),
  stsEndpoint: z.string(),
  stsRegion: z.string(),
  useStsRegionFromClient: z.boolean(),
  iamServerIdHeaderValue: z.string(),
  allowedStsHeaders: z.array(z.string()).readonly(),
});

export type ClientConfig = Readonly<z.infer<typeof clientConfigSchema>>;

/** What holds when nothing is stored (CONFIG-6). */
export const DEFAULT_CLIENT_CONFIG: ClientConfig = {
  maxRetries: -1,
  accessKey: '',
  secretKey: '',
  endpoint: '',
  iamEndpoint: '',
  stsEndpoint: '',
  stsRegion: '',
  useStsRegionFromClient: false,
  iamServerIdHeaderValue: '',
  allowedStsHeaders: [],
};
