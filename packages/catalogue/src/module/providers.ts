/** Which providers a module requires: those that it names, and those that its resources imply. */
import type { ProviderDependency } from '@postern/ports';
import type { ConfigBlock, ConfigValue } from './config-block.js';

export interface Providers {
  /** A `terraform` block, with `required_providers` in it. */
  require(block: ConfigBlock, isOverride: boolean): void;
  /** A resource or data source of a type. */
  use(block: ConfigBlock, type: string): void;
  all(): readonly ProviderDependency[];
}

/** Where a provider without a source comes from. */
const DEFAULT_NAMESPACE = 'hashicorp';

/** `terraform_data`, `terraform_remote_state`: built in. */
const BUILT_IN = 'terraform';

export function createProviders(): Providers {
  const required = new Map<string, ProviderDependency>();
  const implied = new Set<string>();
  return {
    require: (block, isOverride) => {
      for (const { type, attributes } of block.blocks) {
        if (type !== 'required_providers') continue;
        for (const [name, value] of attributes) {
          if (isOverride || !required.has(name)) required.set(name, toDependency(name, value));
        }
      }
    },
    use: (block, type) => {
      const name = block.attributes.get('provider')?.reference ?? type.split('_')[0] ?? '';
      if (name !== BUILT_IN && name !== '') implied.add(name);
    },
    all: () => [
      ...required.values(),
      ...[...implied]
        .filter((name) => !required.has(name))
        .map((name) => ({ name, namespace: DEFAULT_NAMESPACE, source: '', version: '' })),
    ],
  };
}

/** `{ source = "hashicorp/aws", version = "~> 5.0" }`; before 0.13 only the version, as a string. */
function toDependency(name: string, value: ConfigValue): ProviderDependency {
  const field = (key: string) => value.fields?.get(key)?.text ?? value.fields?.get(key)?.written ?? '';
  const source = field('source');
  return { name, namespace: namespaceOf(source), source, version: value.text ?? field('version') };
}

/** Of `namespace/type` and `host/namespace/type`. */
function namespaceOf(source: string): string {
  const parts = source.split('/');
  return parts.length < 2 ? DEFAULT_NAMESPACE : (parts.at(-2) ?? DEFAULT_NAMESPACE);
}
