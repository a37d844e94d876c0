/**
 * Rotation of the root key (ROTATE-1, ROTATE-2, ROTATE-5): create a new key, keep it, prove
 * it, configure it, delete the old one. The configured key works at every moment; where a call breaks off, the next one
 * goes on from the stored state, or says which key is left.
 */
import { type AccessKeyPair, type AccessKeys, isProviderError } from '@postern/ports';
import * as z from 'zod';
import type { FlowCall } from '../call.js';
import { callProvider, fromProvider } from '../call-provider.js';
import type { ClientConfig } from '../config/records.js';
import { AuthError, toAuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { type AnswerOf, defineOperation } from '../operation.js';
import { CLIENT_CONFIG_ID, type Entry, runOptimistic, unchanged } from '../store/collection.js';
import { proveKey } from './prove-key.js';
import { createRotationLease, type HeldRotation, type RotationLease } from './rotation-lease.js';
import { decideResumption, type Resumption, type RotationStep, staticKeyOf } from './rotation-state.js';

type Step<Phase> = Extract<RotationStep, { readonly phase: Phase }>;

/** A call that holds the lease. */
interface Rotation {
  readonly context: MethodContext;
  readonly accessKeys: AccessKeys;
  readonly lease: RotationLease;
  readonly call: FlowCall;
}

const RETRY_AFTER_SECONDS = 5;

const rotatedOutput = z.object({ access_key: z.string() });

/**
 * @returns `access_key`, the id of the new key; with warnings where an earlier rotation left keys behind.
 * @throws AuthError `rotation_not_enabled`, `rotation_static_key_missing`, `rotation_in_progress`, `rotation_key_limit`,
 *   `rotation_superseded`; `provider_unavailable` and the like, after which the next call goes on.
 */
export async function rotateRoot(context: MethodContext, call: FlowCall): Promise<AnswerOf<typeof rotatedOutput>> {
  const { accessKeys } = context.ports.cloud;
  if (accessKeys === undefined) throw new AuthError('rotation_not_enabled', 'the root key cannot be rotated here');
  const lease = createRotationLease(context, call);
  const rotation: Rotation = { context, accessKeys, lease, call };
  const { first, resumption } = await takeLease(rotation);
  let held = first;
  const left = [...resumption.leftKeyIds, ...(await deleteOrphan(rotation, resumption.orphan))];
  try {
    for (;;) {
      const { state } = held;
      call.annotate({ details: { rotation: state.phase, old_access_key: state.oldKeyId } });
      if (state.phase === 'started') held = await createKey(rotation, { ...held, state });
      else if (state.phase === 'created') held = await activateKey(rotation, { ...held, state });
      else return await deleteOldKey(rotation, { ...held, state }, left);
    }
  } catch (error) {
    await lease.release(held);
    throw tellKeptKey(error, held.state, call);
  }
}

/** After a key was created, the text of a failed write says so (ROTATE-6). */
function tellKeptKey(error: unknown, state: RotationStep, call: FlowCall): unknown {
  const failed = toAuthError(error, call.signal);
  if (state.phase === 'started' || !failed.code.startsWith('storage_')) return error;
  const { newKeyId, oldKeyId } = state;
  const kept =
    state.phase === 'created'
      ? `the new key ${newKeyId} was created and is kept; the next rotation goes on with it`
      : `the new key ${newKeyId} is configured; the next rotation deletes the old key ${oldKeyId} if it is left`;
  return withText(failed, `storage failed; ${kept}`);
}

function withText({ code, cause, retryAfterSeconds, details }: AuthError, text: string): AuthError {
  return new AuthError(code, text, {
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(details === undefined ? {} : { details }),
  });
}

/** Decided on state and key together, as they are at the moment of taking. */
async function takeLease({ context, lease }: Rotation): Promise<{ first: HeldRotation; resumption: Resumption }> {
  return runOptimistic(async () => {
    const interrupted = await lease.readInterrupted();
    const { entry, pair } = await readStaticKey(context);
    const resumption = decideResumption(interrupted?.state, pair.accessKeyId);
    const check = context.collections.clientConfig.check(CLIENT_CONFIG_ID, unchanged(entry));
    return { first: await lease.take(interrupted, resumption.step, [check]), resumption };
  });
}

/**
 * Step one. The signal of the caller does not reach the creation: no one would know of a key made after it fired.
 */
async function createKey(
  { context, accessKeys, lease, call }: Rotation,
  held: HeldRotation<Step<'started'>>,
): Promise<HeldRotation> {
  const { oldKeyId } = held.state;
  const { pair } = await readStaticKey(context, oldKeyId);
  const others = (await listKeys(accessKeys, pair, call)).filter((id) => id !== oldKeyId);
  if (others.length > 0) throw keyLimit(others);
  const created = await callProvider(() => accessKeys.create(pair));
  if (created === undefined) throw keyLimit([]);
  const { accessKeyId: newKeyId, secretAccessKey: newSecretKey } = created;
  try {
    return await runOptimistic(() => lease.advance(held, { phase: 'created', oldKeyId, newKeyId, newSecretKey }));
  } catch (error) {
    const isDeleted = await accessKeys.delete(pair, newKeyId).then(
      () => true,
      () => false,
    );
    if (isDeleted) throw error;
    const text = `the new key ${newKeyId} was created and neither stored nor deleted; delete it`;
    throw withText(toAuthError(error, call.signal), text);
  }
}

/** Step two. Until the new key has shown that it works, the old one stays configured. */
async function activateKey(rotation: Rotation, held: HeldRotation<Step<'created'>>): Promise<HeldRotation> {
  const { context, accessKeys, lease, call } = rotation;
  const { oldKeyId, newKeyId, newSecretKey } = held.state;
  const created = { accessKeyId: newKeyId, secretAccessKey: newSecretKey };
  const { clock } = context.ports;
  if (!(await proveKey({ accessKeys, clock }, created, { signal: call.signal }))) {
    const { pair } = await readStaticKey(context, oldKeyId);
    const ids = await listKeys(accessKeys, pair, call);
    // Somebody deleted it before it was used: begin again.
    if (ids.length > 0 && !ids.includes(newKeyId)) {
      return runOptimistic(() => lease.advance(held, { phase: 'started', oldKeyId }));
    }
    throw new AuthError('provider_unavailable', 'the new key does not work yet; the old one is still in use', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  const { clientConfig } = context.collections;
  return runOptimistic(async () => {
    const { entry } = await readStaticKey(context, oldKeyId);
    const config: ClientConfig = { ...entry.value, accessKey: newKeyId, secretKey: newSecretKey };
    const write = await clientConfig.put(CLIENT_CONFIG_ID, config, unchanged(entry));
    return lease.advance(held, { phase: 'activated', oldKeyId, newKeyId }, [write]);
  });
}

/** Step three. The rotation is in force already; a key that cannot be deleted now is deleted by the next call. */
async function deleteOldKey(
  { context, accessKeys, lease, call }: Rotation,
  held: HeldRotation<Step<'activated'>>,
  left: readonly string[],
): Promise<AnswerOf<typeof rotatedOutput>> {
  const { oldKeyId, newKeyId } = held.state;
  // Also where another process configured the key and broke off: what this one made from the old key must go first.
  context.options.onProviderConfigChange();
  const { pair } = await readStaticKey(context, newKeyId);
  await callProvider(() => accessKeys.delete(pair, oldKeyId));
  await lease.end(held);
  call.annotate({ details: { access_key: newKeyId } });
  const warnings = left.map((id) => `an interrupted rotation left the key ${id}; delete it`);
  return { data: { access_key: newKeyId }, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** The key of an abandoned rotation deletes itself. @returns its id where it could not. */
async function deleteOrphan({ accessKeys }: Rotation, orphan: AccessKeyPair | undefined): Promise<readonly string[]> {
  if (orphan === undefined) return [];
  try {
    await accessKeys.delete(orphan, orphan.accessKeyId);
    return [];
  } catch {
    return [orphan.accessKeyId];
  }
}

/**
 * Empty where we are not permitted to look, or the provider's stand-in does not know the question: then its own limit on
 * keys decides. Credentials that are none fail at the next step, too.
 */
async function listKeys(keys: AccessKeys, pair: AccessKeyPair, call: FlowCall): Promise<readonly string[]> {
  try {
    return await keys.list(pair, { signal: call.signal });
  } catch (error) {
    if (isProviderError(error) && (error.code === 'denied' || error.code === 'misconfigured')) return [];
    throw fromProvider(error);
  }
}

interface StaticKey {
  readonly entry: Entry<ClientConfig>;
  readonly pair: AccessKeyPair;
}

/**
 * @param keyId the key that must be configured, where that is known by now.
 * @throws AuthError `rotation_static_key_missing`; `rotation_superseded` where an operator configured another meanwhile.
 */
async function readStaticKey({ collections }: MethodContext, keyId?: string): Promise<StaticKey> {
  const entry = await collections.clientConfig.get(CLIENT_CONFIG_ID);
  const pair = staticKeyOf(entry?.value);
  if (keyId !== undefined && pair?.accessKeyId !== keyId) {
    throw new AuthError('rotation_superseded', 'the client configuration was changed during the rotation');
  }
  if (entry === undefined || pair === undefined) {
    throw new AuthError('rotation_static_key_missing', 'rotation needs access_key and secret_key in config/client');
  }
  return { entry, pair };
}

/** @param others ids, where we could see them. */
function keyLimit(others: readonly string[]): AuthError {
  const keys = others.join(', ');
  return new AuthError(
    'rotation_key_limit',
    `the key in use must be the only one of its user; delete ${keys === '' ? 'the other' : keys} and try again`,
    keys === '' ? {} : { details: { keys } },
  );
}

export function createRotateRootOperation(context: MethodContext) {
  return defineOperation({
    id: 'config.rotate-root',
    summary: 'Replace the access key of the client configuration by a new one that only this service knows',
    verb: 'write',
    scope: 'mount',
    path: 'config/rotate-root',
    access: 'management',
    fields: z.object({}),
    output: rotatedOutput,
    handle: (request) => rotateRoot(context, request),
  });
}
