/** One profile, exercised: at least half of the 20,000 requests that both together get in the long form. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProfileName, WIRE_PROFILES } from '@postern/http';
import { expect } from 'vitest';
import { scaled } from '../scale.js';
import { runSchemathesis } from './run-schemathesis.js';
import { startExercisedServer } from './server.js';

/** Examples of a property. */
const MAX_EXAMPLES = scaled(64);
const MIN_REQUESTS = scaled(10_000);

/** They end the token that all requests carry (what comes after is refused), so they are exercised last. */
const ENDS_THE_TOKEN = '^token\\.revoke-(self|matching)';

/** Milliseconds. */
export const EXERCISE_TIMEOUT = 600_000;

/** Fails where the server answered anything that its document does not describe, or was asked too little. */
export async function exercise(profile: ProfileName): Promise<void> {
  const server = await startExercisedServer(profile);
  const workFolder = mkdtempSync(join(tmpdir(), 'postern-schemathesis-'));
  try {
    const headers = { [WIRE_PROFILES[profile].tokenHeader]: server.rootToken };
    const run = (filter: readonly string[]) =>
      runSchemathesis(server.url, headers, { workFolder, maxExamples: MAX_EXAMPLES, filter });
    const { exitCode, output } = await run(['--exclude-operation-id-regex', ENDS_THE_TOKEN]);
    const calls = [...server.operations.values()].reduce((sum, count) => sum + count, 0);
    const generated = Number(/^\s*(\d+) generated/m.exec(output)?.[1]);
    console.log(
      `schemathesis, ${profile}: ${generated} requests, ${calls} of them reached ${server.operations.size} operations`,
    );
    expect(server.faults).toEqual([]);
    expect(exitCode, output).toBe(0);
    expect(generated).toBeGreaterThanOrEqual(MIN_REQUESTS);
    expect(calls).toBeGreaterThan(generated / 2);
    expect(server.operations.size).toBeGreaterThan(40);
    const last = await run(['--include-operation-id-regex', ENDS_THE_TOKEN]);
    expect(last.exitCode, last.output).toBe(0);
    expect(server.operations.get('token.revoke-self')).toBeGreaterThan(0);
    expect(server.faults).toEqual([]);
  } finally {
    await server.close();
    rmSync(workFolder, { recursive: true, force: true });
  }
}
