/** The API reference: one page an entry point, from the sources of every published package, into docs/api. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { publishedPackages, root } from '../scripts/lib/workspace.mjs';

const folder = fileURLToPath(new URL('./api', import.meta.url));

export async function writeApiReference() {
  const entries = publishedPackages().flatMap((each) => each.entries.filter(({ specifier }) => specifier !== ''));
  const app = await Application.bootstrapWithPlugins({
    name: 'API',
    plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'],
    entryPoints: entries.map(({ source }) => join(root, source)),
    tsconfig: join(root, 'docs/tsconfig.json'),
    // `npm run check` has its own step for types.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    readme: 'none',
    groupOrder: ['Functions', 'Interfaces', 'Type Aliases', 'Classes', 'Variables'],
    logLevel: 'Warn',
    // Options of the plugins, which the types of TypeDoc do not know.
    ...{
      out: folder,
      docsRoot: fileURLToPath(new URL('.', import.meta.url)),
      router: 'module',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeDeclarationFormat: 'table',
    },
  });

  const project = await app.convert();
  if (project === undefined) throw new Error('the API reference could not be made: see the messages above');
  /** @type {string[]} */
  const documented = [];
  for (const module of project.children ?? []) {
    const source = module.sources?.[0]?.fullFileName;
    const entry = entries.find((each) => join(root, each.source) === source);
    if (entry === undefined) throw new Error(`${module.name} is not an entry point of a package`);
    module.name = entry.specifier;
    documented.push(entry.specifier);
  }
  // Paths and line numbers of the sources say nothing to users.
  for (const reflection of Object.values(project.reflections)) {
    if (reflection.isDeclaration() || reflection.isSignature()) delete reflection.sources;
  }
  await app.generateOutputs(project);
  writeFileSync(join(folder, 'index.md'), overview(documented.sort()));
}

/** @param {string[]} specifiers */
function overview(specifiers) {
  const descriptions = new Map(publishedPackages().map(({ manifest }) => [manifest.name, manifest.description]));
  const rows = specifiers.map((each) => `| [\`${each}\`](./${each}.md) | ${descriptions.get(each) ?? ''} |`);
  return ['# API', '', 'Made from the sources of this version.', '', '| import | |', '|---|---|', ...rows, ''].join(
    '\n',
  );
}
