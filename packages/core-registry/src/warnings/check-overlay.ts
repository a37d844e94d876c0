/**
 * A file that, added to the archive of a deprecated version, makes stock clients warn at every plan and apply (OVERLAY-1):
 * a `check` block that never holds. Off by default: it changes the archive's digest and fails the
 * consumer's `terraform test`. Clients before check blocks would refuse the whole module, so they never get it.
 */
import { moduleText } from '../addresses/address.js';
import type { VersionStatus } from '../version-status.js';
import { compareVersions, parseVersion } from '../versions/version.js';
import { adviceOf } from './page-notice.js';

/** How a client identifies itself when it requests a download. */
export interface ClientHeaders {
  /** `User-Agent`. */
  readonly userAgent: string | undefined;
  /** `X-Terraform-Version`. */
  readonly terraformVersion: string | undefined;
}

/** Since when check blocks are understood; a prerelease of that version is before it. */
const FIRST = { terraform: '1.5.0', opentofu: '1.6.0' } as const;

const PRODUCT = /^(?:HashiCorp )?(Terraform|OpenTofu)\/(\S{1,64})/i;

/** True only for a client that identifies as one of the two, new enough in every header it sends. */
export function acceptsCheckOverlay({ userAgent, terraformVersion }: ClientHeaders): boolean {
  const match = PRODUCT.exec(userAgent ?? '');
  if (match === null) return false;
  const [, product = '', productVersion = ''] = match;
  const first = parseVersion(product.toLowerCase() === 'opentofu' ? FIRST.opentofu : FIRST.terraform);
  const said = [productVersion, ...(terraformVersion === undefined ? [] : [terraformVersion])].map(parseVersion);
  return first !== undefined && said.every((version) => version !== undefined && compareVersions(version, first) >= 0);
}

export interface OverlayFile {
  /** From the root of the archive. */
  readonly path: string;
  readonly content: string;
}

const PATH = 'zz_postern_deprecation.tf';

/** Further folders carry no check: each costs the archive as much as the notice is long. */
const MAX_FOLDERS = 200;

/**
 * One in the root and one in each submodule: a call of `//modules/x` loads that folder alone. None for a version that is active.
 *
 * @param submodules their folders, from the root of the archive.
 */
export function checkOverlay(status: VersionStatus, submodules: readonly string[] = []): readonly OverlayFile[] {
  const { address, deprecation } = status;
  if (deprecation === null) return [];
  const sentences = [
    `Module version ${address.version} of ${moduleText(address)} is deprecated.`,
    ...(deprecation.reason === null || deprecation.reason === '' ? [] : [deprecation.reason]),
    ...adviceOf(deprecation),
    ...(deprecation.link === null ? [] : [`More information: ${deprecation.link}`]),
  ];
  const content = `# Added by the registry: this version of the module is deprecated.
check "postern_deprecation" {
  assert {
    condition     = path.module == ""
    error_message = ${hclString(sentences.join(' '))}
  }
}
`;
  return ['', ...submodules.slice(0, MAX_FOLDERS)].map((folder) => ({
    path: folder === '' ? PATH : `${folder}/${PATH}`,
    content,
  }));
}

/** A quoted string of the configuration language that means exactly this text: no interpolation, no directive. */
export function hclString(text: string): string {
  const escaped = text
    .replace(/["\\]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[$%]\{/g, (opening) => `${opening.charAt(0)}${opening}`);
  return `"${escaped}"`;
}
