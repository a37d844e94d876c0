/** Banners at the top of a module's or version's page (PAGE-3). Their texts are core-registry's. */
import {
  type Deprecation,
  type ModuleNotice,
  type NoticeAuthorship,
  type VersionBanner,
  type VersionStatus,
  versionBanners,
} from '@postern/core-registry';
import { externalLink, type Html, html, minuteTime } from '../html.js';
import type { Visit } from './document.js';

/** On a module's page. Where the newest release is deprecated, it says which version to take instead. */
export function moduleBanner(notice: ModuleNotice | undefined, suggestionPath: string | undefined): Html | false {
  if (notice === undefined) return false;
  const tone = notice.kind === 'all-revoked' ? 'revoked' : 'deprecated';
  const { suggestion } = notice;
  return html`<div class="banner ${tone} tight"><h2>${notice.text}</h2>${
    suggestion !== undefined &&
    suggestionPath !== undefined &&
    html`<p><a href="${suggestionPath}">Open version ${suggestion}</a></p>`
  }</div>`;
}

/** On a version's page: one for each notice that stands. */
export function statusBanners(visit: Visit, status: VersionStatus): readonly Html[] {
  return versionBanners(status).map((banner) => {
    const isRevocation = banner.state === 'revoked';
    const authorship = isRevocation ? status.revocation : status.deprecation;
    return html`<section class="banner ${banner.state} tight" aria-label="${banner.title}"><h2>${banner.title}</h2>
${texts(banner)}
${!isRevocation && status.deprecation !== null && replacementLink(visit, status.deprecation)}
${!isRevocation && status.deprecation !== null && sunset(visit, status.deprecation)}
${authorship !== null && writtenBy(authorship)}</section>`;
  });
}

function texts({ reason, link, advice }: VersionBanner): readonly (Html | false)[] {
  return [
    reason !== null && html`<p class="keep" dir="auto">${reason}</p>`,
    advice.length > 0 && html`<p>${advice.join(' ')}</p>`,
    link !== null && html`<p>More information: ${externalLink(link)}</p>`,
  ];
}

/** A module of this registry has a page; another version of the same module is on its module's page. */
function replacementLink({ site, host }: Visit, { replacement }: Deprecation): Html | false {
  if (replacement === null || replacement.module === null) return false;
  const parts = replacement.module.split('/');
  const local = parts.length === 3 ? parts : parts.length === 4 && parts[0] === host ? parts.slice(1) : [];
  const [namespace, name, provider] = local;
  if (namespace === undefined || name === undefined || provider === undefined) return false;
  return html`<p><a href="${site.modulePath({ namespace, name, provider })}">Open ${replacement.module}</a></p>`;
}

function sunset({ now }: Visit, { sunsetAt }: Deprecation): Html | false {
  return sunsetAt !== null && sunsetAt <= now && html`<p><strong>That day has passed.</strong></p>`;
}

function writtenBy({ at, by, revisedAt, revisedBy }: NoticeAuthorship): Html {
  return html`<p class="small">By ${by} on ${minuteTime(at)}${
    revisedAt !== null && html`, revised by ${revisedBy ?? by} on ${minuteTime(revisedAt)}`
  }.</p>`;
}
