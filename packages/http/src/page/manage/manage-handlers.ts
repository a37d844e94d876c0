/**
 * Deprecate, revise, reinstate, revoke and unrevoke by form (PAGE-6). A GET shows, a POST with `step=confirm` does;
 * without the right to manage there is no page. Needs a session: a bearer token alone only reads.
 */
import {
  type Command,
  type CommandOutcome,
  isRegistryError,
  RegistryError,
  type RegistrySession,
  type VersionStatus,
} from '@postern/core-registry';
import type { ModuleVersionAddress } from '@postern/ports';
import type { Exchange, Handler, PageContext } from '../page-context.js';
import { isOwnForm } from '../session/form-guard.js';
import { doneToKeep } from '../session/visitor-cookies.js';
import { ACTIONS, isCommand } from './actions.js';
import { confirmPage, formPage, type ManagePage } from './manage-pages.js';
import {
  fieldProblem,
  type NoticeValues,
  presentValues,
  toDeprecation,
  toRevocation,
  typedValues,
} from './notice-values.js';

export function createManageHandlers({ site }: PageContext) {
  /** @throws RegistryError `not_found` without the right to manage, whether or not the version exists. */
  async function open(exchange: Exchange): Promise<Omit<ManagePage, 'values'>> {
    const { session, registry } = exchange.visit;
    if (session === undefined) throw new RegistryError('unauthorized', 'a session is required');
    const { namespace = '', name = '', provider = '', version = '', action: command = '' } = exchange.params;
    const address = { namespace, name, provider, version };
    const [status, access] = await Promise.all([registry.status(address), registry.access(namespace)]);
    if (!access.canManage || !isCommand(command)) throw new RegistryError('not_found', 'not found');
    return { status, command, session };
  }

  const show: Handler = async (exchange) => {
    const opened = await open(exchange);
    const { status, command } = opened;
    const page: ManagePage = { ...opened, values: startingValues(command, status) };
    return exchange.page(
      ACTIONS[command].asks === 'nothing' ? confirmPage(exchange.visit, page) : formPage(exchange.visit, page),
    );
  };

  const submit: Handler = async (exchange) => {
    const { request, visit } = exchange;
    if (!isOwnForm(request.headers, visit.origin)) return exchange.refuse('foreign_form');
    const opened = await open(exchange);
    const form = await exchange.readForm();
    if (!form.ok) return exchange.refuse(form.refusal);
    if (!opened.session.holdsSecret(form.fields.get('form_secret') ?? '')) return exchange.refuse('foreign_form');
    const { status, command } = opened;
    const page: ManagePage = { ...opened, values: typedValues(form.fields) };
    const path = site.versionPath(status.address);
    const step = form.fields.get('step');
    if (step === 'edit') return exchange.page(formPage(visit, page));
    try {
      if (step !== 'confirm') {
        await rehearse(visit.registry, page);
        return exchange.page(confirmPage(visit, page));
      }
      await carryOut(visit.registry, status.address, command, page.values);
    } catch (error) {
      if (!isRegistryError(error)) throw error;
      const problem = fieldProblem(error);
      if (problem !== undefined) return exchange.page(formPage(visit, page, problem), 422);
      const back = { path, text: `To version ${status.address.version}` };
      if (error.kind === 'conflict')
        return exchange.refuse('conflict', { text: `Nothing was changed: ${error.message}.`, back });
      if (error.code === 'storage_outcome_unknown') {
        const text = 'It is not known whether the change was made. Check the version; repeating the change is safe.';
        return exchange.refuse('unavailable', { text, back });
      }
      throw error;
    }
    exchange.addCookie(doneToKeep(visit.origin, path, command));
    return exchange.redirect(path);
  };

  return { show, submit };
}

function startingValues(command: Command, { deprecation, revocation }: VersionStatus): NoticeValues {
  return presentValues(command === 'revoke' ? revocation : deprecation);
}

/**
 * Has the registry check the fields before the visitor is asked for a yes: a dry run of this one version. A revocation's
 * reason and link are under the same rules as a deprecation's.
 */
async function rehearse(registry: RegistrySession, { status, command, values }: ManagePage): Promise<void> {
  if (ACTIONS[command].asks === 'nothing') return;
  // A constraint does not contain build metadata.
  const range = `= ${status.address.version.split('+')[0]}`;
  const notice = command === 'revoke' ? toRevocation(values) : toDeprecation(values);
  await registry.deprecateRange(status.address, { ...notice, range, dryRun: true });
}

function carryOut(
  registry: RegistrySession,
  address: ModuleVersionAddress,
  command: Command,
  values: NoticeValues,
): Promise<CommandOutcome> {
  switch (command) {
    case 'deprecate':
      return registry.deprecate(address, toDeprecation(values));
    case 'revoke':
      return registry.revoke(address, toRevocation(values));
    case 'reinstate':
      return registry.reinstate(address);
    case 'unrevoke':
      return registry.unrevoke(address);
  }
}
