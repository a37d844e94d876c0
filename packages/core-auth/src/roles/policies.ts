/** Which policies a token carries: normalised, `default` added, `root` never granted (TOKEN-3). */

/** May do everything; only ever given by the operator at start-up. */
export const ROOT_POLICY = 'root';
export const DEFAULT_POLICY = 'default';

export type GrantedPolicies =
  | { readonly allow: true; readonly policies: readonly string[] }
  | { readonly allow: false; readonly code: 'policy_not_grantable' };

/** Trimmed, ASCII letters in lower case, no empty names, no duplicates, in code-unit order. */
export function normalizePolicies(names: readonly string[]): readonly string[] {
  const normal = names.map((name) => lowerAscii(name.trim())).filter((name) => name !== '');
  return [...new Set(normal)].sort();
}

/** What a login against a role with these policies is granted. A role that names `root` grants nothing at all. */
export function decidePolicies(names: readonly string[], noDefaultPolicy: boolean): GrantedPolicies {
  const policies = normalizePolicies(noDefaultPolicy ? names : [...names, DEFAULT_POLICY]);
  if (policies.includes(ROOT_POLICY)) return { allow: false, code: 'policy_not_grantable' };
  return { allow: true, policies };
}

/** ASCII only: no letter of another script may fold into a policy's name. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
