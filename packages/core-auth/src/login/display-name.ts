/** How people see a token's origin (ALIAS-6): the mount, slashes as dashes, and who logged in there. */

/**
 * `auth/cloud` → `cloud`; `auth/team/cloud` → `team-cloud`; with a name `cloud-Bob`, `cloud-deploy/build-17`.
 *
 * @param name of the user, or role and session. An `ec2` login adds none.
 */
export function displayName(mountPath: string, name?: string): string {
  const mount = mountPath.replace(/^auth\//, '').replaceAll('/', '-');
  return name === undefined ? mount : `${mount}-${name}`;
}
