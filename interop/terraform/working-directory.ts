/** A folder with a configuration in it, and a client that is run there: unmodified, with nothing of this machine's settings. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostern } from '@postern/internal';
import { HOST, READER_TOKEN, type RegistrySite } from './registry-site.js';

export const CLIENTS = ['terraform', 'tofu'] as const;
export type Client = (typeof CLIENTS)[number];

/** The version that it says of itself; undefined where it is not on the PATH. */
export function versionOf(client: Client): string | undefined {
  const { status, stdout } = spawnSync(client, ['version'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null' },
  });
  return status === 0 ? stdout.split('\n', 1)[0] : undefined;
}

export interface Run {
  readonly code: number | null;
  /** Both outputs. Words are apart by one blank: clients wrap lines. */
  readonly text: string;
}

export interface CheckRun {
  readonly code: number | null;
  readonly out: string;
  readonly problems: string;
}

export interface WorkingDirectory {
  readonly folder: string;
  write(file: string, text: string): void;
  /** Where the registry is, and which token the client has of it. */
  configure(site: Pick<RegistrySite, 'url'>, token?: string): void;
  run(client: Client, ...args: string[]): Promise<Run>;
  /** `postern registry check`, with the same settings. */
  check(...args: string[]): Promise<CheckRun>;
  /** The same with something on its standard input. */
  checkInput(input: string, ...args: string[]): Promise<CheckRun>;
  remove(): void;
}

export function createWorkingDirectory(): WorkingDirectory {
  const root = mkdtempSync(join(tmpdir(), 'postern-terraform-'));
  const folder = join(root, 'work');
  mkdirSync(folder);
  const configFile = join(root, 'cli.tfrc');
  const environment = {
    HOME: root,
    CHECKPOINT_DISABLE: '1',
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    TF_CLI_CONFIG_FILE: configFile,
    TF_DATA_DIR: '',
  };
  async function check(input: string, args: readonly string[]): Promise<CheckRun> {
    const started = startPostern(['registry', 'check', ...args], { cwd: folder, environment, input });
    const code = await started.ended;
    return { code, out: started.stdout(), problems: started.stderr() };
  }

  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    configure({ url }, token = READER_TOKEN) {
      writeFileSync(
        configFile,
        `host "${HOST}" {
  services = {
    "modules.v1" = "${url}api/registry/v1/modules/"
  }
}

credentials "${HOST}" {
  token = "${token}"
}
`,
      );
    },
    run(client, ...args) {
      const child = spawn(client, [...args, ...(args[0] === 'modules' ? [] : ['-no-color'])], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (more: string) => {
          text += more;
        });
      }
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, text: text.replace(/[\s│╷╵]+/g, ' ') }));
      });
    },
    check: (...args) => check('', args),
    checkInput: (input, ...args) => check(input, args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
