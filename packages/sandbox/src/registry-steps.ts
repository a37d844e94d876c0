/** The last part of the tour: a module's versions are published, deprecated, warned of and reinstated. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@postern/ports';
import { checkModules, readInstalledModules, reportText, verdictOf } from '@postern/registry-check';
import { createModuleArchive, type FakeCloud } from '@postern/testkit';
import * as z from 'zod';
import { callRegistry } from './registry-call.js';
import { IMAGE_ID, MOUNT, type Step } from './steps.js';
import { type Caller, grantOf, type Tour, TourFailure } from './tour.js';

export const MODULE = 'acme/network/aws';
export const MANAGE = '/api/v2/organizations/acme/registry-modules/private/acme/network/aws';
export const READ = `/api/registry/v1/modules/${MODULE}`;
/** As modules name the registry in their sources: a name, because variables of the environment cannot name a port. */
export const HOST = 'modules.sandbox';
export const WORKSPACE = 'workspace';
export const POLICIES = { 'acme-modules': { 'registry/acme': ['read'] } } as const;

const VERSIONS = ['1.0.0', '1.1.0', '1.2.0'];
export const BAD = '1.1.0';
const REASON = 'Security groups are open to the world by default.';
const LINK = 'https://acme.example/advisories/2026-11';
const READER_ROLE = 'modules';

const deprecationSchema = z.object({ reason: z.string().nullable(), link: z.string().nullable() }).nullable();
const listSchema = z.object({
  modules: z.array(z.object({ versions: z.array(z.object({ version: z.string(), deprecation: deprecationSchema })) })),
});
const versionSchema = z.object({ deprecation: deprecationSchema });

/**
 * The steps in their order.
 *
 * @param folder where a made-up working directory is written.
 * @param pagePath where the registry's page hangs.
 */
