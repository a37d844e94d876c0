/** Plays one case: makes what it is given, takes its steps, and removes what it left on the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createModuleArchive } from '@postern/testkit';
import type { AskedStep, Case, CloudStep, Expectation, RequestStep, Step } from './case-file.js';
import { evidenceMakers } from './evidence.js';
import { expectedAnswer, judgeAnswer } from './expectation.js';
import { PLAIN_VALUES, resolve, resolveText, type Scope } from './expressions.js';
import { type Fixtures, makeFixtures } from './fixtures.js';
import type { Json, JsonObject } from './json.js';
import { valueAt } from './matchers.js';
import { prepareServer } from './prepare-server.js';
import type { Run } from './run.js';
import { type Answer, codeOf, describeAnswer, patientWith, type Sent, send } from './target.js';

interface Stage {
  readonly run: Run;
  readonly scope: Scope;
  readonly fixtures: Fixtures;
  /** Paths to delete when the case is over. */
  readonly leftovers: Set<string>;
}

/** Thrown where an answer is not the one that the case expects. */
export class CaseFailure extends Error {
  override readonly name = 'CaseFailure';
}

const POLL_MS = 50;

/** @throws CaseFailure naming the step and what was wrong with its answer. */
export async function playCase(asked: Run, played: Case, ns: string): Promise<void> {
  const run = expectsUnavailable(played) ? asked : { ...asked, target: patientWith(asked.target) };
  const { target, simulated, organization = ns } = run;
  const { given = {}, steps, row } = played;
  const module = `${organization}/${ns}/aws`;
  const names = new Map<string, unknown>([
    ['ns', ns],
    ['row', row],
    ['mount', target.mount],
    ['serverIdHeader', target.profile.serverIdHeader],
    ['org', organization],
    ['managed', `/api/v2/organizations/${organization}/registry-modules/private/${module}`],
    ['modules', '/api/registry/v1/modules'],
    ['module', `/api/registry/v1/modules/${module}`],
    ['ownAccount', simulated.cloud.ownAccountId],
    ['root', target.token],
  ]);
  const bare: Scope = { names, values: PLAIN_VALUES, members: {} };
  const fixtures = await makeFixtures(given, ns, simulated, bare);
  const makers = evidenceMakers(simulated, fixtures, target.profile);
  const scope: Scope = { names, values: { ...PLAIN_VALUES, ...makers.values }, members: makers.members };
  const stage: Stage = { run, scope, fixtures, leftovers: new Set() };
  const restore = await prepareServer(run, given, ns, fixtures, scope, stage.leftovers);
  try {
    for (const [index, step] of steps.entries()) await take(stage, step, index + 1);
  } finally {
    for (const path of [...stage.leftovers].reverse()) await send(target, `DELETE ${path}`);
    for (const name of Object.keys(given.instances ?? {})) {
      const { instanceId } = fixtures.instance(name);
      if (steps.some((step) => 'send' in step && /(^| )login$/.test(step.send))) {
        await send(target, `DELETE identity-accesslist/${instanceId}`);
      }
    }
    await restore();
  }
}

/** By its steps, or by what STS or a row makes of them: then a 503 is the answer, and asking again would be counted. */
function expectsUnavailable({ given, steps, row }: Case): boolean {
  return JSON.stringify([given, steps, row]).includes('503');
}

async function take(stage: Stage, step: Step, number: number): Promise<void> {
  if ('wait' in step) await sleep(step.wait);
  else if ('cloud' in step) await changeCloud(stage, step);
  else if ('asked' in step) countCalls(stage, step, number);
  else if (step.together !== undefined) await sendTogether(stage, step, number);
  else await sendOnce(stage, step, number);
}

async function sendOnce(stage: Stage, step: RequestStep, number: number): Promise<void> {
  const { run, scope } = stage;
  const deadline = performance.now() + (step.within ?? 0);
  for (;;) {
    const answer = await sendStep(stage, step);
    if (step.save !== undefined) save(scope.names, step.save, answer, run.target.url);
    // Resolving keeps the members: only values change.
    const expected = expectedAnswer((await resolve((step.expect ?? 204) as Json, scope)) as Expectation);
    const wrong = judgeAnswer(answer, expected, { profile: run.target.profile, codes: run.codes });
    if (wrong.length === 0) return;
    if (performance.now() > deadline) throw new CaseFailure(failureText(number, answer, wrong));
    await sleep(POLL_MS);
  }
}

