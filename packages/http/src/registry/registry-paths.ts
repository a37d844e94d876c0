/** Where the registry answers (REGAPI-1, MODULE-3, MODULE-6). `:name` stands for one segment. */

export const MANAGED_PREFIX = '/api/v2';
/** Where Terraform finds the services of a host. */
export const DISCOVERY_PATH = '/.well-known/terraform.json';
/** Where go-tfe, the platform's client, asks for the rate before anything else. */
export const PING_PATH = `${MANAGED_PREFIX}/ping`;
export const MODULES_PATH = '/api/registry/v1/modules';

/** Paths name their organization twice (REGAPI-1). */
export const MANAGED_ROUTE = `${MANAGED_PREFIX}/organizations/:organization_name/registry-modules/private/:organization_again`;
export const MODULE_PART = ':module_name/:module_provider';
export const READ_ROUTE = `${MODULES_PATH}/:organization_name`;
export const VERSION_ROUTE = `${READ_ROUTE}/${MODULE_PART}/:module_version`;
