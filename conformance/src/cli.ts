#!/usr/bin/env node
/** The `postern-conformance` command. Exit codes: 0 all passed, 1 some failed or the server could not be prepared, 2 usage. */
import { writeFileSync } from 'node:fs';
import { readCases } from './case-file.js';
import { parseCommandLine, USAGE, UsageError } from './command-line.js';
import { PROFILES } from './profile.js';
import { json, junit, summary, table } from './report.js';
import { runCases, selectCases } from './run-cases.js';

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const options = parseCommandLine(args, process.env);
  const cases = selectCases(readCases(), options);
  if (cases.length === 0) throw new UsageError('no case is selected');
  if (options.list) {
    for (const { id, title, rules } of cases) process.stdout.write(`${id}\t${rules.join(' ')}\t${title}\n`);
    return 0;
  }
  const { url, mount, token, registryToken, codes, organization, cloudHost, cloudPort, concurrency } = options;
  const started = performance.now();
  const results = await runCases(cases, {
    target: { url, mount, token, registryToken, profile: PROFILES[options.profile], transport: fetch },
    codes,
    organization,
    cloudAddress: {
      ...(cloudHost === undefined ? {} : { host: cloudHost }),
      ...(cloudPort === undefined ? {} : { port: cloudPort }),
    },
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  process.stdout.write(`${table(results)}\n\n${summary(results, performance.now() - started)}\n`);
  if (options.junit !== undefined) writeFileSync(options.junit, junit(results, `conformance ${options.profile}`));
  if (options.json !== undefined) writeFileSync(options.json, json(results));
  return results.every(({ verdict }) => verdict === 'passed') ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(`postern-conformance: ${error instanceof Error ? error.message : String(error)}`);
  if (isUsage) console.error(`\n${USAGE}`);
  process.exitCode = isUsage ? 2 : 1;
}
