/** The section `registry` of the configuration file: there is a registry where it is. */
import * as z from 'zod';
import { flag, positive, section, text, whole } from '../config/members.js';

const MANY = Number.MAX_SAFE_INTEGER;
const bytes = whole('a number of bytes, 1 or more', 1, MANY).optional();
const NAME = '[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?';
const ORGANIZATION = new RegExp(`^${NAME}$`);
const ORGANIZATION_OR_MODULE = new RegExp(`^${NAME}(?:/${NAME}/[0-9a-z]{1,64})?$`);

/** Names as `ArchiveLimits` of the catalogue has them. */
export const registryLimits = section({
  maxArchiveBytes: bytes,
  maxExpandedBytes: bytes,
  maxRatio: positive.optional(),
  maxEntries: whole('a whole number, 1 or more', 1, MANY).optional(),
  maxConfigFileBytes: bytes,
  maxConfigBytes: bytes,
  maxReadmeBytes: bytes,
});

const whole0 = (what: string) => whole(what, 0, MANY).optional();
const limit = { versions: whole0('a number of versions'), bytes: whole0('a number of bytes') };

export const registryQuota = section({
  ...limit,
  organizations: z
    .record(z.string().regex(ORGANIZATION), section(limit), { error: 'expected an object of quotas by organization' })
    .optional(),
});

export const registryRate = section({
  perSecond: positive.optional(),
  burst: whole('a whole number, 1 or more', 1, MANY).optional(),
});

export const registrySection = section({
  archives: text('the path of a folder for archives').optional(),
  publicUrl: text('the address that clients use, such as "https://registry.acme.example"')
    .refine(isOrigin, 'expected scheme and host alone, such as "https://registry.acme.example"')
    .optional(),
  organizations: z
    .array(text('the name of an organization').regex(ORGANIZATION, 'expected letters, digits, "-" and "_"'), {
      error: 'expected a list of organizations',
    })
    .optional(),
  page: flag.optional(),
  title: text('a name for the top of the page').max(100, 'expected at most 100 characters').optional(),
  sessionSeconds: whole('a number of seconds from 60 to 2592000', 60, 30 * 24 * 3600).optional(),
  downloadTtlSeconds: whole('a number of seconds from 10 to 86400', 10, 86_400).optional(),
  rate: z
    .union([z.literal(false), registryRate], { error: 'expected false or an object of perSecond and burst' })
    .optional(),
  limits: registryLimits.optional(),
  quota: registryQuota.optional(),
  overlay: z
    .array(
      text('an organization or a module').regex(
        ORGANIZATION_OR_MODULE,
        'expected an organization, or a module such as "acme/network/aws"',
      ),
      { error: 'expected a list of organizations and modules' },
    )
    .optional(),
});

export type RegistryConfig = Readonly<z.infer<typeof registrySection>>;

function isOrigin(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, origin } = new URL(address);
  return /^https?:$/.test(protocol) && address.replace(/\/$/, '').toLowerCase() === origin;
}
