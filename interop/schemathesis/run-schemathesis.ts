/** Schemathesis as a child process: installed where it is missing, run with one seed, its verdict and its count read back. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SchemathesisRun {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Fails a run; everything else that the tool may look at is not what is promised here. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** The same requests in every run. */
const SEED = '20261121';

export interface SchemathesisOptions {
  /** For what it writes: never the checkout. */
  readonly workFolder: string;
  /** Of a property. */
  readonly maxExamples: number;
  /** Options that choose operations. */
  readonly filter?: readonly string[];
}

export async function runSchemathesis(
  url: string,
  headers: Readonly<Record<string, string>>,
  { workFolder, maxExamples, filter = [] }: SchemathesisOptions,
): Promise<SchemathesisRun> {
  const setup = await run('sh', [join(repository(), 'scripts/interop/setup-python.sh')], workFolder);
  if (setup.exitCode !== 0) throw new Error(`schemathesis could not be installed:\n${setup.output}`);
  const command = setup.output.trim().split('\n').at(-1) ?? '';
  return run(
    command,
    [
      'run',
      `${url}/v1/sys/openapi.json`,
      ...['--url', url, '--checks', CHECKS.join(','), '--phases', 'examples,coverage,fuzzing', '--no-shrink'],
      ...['--seed', SEED, '--generation-database', 'none', '--continue-on-failure'],
      ...['--max-examples', String(maxExamples), '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'],
      ...filter,
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ],
    workFolder,
  );
}

function repository(): string {
  for (let folder = import.meta.dirname; ; folder = join(folder, '..')) {
    try {
      readFileSync(join(folder, 'pnpm-workspace.yaml'));
      return folder;
    } catch {
      if (folder === '/') throw new Error('the repository was not found');
    }
  }
}

function run(command: string, args: readonly string[], cwd: string): Promise<SchemathesisRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}
