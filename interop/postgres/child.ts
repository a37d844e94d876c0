/** The process that the crash test kills: opens the database, says so, and commits until it dies. */
import { writeSync } from 'node:fs';
import { openPostgresStorage } from '@postern/storage-postgres';
import { runCrashLoad } from '@postern/testkit';

const [, , connectionString = '', round = ''] = process.argv;

/** Written at once: a line that this process was killed before writing is a line that was not acknowledged. */
const say = (line: string) => writeSync(1, `${line}\n`);

const storage = await openPostgresStorage({ connectionString });
say('open');
await runCrashLoad(storage, round, say);
