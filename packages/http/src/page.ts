/** The registry's web page: server-rendered HTML over the registry, with a session of its own. */
export { createRegistryPage } from './page/create-registry-page.js';
export type { RegistryPage, RegistryPageOptions } from './page/page-options.js';
