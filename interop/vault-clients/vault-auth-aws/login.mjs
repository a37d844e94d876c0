/** vault-auth-aws logs in with the credentials of its environment; what it got goes to the standard output as JSON. */
import { json } from 'node:stream/consumers';
import VaultAwsAuth from 'vault-auth-aws';

const { url, role } = await json(process.stdin);
const { hostname, port } = new URL(url);
const helper = new VaultAwsAuth({ host: hostname, port, vaultAppName: role });
try {
  process.stdout.write(JSON.stringify({ answer: await helper.authenticate() }));
} catch (error) {
  // How the helper tells of a refusal.
  process.stdout.write(JSON.stringify({ refused: error.body }));
}
