/**
 * Reads the signing test suite of AWS (awslabs/aws-c-auth, tests/aws-signing-test-suite/v4) from a folder: the one that
 * SIGV4_TEST_SUITE names, the shared data beside the repository, or the crate aws-sigv4 in the cache of cargo.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';
import type { HeaderList, WireRequest } from '@postern/testkit';

export interface SuiteContext {
  readonly credentials: {
    readonly access_key_id: string;
    readonly secret_access_key: string;
    readonly token?: string;
  };
  readonly expiration_in_seconds: number;
  readonly normalize: boolean;
  readonly region: string;
  readonly service: string;
  readonly sign_body: boolean;
  readonly timestamp: string;
  readonly omit_session_token?: boolean;
}

export interface SuiteCase {
  readonly name: string;
  readonly request: WireRequest;
  readonly context: SuiteContext;
  /** Text of one of the expected files, such as `header-signature`. */
  expected(file: string): string;
}

export function suiteFolder(): string | undefined {
  const shared = sharedFolder();
  const candidates = [
    process.env['SIGV4_TEST_SUITE'],
    shared === undefined ? undefined : join(shared, 'data', 'sigv4-test-suite'),
    ...cargoCopies(),
  ];
  return candidates.find((folder) => folder !== undefined && existsSync(join(folder, 'get-vanilla', 'request.txt')));
}

function cargoCopies(): readonly string[] {
  const sources = join(process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'), 'registry', 'src');
  if (!existsSync(sources)) return [];
  return readdirSync(sources).flatMap((index) =>
    readdirSync(join(sources, index))
      .filter((crate) => crate.startsWith('aws-sigv4-'))
      .map((crate) => join(sources, index, crate, 'aws-signing-test-suite', 'v4')),
  );
}

/** The cases that say how they were signed. Two of the folder are remnants of an older suite without a context. */
export function suiteCases(folder: string): readonly SuiteCase[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'context.json')))
    .map((name) => {
      const read = (file: string): string => readFileSync(join(folder, name, file), 'utf8');
      return {
        name,
        request: parseRequest(read('request.txt')),
        // The suite's own documented shape; a case of another one fails its signature.
        context: JSON.parse(read('context.json')) as SuiteContext,
        expected: (file) => read(`${file}.txt`).trimEnd(),
      };
    });
}

/** A request as text; a header line that begins with white space continues the one before. */
function parseRequest(text: string): WireRequest {
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [requestLine = '', ...headerLines] = head.replace(/\r?\n(?=[ \t])/g, ' ').split(/\r?\n/);
  const [, method = '', target = ''] = /^(\S+) (.*) HTTP\/1\.1$/.exec(requestLine.trim()) ?? [];
  const headers: HeaderList = headerLines
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
  const body = rest.join('\n\n');
  return { method, target, headers, body: body === '' ? undefined : new TextEncoder().encode(body) };
}
