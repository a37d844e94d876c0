/** A certificate that an operator registered (CERT-1, CERT-3). Shape of the stored record. */
import { z } from 'zod';

export const CERTIFICATE_TYPES = ['pkcs7', 'identity'] as const;

export const certificateConfigSchema = z.object({
  /** PEM text as it was given; parsed again where it is trusted. */
  pem: z.string(),
  type: z.enum(CERTIFICATE_TYPES),
});

export type CertificateConfig = Readonly<z.infer<typeof certificateConfigSchema>>;
