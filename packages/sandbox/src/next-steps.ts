/** What to try after the tour: command lines that work as they stand. */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FakeCloud } from '@postern/testkit';
import { BAD, HOST, MANAGE, READ, WORKSPACE } from './registry-steps.js';
import { IMAGE_ID, MOUNT, ROLE } from './steps.js';

const DEPRECATION = JSON.stringify({
  data: {
    type: 'module-versions',
    attributes: { deprecation: { 'deprecated-status': 'Deprecated', reason: 'Use 1.2.0 instead.' } },
  },
});

const shownPath = (path: string) => relative('.', path) || path;

/** How this very command was called. */
const command = () => `node ${shownPath(process.argv[1] ?? 'postern')}`;

/**
 * Starts one more instance and writes its login to a file in the data folder.
 *
 * @returns lines to print.
 */
export function nextStepLines(cloud: FakeCloud, folder: string, url: string, token: string): string[] {
  const instance = cloud.launchInstance({ imageId: IMAGE_ID });
  const pkcs7 = instance.identityDocument().rsa2048.replaceAll('\n', '');
  const file = join(folder, 'login.json');
  // Its own nonce, so that the same line works again and again.
  writeFileSync(file, `${JSON.stringify({ role: ROLE, pkcs7, nonce: `nonce-of-${instance.instanceId}` }, null, 2)}\n`, {
    mode: 0o600,
  });
  const shown = shownPath(file);
  return [
    `export POSTERN=${url}`,
    `export TOKEN=${token}     # a root token, valid until the sandbox ends`,
    '',
    `# instance ${instance.instanceId} logs in; its signed document is in the file`,
    `curl -s $POSTERN${MOUNT}/login -d @${shown}`,
    '',
    '# the administrator reads the role, the instances that logged in, and this one',
    `curl -s -H "X-Service-Token: $TOKEN" $POSTERN${MOUNT}/role/${ROLE}`,
    `curl -s -H "X-Service-Token: $TOKEN" -X LIST $POSTERN${MOUNT}/identity-accesslist`,
    `curl -s -H "X-Service-Token: $TOKEN" $POSTERN${MOUNT}/identity-accesslist/${instance.instanceId}`,
    '',
    '# delete its entry, and its next login is a first login',
    `curl -s -H "X-Service-Token: $TOKEN" -X DELETE $POSTERN${MOUNT}/identity-accesslist/${instance.instanceId}`,
    '',
    `# the registry page: ${url}/registry   (sign in with the token above)`,
    '# deprecate a version, read it, and check a working directory',
    `curl -s -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/vnd.api+json" -X PATCH $POSTERN${MANAGE}/${BAD} -d '${DEPRECATION}'`,
    `curl -s -H "Authorization: Bearer $TOKEN" $POSTERN${READ}/versions`,
    `TF_TOKEN_modules_sandbox=$TOKEN ${command()} registry check ${shownPath(join(folder, WORKSPACE))} --registry=${HOST}=$POSTERN`,
  ];
}
