/** pnpm resolves the versions of workspace packages in any order; packed manifests list them sorted, so that tarballs are reproducible. */
const sorted = (members) => members && Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

module.exports = {
  hooks: {
    beforePacking: (manifest) => ({
      ...manifest,
      ...Object.fromEntries(
        ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
          .filter((kind) => manifest[kind] !== undefined)
          .map((kind) => [kind, sorted(manifest[kind])]),
      ),
    }),
  },
};
