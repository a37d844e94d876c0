/** How people see a token's origin (behaviour sheet 18): the mount, slashes as dashes, and a name where there is one. */

/** `auth/cloud` → `cloud`; with a name `cloud-alice`. */
export function displayName(mountPath: string, name = ''): string {
  const mount = mountPath.replace(/^auth\//, '').replaceAll('/', '-');
  return name === '' ? mount : `${mount}-${name}`;
}
