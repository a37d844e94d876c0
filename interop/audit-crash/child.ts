/** The process that the test kills: writes roles, each of its own name, and says each one that was acknowledged. */
import { writeSync } from 'node:fs';
import { openCrashWorld } from './world.js';

const CALLERS = 8;
const [, , folder = '', round = ''] = process.argv;

/** Written at once: a line that this process was killed before writing is a line that was not acknowledged. */
const say = (line: string) => writeSync(1, `${line}\n`);

const { method } = await openCrashWorld(folder);
say('open');
const work = async (caller: number): Promise<never> => {
  for (let count = 0; ; count += 1) {
    const role = `role-${round}-${caller}-${count}`;
    await method.roles.write(role, { auth_type: 'ec2', bound_ami_id: 'ami-1' });
    say(role);
  }
};
await Promise.race(Array.from({ length: CALLERS }, (_, caller) => work(caller)));
