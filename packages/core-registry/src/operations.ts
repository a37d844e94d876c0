/** The one catalogue: every operation of the registry once; routes and documents are made from it (spec 4). */
import type { RegistryAction } from '@postern/ports';
import type { z } from 'zod';

/** An operation as a transport needs to know it. */
export interface RegistryOperation {
  /** Stable, and the name in audit events: `registry.version.deprecate`. */
  readonly id: string;
  readonly summary: string;
  /** Section of the specification, where it is one of its endpoints. */
  readonly section?: string;
  readonly verb: 'GET' | 'POST' | 'PATCH';
  /** `:name` matches one segment. */
  readonly path: string;
  readonly action: RegistryAction;
  /** What the caller sends, by the domain's names; absent where nothing is. */
  readonly input?: z.ZodType;
  /** What is answered, by the domain's names. */
  readonly output: z.ZodType;
}
