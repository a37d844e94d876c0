/**
 * One record that is put anew with every certificate that is written or deleted, in the same commit: its version tells
 * every process whether what it read of the certificates still stands, without listing them at each login.
 */
import type { CallOptions, Operation, Version } from '@postern/ports';
import { z } from 'zod';
import type { MethodContext } from '../method-context.js';
import { createCollection } from '../store/collection.js';

const MARK_ID = 'last-write';

export interface CertificateMark {
  /** Changes with every write of a certificate; undefined before the first. Read it before the certificates. */
  read(options?: CallOptions): Promise<Version | undefined>;
  /** Belongs into every commit that writes or deletes a certificate. */
  readonly put: Operation;
}

export function createCertificateMark({ ports, options }: Pick<MethodContext, 'ports' | 'options'>): CertificateMark {
  const marks = createCollection(ports.storage, `${options.storagePrefix}certificate-marks/`, z.object({}));
  return {
    read: async (callOptions) => (await marks.get(MARK_ID, callOptions))?.version,
    put: marks.put(MARK_ID, {}, 'any'),
  };
}