/** The body by its name, and where its member `location` leads, which may be relative to the request. */
function save(names: Map<string, unknown>, name: string, { body, path }: Answer, url: string): void {
  names.set(name, body);
  const location = valueAt(body, 'location');
  if (typeof location !== 'string') return;
  const { pathname, search } = new URL(location, url + path);
  names.set(`${name}Location`, pathname + search);
}

async function sendTogether(stage: Stage, step: RequestStep, number: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: step.together ?? 1 }, () => sendStep(stage, step)));
  const { codes } = stage.run;
  const outcomes: Record<string, number> = {};
  for (const answer of answers) {
    const code = codes ? codeOf(answer) : undefined;
    const kind = code === undefined ? String(answer.status) : `${answer.status} ${code}`;
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  }
  const wanted: Record<string, number> = {};
  for (const [kind, count] of Object.entries(step.outcomes ?? {})) {
    const key = codes ? kind : (kind.split(' ')[0] ?? '');
    wanted[key] = (wanted[key] ?? 0) + count;
  }
  const text = (counts: Record<string, number>) => JSON.stringify(Object.entries(counts).sort());
  if (text(outcomes) === text(wanted)) return;
  throw new CaseFailure(`step ${number}: ${text(outcomes)} instead of ${text(wanted)}`);
}

async function sendStep({ run, scope, leftovers }: Stage, step: RequestStep): Promise<Answer> {
  const line = String(resolveText(step.send, scope));
  const { archive } = step;
  // Resolved from a map of texts.
  const files = archive && ((await resolve(archive, scope)) as Readonly<Record<string, string>>);
  const sent: Sent = {
    ...(step.headers === undefined ? {} : { headers: (await resolve(step.headers, scope)) as JsonObject }),
    ...(step.body === undefined ? {} : { body: await resolve(step.body, scope) }),
    ...(step.text === undefined ? {} : { text: String(await resolve(step.text, scope)) }),
    ...(files === undefined ? {} : { bytes: createModuleArchive(files) }),
    ...(step.token === undefined ? {} : { token: step.token && String(resolveText(step.token, scope)) }),
  };
  const answer = await send(run.target, line, sent);
  if (answer.status < 300) noteLeftover(leftovers, line);
  return answer;
}

const LASTING =
  /^(?:POST|PUT) ((?:role|config\/certificate|config\/sts|roletag-denylist)\/[^/]+|\/api\/v2\/.+\/aws\/\d[^/?]*)/;

/** What a successful write leaves behind: roles, certificates, associations, barred tags, module versions. */
export function noteLeftover(leftovers: Set<string>, line: string): void {
  const path = LASTING.exec(line)?.[1];
  if (path !== undefined) leftovers.add(path);
}

async function changeCloud({ run, fixtures, scope }: Stage, step: CloudStep): Promise<void> {
  switch (step.cloud) {
    case 'delete':
      return fixtures.principal(step.of).principal.delete();
    case 'recreate':
      return fixtures.principal(step.of).principal.recreate();
    case 'add-key':
      run.simulated.newServerKey();
      return;
    case 'tag': {
      // Resolved from a map of texts.
      const tags = (await resolve(step.tags ?? {}, scope)) as Readonly<Record<string, string>>;
      return fixtures.instance(step.of).setTags(tags);
    }
    default:
      return fixtures.instance(step.of)[step.cloud]();
  }
}

function countCalls({ run, fixtures }: Stage, { asked, times }: AskedStep, number: number): void {
  const { keys } = fixtures.principal(asked);
  const calls = run.simulated.stsCalls.filter((id) => keys.includes(id)).length;
  if (calls !== times) throw new CaseFailure(`step ${number}: STS was asked ${calls} times instead of ${times}`);
}

function failureText(number: number, answer: Answer, wrong: readonly string[]): string {
  return [`step ${number}: ${wrong.join('; ')}`, `  ${describeAnswer(answer)}`].join('\n');
}
