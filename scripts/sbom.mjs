/** `npm run sbom -- FOLDER`: writes a bill of materials of each published package (CycloneDX 1.6) into the folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packagesToPublish } from './check/pack.mjs';
import { closuresOf, toCycloneDx } from './lib/sbom.mjs';

const folder = resolve(process.argv[2] ?? 'sbom');
mkdirSync(folder, { recursive: true });
const names = packagesToPublish().map(({ manifest }) => manifest.name);
for (const [name, closure] of await closuresOf(names)) {
  const file = `${name.replace('@', '').replace('/', '-')}.cdx.json`;
  writeFileSync(join(folder, file), toCycloneDx(closure));
  console.log(`${file}: ${closure.size - 1} dependencies`);
}
