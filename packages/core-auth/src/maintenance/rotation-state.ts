/**
 * How far a rotation of the root key has come (ROTATE-3), as it is stored: each step is one state, so
 * that the call after a crash goes on from there. The key that is configured works in every one of them.
 */
import type { AccessKeyPair } from '@postern/ports';
import * as z from 'zod';
import type { ClientConfig } from '../config/records.js';

const common = {
  /** Names the call that wrote the state: tells it whether a write whose answer was lost was its own. */
  holder: z.string(),
  /** Until then no other call goes on. */
  leaseEndsAt: z.number(),
  oldKeyId: z.string(),
};

export const rotationStateSchema = z.discriminatedUnion('phase', [
  /** A key may have been created whose secret is lost. */
  z.strictObject({ phase: z.literal('started'), ...common }),
  /** The new key is kept here until it is proven to work; the old one is configured. */
  z.strictObject({ phase: z.literal('created'), ...common, newKeyId: z.string(), newSecretKey: z.string() }),
  /** The new key is configured; the old one is still there. */
  z.strictObject({ phase: z.literal('activated'), ...common, newKeyId: z.string() }),
]);

export type RotationState = Readonly<z.infer<typeof rotationStateSchema>>;
export type StartedRotation = Extract<RotationState, { readonly phase: 'started' }>;
export type CreatedRotation = Extract<RotationState, { readonly phase: 'created' }>;
export type ActivatedRotation = Extract<RotationState, { readonly phase: 'activated' }>;
/** A state but for who holds it until when. */
export type RotationStep =
  | Omit<StartedRotation, 'holder' | 'leaseEndsAt'>
  | Omit<CreatedRotation, 'holder' | 'leaseEndsAt'>
  | Omit<ActivatedRotation, 'holder' | 'leaseEndsAt'>;

export interface Resumption {
  readonly step: RotationStep;
  /** The key of an interrupted rotation that no longer matters, with its secret: to be deleted. */
  readonly orphan?: AccessKeyPair;
  /** Ids of keys that only the operator can delete: their secrets are not known here. */
  readonly leftKeyIds: readonly string[];
}

/**
 * Where to go on. An operator who configured another key since has ended the rotation: what it created is left over, and
 * a new one begins with the key that is configured.
 *
 * @param interrupted what is stored; its lease has ended.
 * @param keyId of the configured key.
 */
export function decideResumption(interrupted: RotationState | undefined, keyId: string): Resumption {
  const afresh: RotationStep = { phase: 'started', oldKeyId: keyId };
  if (interrupted === undefined || interrupted.phase === 'started') return { step: afresh, leftKeyIds: [] };
  const { oldKeyId, newKeyId } = interrupted;
  if (keyId === newKeyId) return { step: { phase: 'activated', oldKeyId, newKeyId }, leftKeyIds: [] };
  if (interrupted.phase === 'activated') {
    return { step: afresh, leftKeyIds: [oldKeyId, newKeyId].filter((id) => id !== keyId) };
  }
  const { newSecretKey } = interrupted;
  if (keyId === oldKeyId) return { step: { phase: 'created', oldKeyId, newKeyId, newSecretKey }, leftKeyIds: [] };
  const orphan = { accessKeyId: newKeyId, secretAccessKey: newSecretKey };
  return { step: afresh, orphan, leftKeyIds: [] };
}

/** The static key of a client configuration, or undefined where it has none or only half of one. */
export function staticKeyOf(config: ClientConfig | undefined): AccessKeyPair | undefined {
  if (config === undefined || config.accessKey === '' || config.secretKey === '') return undefined;
  return { accessKeyId: config.accessKey, secretAccessKey: config.secretKey };
}
