/** `npm run soak`: the soak on each storage, its figures, and exit code 1 where one is beyond its limit. */
import { judgeSoak, soakLines } from './report.js';
import { readSettings } from './settings.js';
import { runSoak } from './soak.js';

const { minutes, rate, storages, limits } = readSettings(process.env);
for (const storage of storages) {
  const result = await runSoak({ storage, minutes, rate, tell: (line) => console.log(`${storage}: ${line}`) });
  const faults = judgeSoak(result, limits);
  for (const line of soakLines(result)) console.log(line);
  for (const fault of faults) console.log(`FAILED ${storage}: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`${storage}: within its limits`);
}
