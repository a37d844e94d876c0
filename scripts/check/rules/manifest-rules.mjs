/** House rules about each package's package.json and tsconfig.json, as pure functions: values in, complaints out. */

/** @typedef {import('../../lib/workspace.mjs').Manifest & Record<string, unknown>} Manifest */

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const WORKSPACE = 'workspace:*';

/** What an adapter may depend on beside the ports, where that is more than one client library. */
const CLIENT_LIBRARIES = {
  '@postern/provider-aws': ['@aws-sdk', 'undici'],
};

/**
 * Exact versions everywhere: what was tested is what is installed. Peers are the host's, and stay ranges.
 *
 * @param {string} path @param {Manifest} manifest @returns {string[]}
 */
export function pinning(path, manifest) {
  return [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]
    .flatMap((group) => Object.entries(group ?? {}))
    .filter(([name, version]) => (name.startsWith('@postern/') ? version !== WORKSPACE : !EXACT.test(version)))
    .map(([name, version]) => `${path}: ${name} is ${version}, not one exact version`);
}

/**
 * What every published package says of itself, in the same way.
 *
 * @param {string} path @param {Manifest} manifest @param {string} version of the workspace's packages
 * @returns {string[]}
 */
export function packaging(path, manifest, version) {
  /** @type {[boolean, string][]} */
  const conditions = [
    [manifest.version === version, `version is not ${version}, which the other packages have`],
    [manifest['license'] === 'Apache-2.0', 'license is not Apache-2.0'],
    [manifest['type'] === 'module', 'type is not module'],
    [manifest['sideEffects'] === false, 'sideEffects is not false'],
    [JSON.stringify(manifest['engines']) === '{"node":">=20.19"}', 'engines is not node >=20.19'],
    [JSON.stringify(manifest['publishConfig']) === '{"access":"public"}', 'publishConfig is not public'],
    [manifest['repository'] === undefined, 'repository must be left out'],
    [typeof manifest['description'] === 'string' && manifest['description'] !== '', 'description is missing'],
    [Array.isArray(manifest['keywords']) && manifest['keywords'].length > 0, 'keywords are missing'],
    [Array.isArray(manifest['files']) && manifest['files'][0] === 'dist', 'files does not begin with dist'],
    [(manifest.exports?.['.'] ?? manifest.bin) !== undefined, 'exports names no entry "."'],
  ];
  const failed = conditions.filter(([holds]) => !holds).map(([, complaint]) => `${path}: ${complaint}`);
  for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
    const stem = /^\.\/dist\/(.+)\.js$/.exec(target.default)?.[1];
    const sound = stem !== undefined && target.types === `./dist/${stem}.d.ts` && Object.keys(target)[0] === 'types';
    if (!sound) failed.push(`${path}: exports "${subpath}" is not { types, default } of one dist file`);
  }
  return failed;
}

/**
 * An adapter has the ports and one client library: one package, or the packages of one scope.
 *
 * @param {string} path @param {Manifest} manifest @returns {string[]}
 */
export function oneClientLibrary(path, manifest) {
  if (!/^@postern\/(storage|provider|crypto)-/.test(manifest.name)) return [];
  const owners = new Set(
    Object.keys(manifest.dependencies ?? {})
      .filter((name) => name !== '@postern/ports')
      .map((name) => (name.startsWith('@') && !name.startsWith('@postern/') ? (name.split('/')[0] ?? name) : name)),
  );
  const allowed = new Map(Object.entries(CLIENT_LIBRARIES)).get(manifest.name);
  const sound = allowed === undefined ? owners.size <= 1 : [...owners].every((owner) => allowed.includes(owner));
  return sound ? [] : [`${path}: an adapter depends on ports and one client library, not on ${[...owners].join(', ')}`];
}

/**
 * `tsc -b` builds what a package's tsconfig.json references: the same packages as its dependencies.
 *
 * @param {string} path of the tsconfig.json
 * @param {Manifest} manifest
 * @param {{ references?: { path: string }[] }} tsconfig
 * @returns {string[]}
 */
export function references(path, manifest, tsconfig) {
  const wanted = Object.keys(manifest.dependencies ?? {})
    .filter((name) => name.startsWith('@postern/'))
    .map((name) => name.replace('@postern/', path.startsWith('packages/') ? '../' : '../packages/'));
  const named = (tsconfig.references ?? []).map((reference) => reference.path);
  return [
    ...wanted
      .filter((each) => !named.includes(each))
      .map((each) => `${path}: the dependency ${each} is not referenced`),
    ...named.filter((each) => !wanted.includes(each)).map((each) => `${path}: the reference ${each} is no dependency`),
  ];
}

/**
 * What a source imports of the workspace stands in its package.json; the import rules see it by its path, not by its name.
 *
 * @param {string} path of the source @param {string} text @param {Manifest} manifest @returns {string[]}
 */
export function declaredImports(path, text, manifest) {
  const test = path.endsWith('.test.ts') || !path.includes('/src/');
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...(test ? Object.keys(manifest.devDependencies ?? {}) : []),
  ]);
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(@postern\/[^/']+)/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !declared.has(name))
    .map((name) => `${path}: ${name} is imported but not declared in its package.json`);
}

/**
 * docs/dependencies.md says of every dependency why it is here and what would replace it, and of nothing that is gone; of those
 * that are published with a package (rows of five cells) also, by its folder's name, which packages those are.
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
  const users = new Map(
    [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \|(?:[^|\n]+\|){3}$/gm)].map((row) => [row[1], row[2]]),
  );
  return [
    ...[...used].flatMap((name) => {
      const actual = manifests
        .filter((each) => each.private !== true && each.dependencies?.[name] !== undefined)
        .map((each) => each.name.replace('@postern/', ''))
        .sort()
        .join(', ');
      return actual === (users.get(name) ?? '')
        ? []
        : [`${path}: ${name} is used at run time by ${actual || 'nobody'}`];
    }),
    ...[...used].filter((name) => !rows.has(name)).map((name) => `${path}: ${name} has no row`),
    ...[...rows].filter((name) => !used.has(name)).map((name) => `${path}: ${name} is no dependency any longer`),
  ];
}
