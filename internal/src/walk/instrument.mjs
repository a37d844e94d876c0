/**
 * Module hooks that run the packages from their sources, with a mark at the entry of every function: which file it is in.
 * TypeScript is translated file by file; `@postern/x` is `packages/x/src/index.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = new URL('../../../', import.meta.url);
const packages = new URL('packages/', root);

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  const [, name, subpath = 'index'] = /^@postern\/([\w-]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name !== undefined) {
    const file = sourceOf(name, subpath);
    return { url: file.href, format: 'module', shortCircuit: true };
  }
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

/**
 * The source of a package's entry: its name is that of a file, of a file in `entries`, or of a folder's index.
 *
 * @param {string} name
 * @param {string} subpath
 */
function sourceOf(name, subpath) {
  for (const path of [`${subpath}.ts`, `entries/${subpath}.ts`, `${subpath}/index.ts`]) {
    const url = new URL(`${name}/src/${path}`, packages);
    if (existsSync(url)) return url;
  }
  throw new Error(`packages/${name} has no source for the entry ${subpath}`);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
  const fileName = fileURLToPath(url);
  const isCounted = url.startsWith(packages.href);
  const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), {
    fileName,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
    ...(isCounted ? { transformers: { before: [markEntries(url.slice(packages.href.length))] } } : {}),
  });
  return { format: 'module', source: outputText, shortCircuit: true };
}

/**
 * @param {string} file
 * @returns {import('typescript').TransformerFactory<import('typescript').SourceFile>}
 */
function markEntries(file) {
  const { factory } = ts;
  const mark = () =>
    factory.createCallExpression(factory.createIdentifier('__postern_walk'), undefined, [
      factory.createStringLiteral(file),
    ]);
  return (context) => {
    /** @param {import('typescript').Node} node @returns {import('typescript').Node} */
    const visit = (node) => {
      const visited = ts.visitEachChild(node, visit, context);
      if (ts.isArrowFunction(visited) && !ts.isBlock(visited.body)) {
        const body = factory.createParenthesizedExpression(
          factory.createComma(mark(), factory.createParenthesizedExpression(visited.body)),
        );
        return factory.updateArrowFunction(
          visited,
          ...[visited.modifiers, visited.typeParameters, visited.parameters, visited.type],
          ...[visited.equalsGreaterThanToken, body],
        );
      }
      // The body of every other kind of function is a block that no other node has as its parent.
      if (ts.isBlock(visited) && ts.isFunctionLike(node.parent)) {
        return factory.updateBlock(visited, [factory.createExpressionStatement(mark()), ...visited.statements]);
      }
      return visited;
    };
    return (source) => ts.visitEachChild(source, visit, context);
  };
}
