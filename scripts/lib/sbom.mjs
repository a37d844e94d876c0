/** A bill of materials (CycloneDX 1.6, JSON) of each published package: what an install of it brings, with licences and digests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Enums, Models, Serialize, Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { pnpm } from './child.mjs';
import { root } from './workspace.mjs';

/**
 * @typedef {object} Listed what `pnpm list --json` prints of a package
 * @property {string} [from]
 * @property {string} [name]
 * @property {string} version
 * @property {string} path
 * @property {boolean} [deduped] its dependencies stand elsewhere in the tree
 * @property {Record<string, Listed>} [dependencies]
 * @property {Record<string, Listed>} [optionalDependencies]
 *
 * @typedef {object} Component
 * @property {string} name
 * @property {string} version
 * @property {string} license SPDX
 * @property {string | undefined} integrity of the registry's tarball, `sha512-…`; undefined for packages of this repository
 * @property {Set<string>} dependencies ids
 *
 * @typedef {Map<string, Component>} Closure by id, `name@version`; the package itself comes first
 */

/** @param {readonly string[]} names of packages of this repository @returns {Promise<Map<string, Closure>>} by name, in their order */
export async function closuresOf(names) {
  const filters = names.flatMap((name) => ['--filter', name]);
  const { code, output } = await pnpm([...filters, 'list', '--prod', '--depth', 'Infinity', '--json']);
  const start = output.indexOf('[\n');
  if (code !== 0 || start < 0) throw new Error(`pnpm list: ${output}`);
  /** @type {Listed[]} */
  const listed = JSON.parse(output.slice(start));
  const graph = graphOf(listed, readIntegrities());
  /** @param {string} name */
  const closureOf = (name) => {
    const top = listed.find((each) => each.name === name);
    if (top === undefined) throw new Error(`pnpm list: ${name} is not listed`);
    /** @type {Closure} */
    const closure = new Map();
    /** @param {string} id */
    const visit = (id) => {
      const component = graph.get(id);
      if (component === undefined || closure.has(id)) return;
      closure.set(id, component);
      for (const dependency of component.dependencies) visit(dependency);
    };
    visit(`${name}@${top.version}`);
    return closure;
  };
  return new Map(names.map((name) => [name, closureOf(name)]));
}

/**
 * All trees as one graph: what is `deduped` in one place has its dependencies in another.
 *
 * @param {Listed[]} trees
 * @param {Map<string, string>} integrities
 */
function graphOf(trees, integrities) {
  /** @type {Closure} */
  const graph = new Map();
  /** @param {Listed} listed @returns {string} its id */
  const visit = (listed) => {
    const manifest = JSON.parse(readFileSync(join(listed.path, 'package.json'), 'utf8'));
    const id = `${manifest.name}@${manifest.version}`;
    const known = graph.get(id) ?? {
      name: manifest.name,
      version: manifest.version,
      license: manifest.license ?? 'NONE',
      integrity: integrities.get(id),
      dependencies: new Set(),
    };
    graph.set(id, known);
    for (const each of Object.values({ ...listed.dependencies, ...listed.optionalDependencies })) {
      known.dependencies.add(visit(each));
    }
    return id;
  };
  for (const tree of trees) visit(tree);
  return graph;
}

/** The lockfile holds a digest of each tarball. @returns {Map<string, string>} by `name@version` */
function readIntegrities() {
  const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  const entry = /^ {2}'?(@?[^@'\s]+@[^:'(\s]+)'?:\n {4}resolution: \{integrity: (sha512-[\w+/=]+)/gm;
  return new Map([...lock.matchAll(entry)].map(([, id = '', integrity = '']) => [id, integrity]));
}

/**
 * The same text for the same lockfile: neither time nor serial number.
 *
 * @param {Closure} closure
 * @returns {string}
 */
export function toCycloneDx(closure) {
  const ids = [...closure.keys()];
  const components = new Map([...closure].map(([id, component]) => [id, toComponent(id, component)]));
  const bom = new Models.Bom();
  const [top] = ids;
  const main = components.get(top ?? '');
  if (main !== undefined) bom.metadata.component = main;
  for (const id of ids) {
    const component = components.get(id);
    if (component === undefined) continue;
    for (const dependency of closure.get(id)?.dependencies ?? []) {
      const found = components.get(dependency);
      if (found !== undefined) component.dependencies.add(found.bomRef);
    }
    if (id !== top) bom.components.add(component);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** @param {string} id @param {Component} component */
function toComponent(id, { name, version, license, integrity }) {
  const [group, plain] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const component = new Models.Component(Enums.ComponentType.Library, plain ?? name, {
    bomRef: id,
    ...(group === undefined ? {} : { group }),
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  });
  component.licenses.add(new Models.SpdxLicense(license));
  if (integrity !== undefined) {
    const digest = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], digest);
  }
  return component;
}

/** @param {string} text @returns {Promise<string | undefined>} what is wrong with it as CycloneDX 1.6 */
export async function cycloneDxProblem(text) {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  const problem = await validator.validate(text);
  return problem === null ? undefined : JSON.stringify(problem).slice(0, 2_000);
}
