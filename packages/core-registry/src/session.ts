/**
 * One request: who calls, identified once, and what they may do (REGAPI-8, REG-8). A version the caller may not see is
 * answered like a missing one: same error, after the same look-ups. Only the audit trail records which it was.
 */
import type { CallOptions, ModuleAddress, ModuleVersionAddress, RegistryAction, RegistryCaller } from '@postern/ports';
import { isModuleAddress, isVersionAddress, versionAddress } from './addresses/address.js';
import type { Annotate, AskedAddress, Trail } from './audit/run-audited.js';
import type { RegistryContext } from './context.js';
import { RegistryError } from './errors.js';
import type { InputSource } from './input/input.js';
import { readInput } from './input/schemas.js';
import { OPERATIONS, type OperationId } from './operations.js';
import type { RegistrySession } from './registry.js';
import type { RegistryCall } from './results.js';

/** Longer tokens are rejected unread: every authorizer would have to hash or parse them. */
const MAX_TOKEN_CHARACTERS = 16 * 1024;

/** Input that took longer has its caller judged again (TOKEN-15). */
const SLOW_INPUT_MS = 1_000;

interface Right {
  readonly namespace: string;
  readonly action: RegistryAction;
  readonly allowed: Promise<boolean>;
}

/** What an operation works with once the caller is identified. */
export interface Identified extends Trail {
  readonly caller: RegistryCaller;
  mayRead(namespace: string): Promise<boolean>;
  mayManage(namespace: string): Promise<boolean>;
  /** Reads input; where it arrived slowly, token and rights are judged again. @throws RegistryError `input_invalid` */
  read<T extends object>(source: InputSource<T>): Promise<T>;
  /** Judges token and rights again (TOKEN-15). @throws RegistryError `unauthorized`, `not_found` */
  judgeAgain(): Promise<void>;
}

/** What an operation works with once the caller has the right and the address exists. */
export interface Authorized<A, T> extends Identified {
  /** Copied from what the caller passed, and frozen. */
  readonly address: A;
  readonly found: T;
}

/**
 * Runs operations of one request. Each leaves at most one audit event. Refusals come in this order: `unauthorized`, then
 * `not_found`, then whatever the work itself throws.
 */
export interface SessionRunner {
  readonly call: RegistryCall;
  /** What ports receive of the call: never its token. */
  readonly options: CallOptions;
  run<T>(id: OperationId, asked: AskedAddress, work: (request: Identified) => Promise<T>): Promise<T>;
  /**
   * @param lookUp runs beside the check of the right, and does the same whether or not the caller has it. Undefined: missing.
   */
  onModule<T, R>(
    id: OperationId,
    module: ModuleAddress,
    lookUp: (module: ModuleAddress) => Promise<T | undefined>,
    work: (request: Authorized<ModuleAddress, T>) => Promise<R>,
  ): Promise<R>;
  /** As `onModule`. */
  onVersion<T, R>(
    id: OperationId,
    version: ModuleVersionAddress,
    lookUp: (version: ModuleVersionAddress) => Promise<T | undefined>,
    work: (request: Authorized<ModuleVersionAddress, T>) => Promise<R>,
  ): Promise<R>;
}

/** The operations of one group: methods of `RegistrySession` with the session as their first argument. */
export type Operations<Name extends keyof RegistrySession> = {
  readonly [Method in Name]: (
    session: SessionRunner,
    ...input: Parameters<RegistrySession[Method]>
  ) => ReturnType<RegistrySession[Method]>;
};

/** True, or undefined where the catalogue has no such version. */
export async function present(
  { ports }: RegistryContext,
  address: ModuleVersionAddress,
  options: CallOptions,
): Promise<true | undefined> {
  return (await ports.catalogue.hasVersion(address, options)) ? true : undefined;
}

