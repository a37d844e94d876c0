/** `node conformance/run.mjs --url http://127.0.0.1:8200`: runs the built command; `npm run conformance` builds it first. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = new URL('./dist/cli.js', import.meta.url);
if (existsSync(fileURLToPath(command))) await import(command.href);
else {
  console.error('conformance: dist/cli.js is missing; build it first: npm run build');
  process.exitCode = 2;
}
