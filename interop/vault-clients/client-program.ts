/** Runs a client program in a process of its own: briefing on its standard input, a line for every step that went well. */
import { spawn } from 'node:child_process';

export interface ProgramReport {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  /** What it did, and its versions. */
  readonly stdout: string;
  /** Why it stopped, where it did. */
  readonly stderr: string;
}

/**
 * @param environment all that the program gets beside PATH: no setting of the machine's own Vault or AWS reaches it.
 */
export function runClientProgram(
  command: readonly [string, ...string[]],
  briefing: unknown,
  environment: Readonly<Record<string, string>> = {},
): Promise<ProgramReport> {
  const [file, ...args] = command;
  const child = spawn(file, args, { env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(JSON.stringify(briefing));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
