/** The builds that stand beside each other in an upgrade: this one, one of an earlier record format, and one of the next. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture, pnpm } from '../../scripts/lib/child.mjs';
import { root } from '../../scripts/lib/workspace.mjs';

export interface Build {
  readonly name: string;
  /** The newest record format that it writes. */
  readonly format: number;
  /** Where it starts. Undefined: the command of this checkout. */
  readonly command: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it knows that records have formats, chains its audit log and seals. */
  readonly knowsFormats: boolean;
}

const FORMAT_FILE = 'packages/kernel/src/record-format.ts';
/** Without the constant records have no formats: the first. */
const formatIn = (text: string) => Number(/RECORD_FORMAT = (\d+);/.exec(text)?.[1] ?? 1);
const format = formatIn(readFileSync(join(root, FORMAT_FILE), 'utf8'));

export const thisBuild: Build = {
  ...{ name: 'this build', format, command: undefined, environment: {}, knowsFormats: true },
};

const nextFormat = new URL('./next-format.mjs', import.meta.url);

/** This code, whose newest format is one higher: what the release after a change of records will be to this one. */
export const nextBuild: Build = {
  ...{ ...thisBuild, name: 'a build of the next format', format: format + 1 },
  environment: { NODE_OPTIONS: `--import ${nextFormat.href}` },
};

/**
 * The commit to upgrade from: `POSTERN_UPGRADE_FROM`; else the last release; before there is one, the last commit before
 * `RECORD_FORMAT` got its value of today.
 *
 * @returns undefined where its history is not here, as in a shallow clone.
 */
export function earlierCommit(): string | undefined {
  const asked = process.env['POSTERN_UPGRADE_FROM'];
  if (asked !== undefined && asked !== '') return commitOf(asked);
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  if (release !== undefined && release !== '') return commitOf(release);
  const raised = git('log', '-1', '--format=%H', '-GRECORD_FORMAT = ', '--', FORMAT_FILE);
  return raised === undefined || raised === '' ? undefined : commitOf(`${raised}^`);
}

const commitOf = (name: string) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

/** Builds that commit, with the dependencies that it locked, in a folder of its own, once. */
export async function buildEarlier(commit: string): Promise<Build> {
  const folder = join(root, 'node_modules/.cache/postern-builds', commit);
  const marker = join(folder, '.built');
  if (!existsSync(marker)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const archive = join(folder, 'source.tar');
    git('archive', '--format=tar', `--output=${archive}`, commit);
    execFileSync('tar', ['-xf', archive, '-C', folder]);
    const packages = ['--filter', '.', '--filter', '@postern/cli...'];
    await done(
      pnpm(['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts', ...packages], { cwd: folder }),
    );
    await done(capture(process.execPath, ['node_modules/tsup/dist/cli-default.js'], { cwd: folder }));
    writeFileSync(marker, '');
  }
  const text = git('show', `${commit}:${FORMAT_FILE}`) ?? '';
  return {
    name: `the build of ${commit.slice(0, 10)}`,
    format: formatIn(text),
    command: join(folder, 'packages/cli/dist/cli.js'),
    environment: {},
    knowsFormats: text !== '',
  };
}

async function done(step: Promise<{ code: number; output: string }>): Promise<void> {
  const { code, output } = await step;
  if (code !== 0) throw new Error(output);
}

/** @returns what git prints, or undefined where it fails. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