export function createSessionRunner({ ports, runAudited }: RegistryContext, call: RegistryCall): SessionRunner {
  const { authorizer, clock } = ports;
  const options = optionsOf(call);
  let identified: Promise<RegistryCaller | undefined> | undefined;
  const rights = new Map<string, Right>();

  async function identify(annotate: Annotate): Promise<RegistryCaller> {
    const { token, requestId, peerAddress } = call;
    if (token === undefined || token === '') throw unauthorized(annotate, 'token_missing');
    if (token.length > MAX_TOKEN_CHARACTERS) throw unauthorized(annotate, 'token_unknown');
    identified ??= Promise.resolve(authorizer.identify(token, { ...options, requestId, peerAddress }));
    const caller = await identified;
    if (caller === undefined) throw unauthorized(annotate, 'token_unknown');
    annotate({ principal: caller.name });
    return caller;
  }

  function isAllowed(caller: RegistryCaller, namespace: string, action: RegistryAction): Promise<boolean> {
    const key = `${action} ${namespace}`;
    const known = rights.get(key);
    if (known !== undefined) return known.allowed;
    const allowed = Promise.resolve(authorizer.isAllowed({ caller, namespace, action }, options));
    rights.set(key, { namespace, action, allowed });
    return allowed;
  }

  async function judgeAgain(caller: RegistryCaller, annotate: Annotate): Promise<void> {
    if ((await caller.holds?.()) === false) throw unauthorized(annotate, 'token_unknown');
    for (const { namespace, action, allowed } of rights.values()) {
      if ((await allowed) && !(await authorizer.isAllowed({ caller, namespace, action }, options))) {
        throw notFound(annotate, 'not_allowed');
      }
    }
  }

  const run: SessionRunner['run'] = (id, asked, work) =>
    runAudited(id, asked, call, async (trail) => {
      const caller = await identify(trail.annotate);
      return work({
        ...trail,
        caller,
        mayRead: (namespace) => isAllowed(caller, namespace, 'read'),
        mayManage: (namespace) => isAllowed(caller, namespace, 'manage'),
        async read(source) {
          const begun = clock.now();
          const input = await readInput(source);
          if (Math.abs(clock.now() - begun) > SLOW_INPUT_MS) await judgeAgain(caller, trail.annotate);
          return input;
        },
        judgeAgain: () => judgeAgain(caller, trail.annotate),
      });
    });

  /** Waits for the right and for the look-up before it answers, so that both refusals take the same time. */
  async function requireFound<T>(
    id: OperationId,
    { mayRead, mayManage, annotate }: Identified,
    namespace: string,
    lookUp: () => Promise<T | undefined>,
  ): Promise<T> {
    const isPermitted = OPERATIONS[id].action === 'manage' ? mayManage : mayRead;
    const [allowed, found] = await Promise.all([isPermitted(namespace), lookUp()]);
    if (!allowed) throw notFound(annotate, 'not_allowed');
    if (found === undefined) throw notFound(annotate, 'missing');
    return found;
  }

  return {
    call,
    options,
    run,
    onModule: (id, { namespace, name, provider }, lookUp, work) =>
      run(id, { namespace, module: name, provider }, async (request) => {
        const address = Object.freeze({ namespace, name, provider });
        if (!isModuleAddress(address)) throw notFound(request.annotate, 'address_malformed');
        const found = await requireFound(id, request, namespace, () => lookUp(address));
        return work({ ...request, address, found });
      }),
    onVersion: (id, { namespace, name, provider, version }, lookUp, work) =>
      run(id, { namespace, module: name, provider, version }, async (request) => {
        const address = versionAddress({ namespace, name, provider }, version);
        if (!isVersionAddress(address)) throw notFound(request.annotate, 'address_malformed');
        const found = await requireFound(id, request, namespace, () => lookUp(address));
        return work({ ...request, address, found });
      }),
  };
}

function unauthorized(annotate: Annotate, reason: string): RegistryError {
  annotate({ reason });
  return new RegistryError('unauthorized', 'a valid token is required');
}

export function notFound(
  annotate: Annotate,
  reason: 'not_allowed' | 'missing' | 'address_malformed' | 'not_publishable',
): RegistryError {
  annotate({ reason });
  return new RegistryError('not_found', 'not found');
}

function optionsOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal };
}
