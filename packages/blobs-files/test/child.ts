/** The process that the crash test kills: puts blob after blob and says each digest once it was acknowledged. */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openFileBlobStore } from '../src/file-blob-store.js';

const [, , folder = ''] = process.argv;
const blobs = await openFileBlobStore({ folder });

/** Written at once: a line that this process was killed before writing is a digest that was not acknowledged. */
const say = (line: string) => writeSync(1, `${line}\n`);

async function* content(): AsyncGenerator<Uint8Array> {
  for (let left = 4; left > 0; left -= 1) yield randomBytes(20_000);
}

say('open');
await Promise.all(
  [1, 2, 3].map(async () => {
    for (;;) say((await blobs.put(content(), { maxBytes: 1e6 })).digest);
  }),
);
