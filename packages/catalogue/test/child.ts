/** The process that the crash test kills: publishes version after version, deletes some, and says what was acknowledged. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openFileBlobStore } from '@postern/blobs-files';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createHostedCatalogue } from '../src/hosted-catalogue.js';
import { inChunks, moduleArchive, NETWORK } from './set-up.js';

const [, , folder = '', round = ''] = process.argv;
const storage = await openSqliteStorage({ file: join(folder, 'db') });
const blobs = await openFileBlobStore({ folder: join(folder, 'blobs') });
const clock = { now: () => Date.now() };
const catalogue = createHostedCatalogue({ storage, blobs, clock, scratchFolder: join(folder, 'scratch') });

/** Written at once: a line that this process was killed before writing is a version that was not acknowledged. */
const say = (line: string) => writeSync(1, `${line}\n`);

say('open');
await Promise.all(
  [1, 2, 3].map(async (lane) => {
    for (let index = 0; ; index += 1) {
      const version = { ...NETWORK, version: `${round}.${lane}.${index}` };
      // Few different archives: versions come to share them, and deletions meet publications.
      await catalogue.publish({ version, owner: 'ci', content: inChunks(moduleArchive(`v${index % 3}`)) });
      say(`+${version.version}`);
      if (index % 2 === 0) continue;
      say(`?${version.version}`);
      await catalogue.delete(version);
      say(`-${version.version}`);
    }
  }),
);
