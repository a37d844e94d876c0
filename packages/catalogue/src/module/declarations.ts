/**
 * What the files of one module folder declare, gathered from blocks whatever their syntax: native HCL (`.tf`) or JSON
 * (`.tf.json`). Overriding files (`override.tf`, `*_override.tf`) change what others declare, as the clients have it.
 */
import type { ModuleContents, ModuleInput, ModuleOutput } from '@postern/ports';
import { entryRefusal } from '../archive/refuse.js';
import type { ConfigBlock } from './config-block.js';
import { createProviders } from './providers.js';

export type Declared = Pick<
  ModuleContents,
  'inputs' | 'outputs' | 'dependencies' | 'providerDependencies' | 'resources'
>;

/**
 * Gathers the blocks of a module.
 *
 * @param overrides in the order of their files; each changes the attributes that it names.
 * @throws ModuleArchiveError `module_invalid` for a name that is declared twice, or a block without its name.
 */
export function gather(blocks: readonly ConfigBlock[], overrides: readonly ConfigBlock[]): Declared {
  const variables = new Map<string, ConfigBlock>();
  const outputs = new Map<string, ConfigBlock>();
  const calls = new Map<string, ConfigBlock>();
  const resources = new Map<string, ConfigBlock>();
  const providers = createProviders();

  const note = (block: ConfigBlock, isOverride: boolean) => {
    const known = { variable: variables, output: outputs, module: calls, resource: resources, data: undefined }[
      block.type
    ];
    const labels = expectLabels(block);
    if (block.type === 'terraform') providers.require(block, isOverride);
    if (block.type === 'resource' || block.type === 'data') providers.use(block, labels[0] ?? '');
    if (known === undefined) return;
    const name = labels.join('.');
    const other = known.get(name);
    if (other !== undefined && !isOverride) throw twice(block, name);
    // An override of nothing is an error to the clients; here it is a declaration, so that nothing is hidden.
    known.set(
      name,
      other === undefined ? block : { ...other, attributes: new Map([...other.attributes, ...block.attributes]) },
    );
  };
  for (const block of blocks) note(block, false);
  for (const block of overrides) note(block, true);

  return {
    inputs: [...variables].map(([name, block]) => toInput(name, block)),
    outputs: [...outputs].map(([name, block]) => toOutput(name, block)),
    dependencies: [...calls].flatMap(([name, block]) => {
      const source = textOf(block, 'source');
      // A call of its own submodule is no dependency on another module.
      return /^\.\.?(?:\/|$)/.test(source) ? [] : [{ name, source, version: textOf(block, 'version') }];
    }),
    providerDependencies: providers.all(),
    resources: [...resources.values()].map(({ labels: [type = '', name = ''] }) => ({ type, name })),
  };
}

function toInput(name: string, block: ConfigBlock): ModuleInput {
  const type = block.attributes.get('type');
  const given = block.attributes.get('default');
  return {
    name,
    // Before 0.12 a type was a string: "list".
    type: type === undefined ? '' : (type.text ?? type.written),
    description: textOf(block, 'description'),
    default: given === undefined ? undefined : (given.json ?? given.written),
    required: given === undefined,
    sensitive: isTrue(block, 'sensitive'),
  };
}

function toOutput(name: string, block: ConfigBlock): ModuleOutput {
  return { name, description: textOf(block, 'description'), sensitive: isTrue(block, 'sensitive') };
}

const textOf = (block: ConfigBlock, name: string): string => {
  const value = block.attributes.get(name);
  return value?.text ?? value?.written ?? '';
};

const isTrue = (block: ConfigBlock, name: string): boolean => block.attributes.get(name)?.json === 'true';

function expectLabels(block: ConfigBlock): readonly string[] {
  const expected = block.type === 'terraform' ? 0 : block.type === 'resource' || block.type === 'data' ? 2 : 1;
  if (block.labels.length === expected && !block.labels.includes('')) return block.labels;
  const message = `a "${block.type}" block has ${expected} ${expected === 1 ? 'name' : 'names'}`;
  throw entryRefusal('module_invalid', block.file, message, block.line);
}

function twice(block: ConfigBlock, name: string): Error {
  const message = `the ${block.type} "${name.slice(0, 100)}" is declared a second time: rename or remove one`;
  return entryRefusal('module_invalid', block.file, message, block.line);
}
