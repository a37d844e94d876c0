/**
 * What Vault's clients ask of the server itself (WIRE-31), answered as it is: nothing is ever sealed, a server that answers is
 * initialized, and each of several servers serves for itself. Without a token, as there.
 */
import type { Operation } from '@postern/core-auth';

/** Path to answer, for `GET`. */
export function serverAnswers(version: string): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ['/v1/sys/seal-status', sealStatus(version)],
    ['/v1/sys/init', { initialized: true }],
    ['/v1/sys/leader', { ha_enabled: false, is_self: true, leader_address: '', leader_cluster_address: '' }],
  ]);
}

function sealStatus(version: string): object {
  const none = { t: 0, n: 0, progress: 0, nonce: '', migration: false, recovery_seal: false };
  return { type: 'none', initialized: true, sealed: false, ...none, version, storage_type: 'postern' };
}

/** @returns whether the query asks for help on the path, as `path-help` does. */
export function asksForHelp(query: string): boolean {
  return /(?:^|&)help=(?:1|true)(?:&|$)/.test(query);
}

/** What a path is for, by method. */
export function helpOn(path: string, operations: readonly Operation[]): object {
  const lines = operations.map(({ verb, summary, fields }) => {
    const names = Object.keys(fields.shape);
    return `${verb}: ${summary}.${names.length === 0 ? '' : `\n    Fields: ${names.join(', ')}`}`;
  });
  return { help: `${path.slice('/v1/'.length)}\n\n${lines.join('\n')}\n`, see_also: [] };
}
