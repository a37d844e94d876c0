/**
 * Who may import whom: ports ← core-* ← http, client ← server. Paths are those of the sources: tsconfig.tools.json maps every
 * package's name to its `src/index.ts`. Packages are named by pattern, so that a new one is ruled from its first line.
 * scripts/check/house-rules.mjs refuses a rule that is about no file.
 */
/** Tests and the helpers that only tests share. */
const TEST = '\\.test\\.ts$|^packages/[^/]+/test/';
const ADAPTER = '(?:storage|blobs|provider|crypto)-[^/]+|catalogue';

/** @param {string} names alternatives of npm package names @returns {string} their files, however they are installed */
const npm = (names) => `(^|/)node_modules/(${names})/`;

const AUTH = '^packages/core-auth/src/';
/** What every floor of core-auth stands on. */
const AUTH_BASE = '(error-codes|errors|refuse|call-provider|call|clock-skew|operation)\\.ts$';
/** The floors of core-auth, each a folder, lowest first; above them all the files that put the method together. */
const AUTH_FLOORS = [
  ...[
    'fields',
    'evidence',
    'store',
    'audit',
    'principals',
    'roles',
    'policies',
    'role-tags',
    'access-list',
    'tokens',
    'config',
    'login',
  ],
  'maintenance',
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...AUTH_FLOORS.map((floor, at) => ({
      name: `core-auth-${floor}-looks-down`,
      comment: `Floors of core-auth import only those before them: ${AUTH_FLOORS.join(', ')}.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `${AUTH}${floor}/`, pathNot: TEST },
      to: {
        path: AUTH,
        pathNot: [
          `${AUTH}(${AUTH_FLOORS.slice(0, at + 1).join('|')})/`,
          AUTH + AUTH_BASE,
          `${AUTH}(method-context|options)\\.ts$`,
        ],
      },
    })),
    {
      name: 'core-auth-floors-know-the-method-by-type',
      comment:
        'What the method is made from names the records of all floors: a floor takes its types, none of its values.',
      severity: 'error',
      from: { path: `${AUTH}(${AUTH_FLOORS.join('|')})/`, pathNot: TEST },
      to: { path: `${AUTH}(method-context|options)\\.ts$`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ports-import-nothing',
      comment: 'ports are interfaces and error contracts: an adapter pulls in nothing else.',
      severity: 'error',
      from: { path: '^packages/ports/src/', pathNot: TEST },
      to: { pathNot: '^packages/ports/src/' },
    },
    {
      name: 'kernel-imports-ports',
      comment: 'What the cores share rests on the ports alone.',
      severity: 'error',
      from: { path: '^packages/kernel/src/', pathNot: TEST },
      to: { pathNot: ['^packages/kernel/src/', '^packages/ports/src/index\\.ts$', npm('date-fns|lru-cache')] },
    },
    {
      name: 'cores-import-ports-and-parsers',
      comment:
        'core-* runs anywhere: ports, kernel, zod, date-fns, lru-cache, pkijs and asn1js, semver; no Node module, no SDK, no adapter, no other core.',
      severity: 'error',
      from: { path: '^packages/(core-[^/]+)/src/', pathNot: TEST },
      to: {
        pathNot: [
          '^packages/$1/src/',
          '^packages/(ports|kernel)/src/index\\.ts$',
          npm('zod|date-fns|lru-cache|pkijs|asn1js|semver'),
        ],
      },
    },
    {
      name: 'core-registry-parses-no-certificates',
      comment: 'core-registry imports ports, kernel, zod and semver only.',
      severity: 'error',
      from: { path: '^packages/core-registry/src/', pathNot: TEST },
      to: { path: npm('pkijs|asn1js') },
    },
    {
      name: 'versions-are-of-core-registry',
      comment: 'Of the cores, only core-registry compares versions.',
      severity: 'error',
      from: { path: '^packages/core-(?!registry/)[^/]+/src/', pathNot: TEST },
      to: { path: npm('semver') },
    },
    {
      name: 'date-fns-by-single-functions',
      comment: 'The barrel of date-fns costs 190 ms at start.',
      severity: 'error',
      from: { path: '^(packages|examples|bench|interop)/' },
      to: { path: '(^|/)node_modules/date-fns/index\\.' },
    },
    {
      name: 'adapters-import-ports-only',
      comment: 'An adapter is blind to the domain and to other adapters.',
      severity: 'error',
      from: { path: `^packages/(${ADAPTER})/src/`, pathNot: TEST },
      to: { path: '^packages/', pathNot: ['^packages/$1/src/', '^packages/(ports|kernel)/src/index\\.ts$'] },
    },
    {
      name: 'testkit-imports-ports-only',
      comment:
        'Contract suites speak to any implementation; a suite that knows a core or an adapter tests only that one.',
      severity: 'error',
      from: { path: '^packages/testkit/src/', pathNot: [TEST, '^packages/testkit/src/world\\.ts$'] },
      to: { path: '^packages/', pathNot: ['^packages/testkit/src/', '^packages/ports/src/index\\.ts$'] },
    },
    {
      name: 'test-world-by-its-subpath-only',
      comment: 'The test world needs core-auth and adapters: nothing else of the testkit may load it.',
      severity: 'error',
      from: { path: '^packages/testkit/src/', pathNot: TEST },
      to: { path: '^packages/testkit/src/world\\.ts$' },
    },
    {
      name: 'http-and-client-import-cores',
      comment:
        'http, client and registry-check stand beside each other above the cores; only the server puts adapters in.',
      severity: 'error',
      from: { path: '^packages/(http|client|registry-check)/src/', pathNot: TEST },
      to: {
        path: '^packages/',
        pathNot: [
          '^packages/$1/src/',
          '^packages/(?:(?:ports|kernel|core-[^/]+)/src/index|core-registry/src/notices)\\.ts$',
        ],
      },
    },
    {
      name: 'client-takes-types-of-cores',
      comment: 'A program that logs in loads no schemas and no certificates: of the cores it may know types only.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: TEST },
      to: { path: '^packages/core-[^/]+/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-loads-its-signer-late',
      comment: 'Most programs log in by instance and sign nothing: the signer comes with the first signature.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: TEST },
      to: { path: npm('@smithy/signature-v4'), dynamic: false },
    },
    {
      name: 'registry-check-reads-files-in-one-place',
      comment:
        'The check is a function of what it is given; the one file that opens files has the bound on their size.',
      severity: 'error',
      from: { path: '^packages/registry-check/src/', pathNot: [TEST, '/read-text-file\\.ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-commands-import-the-server',
      comment: 'The server is above everything but the sandbox and the command.',
      severity: 'error',
      from: { path: '^packages/(?!(server|sandbox|cli)/)', pathNot: TEST },
      to: { path: '^packages/(server|sandbox|cli)/' },
    },
    {
      name: 'testkit-only-in-tests-and-sandbox',
      comment: 'The simulated cloud must not reach production: only the sandbox runs it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [TEST, '^packages/testkit/', '^packages/sandbox/'] },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'the-command-loads-servers-late',
      comment: 'A login or a check loads neither the server nor the sandbox.',
      severity: 'error',
      from: { path: '^packages/cli/src/', pathNot: TEST },
      to: { path: '^packages/(server|sandbox)/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'packages-by-name-only',
      comment: 'Another package is what its exports name, never a file of it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/(?!$1/)', dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'packages-by-name-only-from-outside',
      comment: 'Benchmarks, examples and interop tests use what an embedder can use.',
      severity: 'error',
      from: { path: '^(bench|interop|examples)/' },
      to: { path: '^packages/', dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'What a package imports stands in its own package.json: it works after an installation by itself.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: TEST },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev', 'unknown', 'undetermined'] },
    },
    {
      name: 'no-unresolvable-import',
      comment:
        "Also catches a deep import that a package does not export. Not: a test's fixture, and jest's own globals.",
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(\\./cloud\\.json|@jest/globals)$' },
    },
    {
      name: 'no-cycle',
      comment: 'A cycle, of types too, makes two files one concept.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      comment: 'A file that nothing imports and that imports nothing is dead.',
      severity: 'error',
      from: { orphan: true, pathNot: ['/src/(index|cli|command)\\.ts$'] },
      to: {},
    },
    {
      name: 'internal-only-in-tests',
      comment: 'Helpers of our tests are not published.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: { path: '^internal/' },
    },
    {
      name: 'no-test-from-source',
      comment: 'Tests are not part of a package.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: { path: TEST },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tools.json' },
    doNotFollow: { path: ['(^|/)node_modules/', '/dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
