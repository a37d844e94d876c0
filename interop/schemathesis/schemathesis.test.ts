/** Requests that nobody here made up, from the served document: no 500, no status or answer that it does not describe. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WIRE_PROFILES } from '@postern/http';
import { afterEach, describe, expect, it } from 'vitest';
import { runSchemathesis } from './run-schemathesis.js';
import { type ExercisedServer, startExercisedServer } from './server.js';

/** Examples of a property: with them both profiles together make 20,000 requests. */
const MAX_EXAMPLES = 80;
const MIN_REQUESTS = 10_000;

let open: { server: ExercisedServer; workFolder: string } | undefined;
afterEach(async () => {
  await open?.server.close();
  if (open !== undefined) rmSync(open.workFolder, { recursive: true, force: true });
});

/** Says that `/v1/x` answers 200 and answers 500. */
async function startLiar(): Promise<{ url: string; close: () => void }> {
  const paths = { '/v1/x': { get: { operationId: 'x', responses: { 200: { description: 'Done' } } } } };
  const document = { openapi: '3.1.0', info: { title: 'liar', version: '1' }, paths };
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/v1/x' ? 500 : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // It listens on TCP: its address is of this form.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

describe('schemathesis', () => {
  it('notices a server that breaks its word', async () => {
    const liar = await startLiar();
    const workFolder = mkdtempSync(join(tmpdir(), 'postern-schemathesis-'));
    try {
      const { exitCode, output } = await runSchemathesis(liar.url, {}, { workFolder, maxExamples: 1 });
      expect(exitCode).toBe(1);
      expect(output).toContain('Server error');
    } finally {
      liar.close();
      rmSync(workFolder, { recursive: true, force: true });
    }
  });

  it.each(['neutral', 'vault'] as const)(
    'finds nothing in the %s profile',
    async (profile) => {
      const server = await startExercisedServer(profile);
      const workFolder = mkdtempSync(join(tmpdir(), 'postern-schemathesis-'));
      open = { server, workFolder };
      const headers = { [WIRE_PROFILES[profile].tokenHeader]: server.rootToken };
      const { exitCode, output } = await runSchemathesis(server.url, headers, {
        workFolder,
        maxExamples: MAX_EXAMPLES,
      });
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
    },
    600_000,
  );
});
