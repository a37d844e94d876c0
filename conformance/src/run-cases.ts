/** Runs a selection of cases against a server: most at the same time, those that change its configuration one by one at the end. */
import type { Capability, Case } from './case-file.js';
import { type CloudListener, listenAsCloud } from './cloud/listen.js';
import { createSimulatedCloud, type SimulatedCloud } from './cloud/simulated-cloud.js';
import type { JsonObject } from './json.js';
import { playCase } from './play-case.js';
import { runCertificates } from './prepare-server.js';
import type { Run } from './run.js';
import { describeAnswer, send, type Target } from './target.js';

export interface RunOptions {
  readonly target: Target;
  /** Default: a new one, that the server reaches over HTTP. */
  readonly simulated?: SimulatedCloud;
  /** Where the simulated cloud listens. Default: any free port of 127.0.0.1. */
  readonly cloudAddress?: { readonly host?: string; readonly port?: number };
  /** How many cases run at the same time. */
  readonly concurrency?: number;
  /** Whether refusals carry codes. */
  readonly codes?: boolean;
  readonly organization?: string | undefined;
  /** Told of each result as it comes. */
  readonly onResult?: (result: Result) => void;
}

export interface Result {
  readonly case: Case;
  readonly verdict: 'passed' | 'failed';
  readonly milliseconds: number;
  /** What was wrong. */
  readonly message?: string;
}

export interface Selection {
  readonly profile: Target['profile']['name'];
  /** Leaves out what goes beyond the known implementation. */
  readonly core?: boolean;
  /** What the server does not have. */
  readonly without?: readonly Capability[];
  /** Part of an id, of a file, or a rule's id. */
  readonly filter?: string | undefined;
}

export function selectCases(cases: readonly Case[], selection: Selection): readonly Case[] {
  const { profile, core = false, without = [], filter } = selection;
  return cases.filter(
    ({ id, file, rules, profiles, extension = false, requires = [], area }) =>
      (profiles === undefined || profiles.includes(profile)) &&
      !(core && extension) &&
      ![...requires, ...(area === 'registry' ? (['registry'] as const) : [])].some((each) => without.includes(each)) &&
      (filter === undefined || id.includes(filter) || file.includes(filter) || rules.includes(filter)),
  );
}

/** Cases that read or change what all logins depend on. */
export function isSerial({ serial = false, given = {} }: Case): boolean {
  return serial || given.client !== undefined || given.identity !== undefined;
}

const CONCURRENCY = 6;

/** @throws Error where the server could not be prepared: wrong token, wrong profile, wrong mount. */
export async function runCases(cases: readonly Case[], options: RunOptions): Promise<readonly Result[]> {
  const { target, simulated = createSimulatedCloud(), codes = true, organization } = options;
  const listener = await listenAsCloud(simulated, options.cloudAddress);
  const client = () => clientConfiguration(listener, simulated);
  const run: Run = { target, simulated, codes, client, organization };
  const prefix = `k${Date.now().toString(36).slice(-6)}`;
  const results: Result[] = [];

  const play = async (each: Case, index: number): Promise<void> => {
    const started = performance.now();
    const ns = prefix + index.toString(36).padStart(3, '0');
    const failure = await playCase(run, each, ns).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const milliseconds = Math.round(performance.now() - started);
    const verdict = failure === undefined ? 'passed' : 'failed';
    const result: Result = {
      case: each,
      verdict,
      milliseconds,
      ...(failure === undefined ? {} : { message: failure }),
    };
    results.push(result);
    options.onResult?.(result);
  };

  try {
    const restore = await prepareRun(run);
    const numbered = cases.map((each, index) => ({ each, index }));
    const serial = numbered.filter(({ each }) => isSerial(each));
    const others = numbered.filter(({ each }) => !isSerial(each));
    // Those that wait cost nothing while they do.
    const patient = others.filter(({ each }) => each.steps.some((step) => 'wait' in step));
    const queue = others.filter((entry) => !patient.includes(entry));
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await play(next.each, next.index);
    };
    const workers = Array.from({ length: options.concurrency ?? CONCURRENCY }, worker);
    await Promise.all([...patient.map(({ each, index }) => play(each, index)), ...workers]);
    for (const { each, index } of serial) await play(each, index);
    await restore();
  } finally {
    await listener.close();
  }
  const order = new Map(cases.map((each, index) => [each, index]));
  return results.sort((a, b) => (order.get(a.case) ?? 0) - (order.get(b.case) ?? 0));
}

function clientConfiguration({ url }: CloudListener, simulated: SimulatedCloud): JsonObject {
  const { accessKeyId, secretAccessKey } = simulated.serverKey();
  return {
    access_key: accessKeyId,
    secret_key: secretAccessKey,
    endpoint: url,
    iam_endpoint: url,
    sts_endpoint: url,
    sts_region: 'us-east-1',
    max_retries: 0,
    use_sts_region_from_client: false,
    iam_server_id_header_value: '',
    allowed_sts_header_values: '',
  };
}

/** Points the server at the simulated cloud and makes it trust its certificates. @returns takes both back. */
async function prepareRun(run: Run): Promise<() => Promise<void>> {
  const { target } = run;
  const done = async (line: string, body: JsonObject): Promise<void> => {
    const answer = await send(target, line, { body });
    if (answer.status < 300) return;
    throw new Error(`the server could not be prepared: ${describeAnswer(answer)}`);
  };
  await done('POST config/client', run.client());
  const certificates = runCertificates(run);
  for (const { name, body } of certificates) await done(`POST config/certificate/${name}`, body);
  return async () => {
    for (const { name } of certificates) await send(target, `DELETE config/certificate/${name}`);
    await send(target, 'DELETE config/client');
  };
}
