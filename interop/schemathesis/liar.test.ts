/** The other tests of this folder can fail: schemathesis notices a server that breaks its word. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSchemathesis } from './run-schemathesis.js';

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

it('schemathesis notices a server that breaks its word', async () => {
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
