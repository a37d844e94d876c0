/** OpenSSL's opinion of a SignedData: its signature and attributes, under the certificates that it is given and no others. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface OpensslCms {
  /** The verified content, or undefined where OpenSSL refuses. */
  verify(signedData: Uint8Array): Promise<Uint8Array | undefined>;
  close(): void;
}

/** @param certificates PEM, all of them trusted. */
export function openOpensslCms(certificates: readonly string[]): OpensslCms {
  const folder = mkdtempSync(join(tmpdir(), 'postern-openssl-'));
  const bundle = join(folder, 'trusted.pem');
  writeFileSync(bundle, certificates.join('\n'));
  const verify = ['cms', '-verify', '-inform', 'DER', '-nointern', '-certfile', bundle, '-noverify', '-binary'];
  return {
    verify: (signedData) => run(verify, signedData),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(args: readonly string[], input: Uint8Array): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? new Uint8Array(Buffer.concat(output)) : undefined));
    // It may refuse before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
