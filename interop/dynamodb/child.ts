/** The process that the crash test kills: opens the table, says so, and commits until it dies. */
import { writeSync } from 'node:fs';
import { openDynamoStorage } from '@postern/storage-dynamodb';
import { runCrashLoad } from '@postern/testkit';

const [, , endpoint = '', table = '', round = ''] = process.argv;

/** Written at once: a line that this process was killed before writing is a line that was not acknowledged. */
const say = (line: string) => writeSync(1, `${line}\n`);

process.env['AWS_ACCESS_KEY_ID'] = 'postern';
process.env['AWS_SECRET_ACCESS_KEY'] = 'local';
const storage = await openDynamoStorage({ table, endpoint, region: 'eu-west-1' });
say('open');
await runCrashLoad(storage, round, say, 4);
