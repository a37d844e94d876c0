/** House rules about each package's package.json and tsconfig.json: values in, complaints out. */

/** @typedef {import('../../lib/workspace.mjs').Manifest & Record<string, unknown>} Manifest */

/** Another name for a package, before its version. */
const ALIAS = /^npm:(?:@[\w.-]+\/)?[\w.-]+@/;
const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/**
 * What a published package needs at run time is a caret range, so that an application gets one copy and its security fixes;
 * the lockfile says what was tested. All else is exact. Peers are the host's.
 *
 * @param {string} path @param {Manifest} manifest @returns {string[]}
 */
export function pinning(path, manifest) {
  const caret = manifest.private === true ? '' : '^';
  /** @param {Record<string, string> | undefined} group @param {string} prefix */
  const wrong = (group, prefix) =>
    Object.entries(group ?? {})
      .filter(([name, version]) =>
        name.startsWith('@postern/')
          ? version !== `workspace:${prefix || '*'}`
          : !version.startsWith(prefix) || !EXACT.test(version.slice(prefix.length).replace(ALIAS, '')),
      )
      .map(
        ([name, version]) => `${path}: ${name} is ${version}, not ${prefix === '' ? 'one exact version' : '^version'}`,
      );
  return [
    ...wrong(manifest.dependencies, caret),
    ...wrong(manifest.optionalDependencies, caret),
    ...wrong(manifest.devDependencies, ''),
  ];
}

/**
 * What every published package says of itself, in the same way. publint and attw judge the rest.
 *
 * @param {string} path @param {Manifest} manifest @param {string} version of the workspace's packages
 * @returns {string[]}
 */
export function packaging(path, manifest, version) {
  const common = {
    version,
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    publishConfig: { access: 'public' },
  };
  const complaints = Object.entries(common)
    .filter(([field, value]) => JSON.stringify(manifest[field]) !== JSON.stringify(value))
    .map(([field, value]) => `${path}: ${field} is not ${JSON.stringify(value)}`);
  for (const field of ['description', 'keywords'])
    if (!Reflect.get(Object(manifest[field]), 'length')) complaints.push(`${path}: ${field} is missing`);
  return complaints;
}

/**
 * `tsc -b` builds what a package's tsconfig.json references: the same packages as its dependencies and
 * peers.
 *
 * @param {string} path of the tsconfig.json
 * @param {Manifest} manifest
 * @param {{ references?: { path: string }[] }} tsconfig
 * @returns {string[]}
 */
export function references(path, manifest, tsconfig) {
  const wanted = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter((name) => name.startsWith('@postern/'))
    .map((name) => name.replace('@postern/', path.startsWith('packages/') ? '../' : '../packages/'));
  const named = new Set((tsconfig.references ?? []).map((reference) => reference.path));
  const same = named.size === wanted.length && wanted.every((each) => named.has(each));
  return same ? [] : [`${path}: references ${[...named].join(', ')}, but depends on ${wanted.join(', ')}`];
}

/**
 * What a source imports of the workspace stands in its package.json; the import rules see it by its path, not by its name.
 *
 * @param {string} path of the source @param {string} text @param {Manifest} manifest @returns {string[]}
 */
export function declaredImports(path, text, manifest) {
  const isTest = path.endsWith('.test.ts') || !path.includes('/src/');
  const declared = new Set([
    manifest.name,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    ...(isTest ? Object.keys(manifest.devDependencies ?? {}) : []),
  ]);
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(@postern\/[^/']+)/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !declared.has(name))
    .map((name) => `${path}: ${name} is imported but not declared in its package.json`);
}

/**
 * docs/dependencies.md says of every dependency why it is here, and of nothing that is gone.
 *
 * @param {string} path of the document
 * @param {string} text
 * @param {readonly Manifest[]} manifests of the whole workspace
 * @returns {string[]}
 */
export function documentedDependencies(path, text, manifests) {
  const used = new Set(
    manifests
      .flatMap((each) => [each.dependencies, each.devDependencies, each.peerDependencies, each.optionalDependencies])
      .flatMap((group) => Object.keys(group ?? {}))
      .filter((name) => !name.startsWith('@postern/')),
  );
  const rows = new Set([...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? ''));
  return [
    ...[...used].filter((name) => !rows.has(name)).map((name) => `${path}: ${name} has no row`),
    ...[...rows].filter((name) => !used.has(name)).map((name) => `${path}: ${name} is not a dependency any more`),
  ];
}