export function registrySteps(cloud: FakeCloud, admin: Caller, folder: string, pagePath: string): readonly Step[] {
  const instance = cloud.launchInstance({ imageId: IMAGE_ID });
  const workspace = join(folder, WORKSPACE);
  let token = '';
  const reader = (): Caller => ({ name: `instance ${instance.instanceId}`, token });

  const patch = (tour: Tour, by: Caller, attributes: object, status: number) =>
    callRegistry(tour, {
      method: 'PATCH',
      path: `${MANAGE}/${BAD}`,
      by,
      body: { document: { data: { type: 'module-versions', attributes } } },
      status,
    });

  /** What both reads say of the bad version: they must agree. */
  async function readBack(tour: Tour): Promise<z.infer<typeof deprecationSchema>> {
    const versions = await readVersions(tour, reader());
    const listed = versions.find(({ version }) => version === BAD)?.deprecation;
    const single = await callRegistry(tour, { method: 'GET', path: `${READ}/${BAD}`, by: reader(), status: 200 });
    const { deprecation } = versionSchema.parse(JSON.parse(single));
    if (JSON.stringify(listed) !== JSON.stringify(deprecation)) throw new TourFailure('the two reads should agree');
    tour.pages.say(`deprecation: ${JSON.stringify(deprecation)}`);
    return deprecation;
  }

  /** The run's warning, as `postern registry check` prints it. */
  async function runWarning(tour: Tour): Promise<string> {
    const check = await checkModules({
      installed: await readInstalledModules(workspace),
      fetch: (url, init) => fetch(url, init),
      tokens: () => token,
      clock: systemClock,
      locations: new Map([[HOST, { discoveryUrl: `${tour.url}/.well-known/terraform.json` }]]),
    });
    const { out, problems } = reportText(check, verdictOf(check), { colour: tour.pages.colour });
    if (problems !== '') throw new TourFailure(`nothing should be unknown: ${problems}`);
    tour.pages.plain(out.trimEnd().replaceAll(/^/gm, '      '));
    return out;
  }

  return [
    {
      title: 'Registry: an operator publishes three versions of a module',
      async run(tour) {
        await removeLeftovers(tour.url, admin);
        for (const version of VERSIONS) {
          const archive = archiveOf(version);
          const shown = `<${archive.length} bytes of .tar.gz>`;
          const path = `${MANAGE}/${version}`;
          await callRegistry(tour, { method: 'PUT', path, by: admin, body: { archive, shown }, status: 201 });
        }
        tour.pages.good('inspected, stored and published');
      },
    },
    {
      title: 'An instance reads them with its login token',
      async run(tour) {
        tour.pages.say('A policy of its role grants read on registry/acme.');
        const role = { auth_type: 'ec2', bound_ami_id: [IMAGE_ID], token_policies: ['acme-modules'] };
        const path = `${MOUNT}/role/${READER_ROLE}`;
        await tour.call({ method: 'POST', path, by: admin, body: role, status: 204 });
        const pkcs7 = instance.identityDocument().rsa2048.replaceAll('\n', '');
        const body = { role: READER_ROLE, pkcs7 };
        token = grantOf(
          await tour.call({ method: 'POST', path: `${MOUNT}/login`, by: reader(), body, status: 200 }),
        ).client_token;
        const versions = (await readVersions(tour, reader())).map(({ version }) => version);
        if ([...versions].sort().join() !== VERSIONS.join())
          throw new TourFailure(`there should be ${VERSIONS.join()}`);
        tour.pages.good(`it sees ${versions.join(', ')}`);
        await patch(tour, reader(), { deprecation: { 'deprecated-status': 'Deprecated' } }, 404);
        tour.pages.good('and cannot change them: without the right it gets the 404 of a missing version');
      },
    },
    {
      title: 'The operator deprecates a version',
      async run(tour) {
        tour.pages.say('With a reason, a link and a replacement.');
        const attributes = {
          deprecation: { 'deprecated-status': 'Deprecated', reason: REASON, link: LINK },
          'deprecation-details': { 'reason-class': 'security', replacement: { version: '~> 1.2' } },
        };
        await patch(tour, admin, attributes, 200);
        tour.pages.good('it can still be installed; its users are warned');
      },
    },
    {
      title: 'API reads show the deprecation, in the list and for the version',
      async run(tour) {
        const deprecation = await readBack(tour);
        if (deprecation?.reason !== REASON || deprecation.link !== LINK) throw new TourFailure('it should say why');
        tour.pages.good('reason and link');
      },
    },
    {
      title: 'The web page shows it',
      async run(tour) {
        const path = `${pagePath}/${MODULE}/${BAD}`;
        const page = await callRegistry(tour, { method: 'GET', path, by: reader(), status: 200 });
        if (!page.includes(REASON)) throw new TourFailure('the page should give the reason');
        tour.pages.good(`look at it: ${tour.url}${pagePath}`);
        tour.pages.say(
          "It asks for a token. The administrator's, which is printed after the tour, may change things, too.",
        );
      },
    },
    {
      title: 'Warning in a run: postern registry check',
      async run(tour) {
        writeWorkspace(workspace);
        tour.pages.say(`A working directory with two versions of the module: ${workspace}`);
        const out = await runWarning(tour);
        if (!out.includes(REASON)) throw new TourFailure('the warning should give the reason');
        tour.pages.good('with --fail-on=deprecated it fails the pipeline');
      },
    },
    {
      title: 'The operator reinstates the version',
      async run(tour) {
        await patch(tour, admin, { deprecation: { 'deprecated-status': 'Undeprecated' } }, 200);
        if ((await readBack(tour)) !== null) throw new TourFailure('the deprecation should be gone');
        if ((await runWarning(tour)).includes(REASON)) throw new TourFailure('the warning should be gone');
        tour.pages.good('the warnings are gone; the history keeps both transitions');
      },
    },
  ];
}

async function readVersions(tour: Tour, by: Caller) {
  const text = await callRegistry(tour, { method: 'GET', path: `${READ}/versions`, by, status: 200 });
  return listSchema.parse(JSON.parse(text)).modules.flatMap(({ versions }) => versions);
}

/** A sandbox of before may have published to the same folder, and another release of it other bytes. */
async function removeLeftovers(url: string, { token = '' }: Caller): Promise<void> {
  for (const version of VERSIONS) {
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${url}${MANAGE}/${version}`, { method: 'DELETE', headers });
    if (status !== 204 && status !== 404) throw new TourFailure(`clearing away should answer 204, it is ${status}`);
  }
}

function archiveOf(version: string): Uint8Array {
  return createModuleArchive({
    'main.tf': `# Version ${version}.\nresource "aws_vpc" "this" {\n  cidr_block = var.cidr\n}\n`,
    'variables.tf': 'variable "cidr" {\n  type        = string\n  description = "Addresses of the network."\n}\n',
    'outputs.tf': 'output "vpc_id" {\n  value       = aws_vpc.this.id\n  description = "The network."\n}\n',
    'README.md': '# Network\n\nA network of its own for each environment.\n',
  });
}

/** What `init` leaves behind, made up. */
function writeWorkspace(workspace: string): void {
  const folder = join(workspace, '.terraform', 'modules');
  mkdirSync(folder, { recursive: true });
  const used = (key: string, version: string) => {
    return { Key: key, Source: `${HOST}/${MODULE}`, Version: version, Dir: `.terraform/modules/${key}` };
  };
  const manifest = { Modules: [{ Key: '', Source: '', Dir: '.' }, used('network', BAD), used('edge', '1.2.0')] };
  writeFileSync(join(folder, 'modules.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
