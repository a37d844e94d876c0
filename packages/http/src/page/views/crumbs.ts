/** The way from the registry to a version. */
import type { ModuleAddress } from '@postern/ports';
import type { Site } from '../site.js';
import type { Crumb } from './document.js';

/** Down to the module itself. */
export function moduleCrumbs(site: Site, module: ModuleAddress): readonly Crumb[] {
  return [
    { text: 'Registry', path: site.path },
    { text: module.namespace, path: site.organizationPath(module.namespace) },
    { text: module.name, path: site.namePath(module) },
    { text: module.provider, path: site.modulePath(module) },
  ];
}
