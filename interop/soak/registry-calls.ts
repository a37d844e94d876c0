/** Publications, lists, downloads, deprecations, removals and pages. The versions of a module stay as many as they are. */
import { createModuleArchive } from '@postern/testkit';
import type { Answer } from './client.js';
import { type Kind, type SoakContext, textAt } from './kind.js';

const MODULES = 10;
const VERSIONS = 10;
const READS = '/api/registry/v1/modules/acme';
const PAGE = '/registry';

interface Module {
  readonly name: string;
  /** Patch number of the next version. */
  next: number;
  readonly versions: number[];
}

export function registryKinds({ world, client, draw, peer }: SoakContext): readonly Kind[] {
  const authorization = `Bearer ${world.rootToken}`;
  const published = Array.from(
    { length: MODULES },
    (_, at): Module => ({ name: `module-${at}`, next: 0, versions: [] }),
  );
  let cookie = '';
  let visits = 0;

  const send = (path: string, method = 'GET', body?: string | Uint8Array, headers = {}) =>
    client.send({ path, method, peer: peer(), headers: { authorization, ...headers }, body });
  const anyModule = () => published[draw(MODULES)];
  const managed = (name: string, version: number) =>
    `/api/v2/organizations/acme/registry-modules/private/acme/${name}/aws/1.0.${version}`;
  function ofVersion(run: (name: string, version: number) => Promise<Answer>): Promise<Answer> | undefined {
    const module = anyModule();
    // Of the newer half: the oldest are removed meanwhile.
    const newer = module?.versions.slice(VERSIONS >> 1) ?? [];
    const version = newer[draw(newer.length)];
    return module && version !== undefined ? run(module.name, version) : undefined;
  }
  const patch = (path: string, deprecation: object) =>
    send(path, 'PATCH', JSON.stringify({ data: { type: 'module-versions', attributes: { deprecation } } }), {
      'content-type': 'application/vnd.api+json',
    });
  const kind = (name: string, weight: number, expected: readonly number[], run: Kind['run']): Kind => {
    return { name: `registry: ${name}`, weight, expected, run };
  };

  async function publish(): Promise<Answer> {
    const module = anyModule();
    if (module === undefined) throw new Error('no module');
    const version = module.next;
    module.next += 1;
    const text = `variable "cidr" {\n  default = "${module.name}/${version}"\n}\n`;
    const archive = createModuleArchive({
      'main.tf': text,
      'README.md': `# ${module.name}\n\n${'Text. '.repeat(200)}\n`,
    });
    const answer = await send(managed(module.name, version), 'PUT', archive, { 'content-type': 'application/gzip' });
    if (answer.status === 201) module.versions.push(version);
    return answer;
  }
  async function visit(path: string): Promise<Answer> {
    if (visits % 50 === 0) {
      const answer = await client.send({
        path: `${PAGE}/-/sign-in`,
        peer: peer(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.server.url },
        body: new URLSearchParams({ token: world.rootToken, next: PAGE }).toString(),
      });
      cookie = [answer.headers['set-cookie'] ?? []]
        .flat()
        .map((each) => each.split(';')[0])
        .join('; ');
      if (answer.status !== 303) return answer;
    }
    visits += 1;
    return client.send({ path, peer: peer(), headers: { cookie } });
  }
  return [
    kind('publish', 1, [201], publish),
    kind('delete', 1.4, [204], () => {
      const module = published.find(({ versions }) => versions.length > VERSIONS);
      const version = module?.versions.shift();
      return module && version !== undefined ? send(managed(module.name, version), 'DELETE') : undefined;
    }),
    kind('list versions', 3, [200, 404], () => send(`${READS}/${anyModule()?.name}/aws/versions`)),
    kind('deprecate', 2, [200], () =>
      ofVersion((name, version) =>
        patch(managed(name, version), { 'deprecated-status': 'Deprecated', reason: `Reason ${draw(1000)}.` }),
      ),
    ),
    // 409: it was not deprecated.
    kind('reinstate', 2, [200, 409], () =>
      ofVersion((name, version) => patch(managed(name, version), { 'deprecated-status': 'Undeprecated' })),
    ),
    kind('download', 2, [200], () =>
      ofVersion(async (name, version) => {
        const path = `${READS}/${name}/aws/1.0.${version}/download`;
        const answer = await send(path);
        const location = textAt(answer, 'location') ?? String(answer.headers['x-terraform-get']);
        const { pathname, search } = new URL(location, world.server.url + path);
        return client.send({ path: pathname + search, peer: peer() });
      }),
    ),
    kind('page: list', 1, [200], () => visit(PAGE)),
    kind('page: version', 1, [200], () =>
      ofVersion((name, version) => visit(`${PAGE}/acme/${name}/aws/1.0.${version}`)),
    ),
  ];
}
