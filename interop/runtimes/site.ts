/** The program that every runtime serves, in a folder beside the installed packages; and the logins that it must answer. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakeCloud } from '@postern/testkit';
import { expect } from 'vitest';

const SETUP = fileURLToPath(new URL('../../scripts/interop/setup-runtime.sh', import.meta.url));
const SITE = fileURLToPath(new URL('site', import.meta.url));
const STARTED_WITHIN_MS = 60_000;

/** @returns the path of the runtime's command. Takes as long as a download of 30 MB on a machine that never had it. */
export function installRuntime(name: 'deno' | 'bun' | 'workerd' | 'jest'): string {
  return execFileSync(SETUP, [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

export interface Site {
  readonly folder: string;
  /** Identity documents of five instances, by signature. */
  readonly rsa2048: readonly string[];
  readonly dsa: readonly string[];
}

/** @param installed where the packages are: `inject('installed')`. */
export function createSite(installed: string): Site {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() }, region: 'us-east-1' });
  const instances = Array.from({ length: 5 }, () => cloud.launchInstance());
  const documents = instances.map((instance) => instance.identityDocument());
  const rsa2048 = documents.map((document) => document.rsa2048);
  const dsa = documents.map((document) => document.pkcs7);
  const certificate = cloud.certificates().pkcs7Rsa2048;
  const facts = instances.map((instance) => instance.facts());

  const folder = mkdtempSync(join(installed, 'site-'));
  cpSync(SITE, folder, { recursive: true });
  const fixture = { instances: facts, certificate, certificates: cloud.defaultCertificates(), rsa2048, dsa };
  writeFileSync(join(folder, 'cloud.json'), JSON.stringify(fixture));
  return { folder, rsa2048, dsa };
}

export interface Served {
  readonly url: string;
  output(): string;
  stop(): Promise<void>;
}

/** Starts a server on a port of its own choice and waits until it names it, on its output or on its descriptor 3. */
export async function serve(command: string, args: readonly string[], folder: string): Promise<Served> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', BUN_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of child.stdio.slice(1)) {
    stream?.on('data', (bytes: Uint8Array) => {
      output += new TextDecoder().decode(bytes);
    });
  }
  let ended = false;
  const closed = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      output += String(error);
    });
    child.once('close', () => {
      ended = true;
      resolve();
    });
  });
  const stop = () => {
    child.kill('SIGKILL');
    return closed;
  };
  for (const deadline = performance.now() + STARTED_WITHIN_MS; ; ) {
    const port = /(?:localhost|127\.0\.0\.1):(\d+)|"port":(\d+)/.exec(output);
    if (port !== null) return { url: `http://127.0.0.1:${port[1] ?? port[2]}`, output: () => output, stop };
    if (ended || performance.now() > deadline) {
      await stop();
      throw new Error(`${command} did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly auth?: { readonly client_token: string };
}

/** Logins of several instances at once, what their tokens are good for, and refusals by code. */
export async function exerciseLogins({ url }: Served, { rsa2048, dsa }: Site): Promise<void> {
  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    // As the edge of Cloudflare's network sets it; Deno and Bun read the socket.
    const headers = { ...init.headers, 'cf-connecting-ip': '127.0.0.1' };
    const response = await fetch(`${url}/v1/${path}`, { ...init, headers });
    // Compared member by member below: another shape fails there.
    const body = (await response.json()) as Omit<Answer, 'status'>;
    return { status: response.status, ...body };
  };
  const login = (fields: object) =>
    request('auth/cloud/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'web', ...fields }),
    });

  const logins = await Promise.all(rsa2048.map((pkcs7) => login({ pkcs7 })));
  for (const { status, auth } of logins) {
    expect(status).toBe(200);
    // The token is bound to 127.0.0.0/8: without the peer's address it would be refused.
    const lookup = await request('auth/token/lookup-self', {
      headers: { authorization: `Bearer ${auth?.client_token}` },
    });
    expect(lookup).toMatchObject({ status: 200, data: { policies: ['default', 'web'] } });
  }

  expect(await login({ pkcs7: rsa2048[0], nonce: 'a guess' })).toMatchObject({ status: 400, code: 'nonce_mismatch' });
  expect(await login({ pkcs7: 'AAAA' })).toMatchObject({ status: 400, code: 'evidence_unverified' });
  // WebCrypto has no DSA.
  expect(await login({ pkcs7: dsa[0] })).toMatchObject({ status: 400, code: 'evidence_unverified' });
  const forged = { authorization: 'Bearer pst_forged' };
  expect(await request('auth/token/lookup-self', { headers: forged })).toMatchObject({ code: 'permission_denied' });
}
