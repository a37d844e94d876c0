/** Which server a command talks to: the options and variables that commands share. */
import type { UsageError } from './usage-error.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ServerPlace {
  readonly url: string;
  readonly profile: 'neutral' | 'vault';
  readonly mountPath: string | undefined;
  readonly namespace: string | undefined;
}

export const PLACE_OPTIONS = {
  url: { type: 'string' },
  profile: { type: 'string' },
  mount: { type: 'string' },
} as const;

interface PlaceValues {
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
  readonly mount?: string | undefined;
}

/** @throws what `misuse` makes */
export function placeOf(
  values: PlaceValues,
  environment: Environment,
  misuse: (message: string) => UsageError,
): ServerPlace {
  const { profile = 'neutral' } = values;
  if (profile !== 'neutral' && profile !== 'vault') {
    throw misuse(`--profile: unknown profile "${profile}"; use neutral or vault`);
  }
  const variable = profile === 'vault' ? 'VAULT_ADDR' : 'POSTERN_ADDR';
  const url = values.url ?? (environment[variable] || undefined);
  if (url === undefined) throw misuse(`missing server URL; set --url or ${variable}`);
  return {
    url,
    profile,
    mountPath: values.mount,
    namespace: profile === 'vault' ? environment['VAULT_NAMESPACE'] || undefined : undefined,
  };
}
