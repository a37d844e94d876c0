/** How people see a token's origin (behaviour sheet 18): the mount, slashes as dashes. An `ec2` login adds no name. */

/** `auth/cloud` → `cloud`; `auth/team/cloud` → `team-cloud`. */
export function displayName(mountPath: string): string {
  return mountPath.replace(/^auth\//, '').replaceAll('/', '-');
}
