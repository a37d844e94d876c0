/** What a folder of a module declares, as tables: inputs, outputs, what it builds on. All of it is untrusted text. */
import type { ModuleContents, ModuleDependency, ModuleInput, ProviderDependency } from '@postern/ports';
import { type Column, dataTable, excerpt, type Html, html } from '../html.js';

/** Of one cell. */
const MAX_CELL_CHARACTERS = 1000;

/** A part of a version's page. Empty parts are left out. */
export interface Part {
  /** Of its heading, for links within the page. */
  readonly id: string;
  readonly title: string;
  readonly count: number;
  readonly body: Html;
}

export function contentsParts({
  inputs,
  outputs,
  providerDependencies,
  dependencies,
  resources,
}: ModuleContents): readonly Part[] {
  // Who uses a module must know first what it asks for.
  const ordered = [...inputs.filter(({ required }) => required), ...inputs.filter(({ required }) => !required)];
  return [
    part('inputs', 'Inputs', INPUT_COLUMNS, ordered, inputRow),
    part('outputs', 'Outputs', [{ title: 'Name' }, { title: 'Description', width: 'wide' }], outputs, (output) => [
      code(output.name),
      html`${text(output.description)}${output.sensitive && html` <span class="badge plain">Sensitive</span>`}`,
    ]),
    part(
      'providers',
      'Providers',
      [{ title: 'Name' }, { title: 'Source' }, { title: 'Version' }],
      providerDependencies,
      providerRow,
    ),
    part(
      'dependencies',
      'Dependencies',
      [{ title: 'Name' }, { title: 'Source' }, { title: 'Version' }],
      dependencies,
      dependencyRow,
    ),
    part('resources', 'Resources', [{ title: 'Type' }, { title: 'Name' }], resources, ({ type, name }) => [
      code(type),
      code(name),
    ]),
  ].filter(({ count }) => count > 0);
}

export function submodulesPart(submodules: readonly ModuleContents[]): Part {
  const columns: readonly Column[] = [
    { title: 'Path' },
    { title: 'Inputs' },
    { title: 'Outputs' },
    { title: 'Resources' },
  ];
  return part('submodules', 'Submodules', columns, submodules, (each) => [
    code(each.path),
    each.inputs.length,
    each.outputs.length,
    each.resources.length,
  ]);
}

function part<T>(
  id: string,
  title: string,
  columns: readonly Column[],
  items: readonly T[],
  row: Parameters<typeof dataTable<T>>[3],
): Part {
  return { id, title, count: items.length, body: dataTable(id, columns, items, row) };
}

const INPUT_COLUMNS: readonly Column[] = [
  { title: 'Name' },
  { title: 'Type' },
  { title: 'Description', width: 'wide' },
  { title: 'Default' },
];

function inputRow({ name, type, description, default: value, required, sensitive }: ModuleInput) {
  return [
    html`${code(name)}${sensitive && html` <span class="badge plain">Sensitive</span>`}`,
    type !== '' && code(type),
    text(description),
    required ? html`<strong>Required</strong>` : value !== undefined && code(value),
  ];
}

const providerRow = ({ name, source, version }: ProviderDependency) => [code(name), code(source), code(version)];
const dependencyRow = ({ name, source, version }: ModuleDependency) => [code(name), code(source), code(version)];

function code(value: string): Html | false {
  return value !== '' && html`<code>${excerpt(value, MAX_CELL_CHARACTERS)}</code>`;
}

function text(value: string): Html | false {
  return value !== '' && html`<span class="keep" dir="auto">${excerpt(value, MAX_CELL_CHARACTERS)}</span>`;
}
