/** Runs a child process in our place: its output is ours, our signals are its, its end is our end. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const WINDOWS = process.platform === 'win32';

/** npm passes on the Ctrl-C that the terminal has sent to us as well: two of one kind within this time are one wish. */
const SAME_WISH_MS = 500;

/** How often to look whether the npm that started us is still there. */
const PARENT_CHECK_MS = 250;

/**
 * The child leads a process group of its own, so that Ctrl-C reaches it once, through us, and not a second time from the
 * terminal: a server takes a second Ctrl-C as `stop at once`.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} the exit code; 128 + the signal's number when a signal ended the child
 */
export function run(file, args, { env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, env, stdio: 'inherit', detached: !WINDOWS });
    /** @type {Map<NodeJS.Signals, number>} */
    const sentAt = new Map();
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      const now = Date.now();
      if (!WINDOWS && now - (sentAt.get(signal) ?? 0) > SAME_WISH_MS) {
        sentAt.set(signal, now);
        child.kill(signal);
      }
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    // A signal to npm ends only the shell between npm and us: that we have lost our parent is all we get to see of it.
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.env['npm_lifecycle_event'] === undefined || process.ppid === parent) return;
      clearInterval(watch);
      forward('SIGTERM');
    }, PARENT_CHECK_MS);
    /** @param {number} code */
    const end = (code) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      clearInterval(watch);
      resolve(code);
    };
    child.on('error', (error) => {
      console.error(`postern: ${file} could not be started: ${error.message}`);
      end(1);
    });
    child.on('exit', (code, signal) => end(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
}

/**
 * Runs a child to its end and keeps what it printed (both streams, in the order of arrival).
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd?: string, shell?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function capture(file, args, { cwd = root, shell = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ code: 1, output: `${output}${file}: ${error.message}\n` }));
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}${file}: ended by ${signal}\n` }),
    );
  });
}

/** The pinned package manager, as Corepack reads it: `pnpm@10.1.2`. @type {string} */
export const packageManager = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager;

/**
 * Runs the pinned pnpm as `capture` does.
 *
 * @param {string[]} args
 * @param {{ cwd?: string }} [options]
 */
export function pnpm(args, { cwd = root } = {}) {
  // npx is a script of the shell on Windows.
  return capture('npx', ['--yes', packageManager, ...args], { cwd, shell: WINDOWS });
}
