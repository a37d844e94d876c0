/** The other process of the tests with two: opens the database, says so, and commits or holds it until it is killed. */
import { writeSync } from 'node:fs';
import { runCrashLoad } from '@postern/testkit';
import { isSqliteOpenError } from '../src/open-error.js';
import { openSqliteStorage } from '../src/sqlite-storage.js';

const [, , task = '', file = '', round = ''] = process.argv;

/** Written at once: a line that this process was killed before writing is a line that was not acknowledged. */
const say = (line: string) => writeSync(1, `${line}\n`);

try {
  const storage = await openSqliteStorage({ file, lockWaitMs: task === 'wait' ? 500 : 0 });
  say('open');
  if (task === 'load') await runCrashLoad(storage, round, say);
  else setInterval(() => undefined, 1_000);
} catch (error) {
  say(isSqliteOpenError(error) ? `refused ${error.code} ${error.message}` : 'failed');
}
