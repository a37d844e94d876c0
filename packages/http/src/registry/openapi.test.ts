/** The registry in the OpenAPI document: valid, whole, and true of what is answered. */
import { OPERATIONS, type OperationId } from '@postern/core-registry';
import { createHttpApp, createUrlSigner } from '@postern/http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createFakeMethod } from '../../test/fake-method.js';
import { createMemoryPublisher } from '../../test/registry/memory-publisher.js';
import {
  DEPRECATE,
  MANAGED,
  MODULES,
  openRegistrySite,
  READ,
  REVERT,
  REVOKE,
  UNREVOKE,
} from '../../test/registry/registry-site.js';
import { endpoints } from './endpoints.js';

const urlSigner = createUrlSigner([new Uint8Array(32)]);

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes, looked into by name
async function documentOf(withRegistry: boolean): Promise<any> {
  const { registry } = openRegistrySite();
  const app = createHttpApp<undefined>({
    method: createFakeMethod(),
    peerAddress: () => undefined,
    health: () => ({ storageReachable: true, version: '0', serverTime: 0 }),
    ...(withRegistry ? { registry: { registry, urlSigner } } : {}),
  });
  return (await app.fetch(new Request('http://postern.test/v1/sys/openapi.json'), undefined)).json();
}

const templateOf = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

describe('the document', () => {
  it('is valid, and has the registry only where it is served', async () => {
    const { valid, errors } = await new Validator().validate(await documentOf(true));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(JSON.stringify(await documentOf(false))).not.toContain('/api/');
  });

  it('has every endpoint, each by its own id', async () => {
    const { paths } = await documentOf(true);
    const described = Object.entries(paths as Record<string, Record<string, { operationId: string }>>)
      .filter(([path]) => path.startsWith('/api/') || path.startsWith('/.well-known/'))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
      );
    expect(described.sort()).toEqual(
      endpoints()
        .map(({ name, method, path }) => `${name} ${method.toLowerCase()} ${templateOf(path)}`)
        .sort(),
    );
  });

  it('has an endpoint for every operation of the catalogue', () => {
    const served = new Set(endpoints().map(({ operation }) => operation));
    const missing = Object.keys(OPERATIONS).filter((id) => !served.has(id as OperationId));
    // Three share the path of the first command: the body names them. Access is for the page, in the same process.
    expect(missing).toEqual([
      'registry.version.reinstate',
      'registry.version.revoke',
      'registry.version.unrevoke',
      'registry.access',
    ]);
  });

  it('is true of requests and answers', async () => {
    const document = await documentOf(true);
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema(document, 'postern');
    const site = openRegistrySite({ ports: (catalogue) => ({ publisher: createMemoryPublisher(catalogue) }) });
    const version = templateOf(
      '/api/registry/v1/modules/:organization_name/:module_name/:module_provider/:module_version',
    );
    const module = version.replace('/{module_version}', '');
    const managed = `/api/v2/organizations/{organization_name}/registry-modules/private/{organization_again}/{module_name}/{module_provider}`;
    const ask = (attributes: object, type = 'module-versions') => ({ body: { data: { type, attributes } } });
    const calls: [string, string, string, object?][] = [
      ['PATCH', `${MANAGED}/1.0.0`, `${managed}/{module_version}`, ask(REVOKE)],
      [
        'PATCH',
        `${MANAGED}/1.0.0`,
        `${managed}/{module_version}`,
        ask({ ...DEPRECATE, 'deprecation-details': { sunset: '2027-01-01' } }),
      ],
      ['PATCH', `${MANAGED}/1.0.0`, `${managed}/{module_version}`, ask(REVOKE)],
      ['GET', `${READ}/1.0.0/status`, `${version}/status`],
      ['GET', `${READ}/1.0.0/download`, `${version}/download`],
      ['GET', `${READ}/versions`, `${module}/versions`],
      ['PATCH', `${MANAGED}/1.0.0`, `${managed}/{module_version}`, ask(UNREVOKE)],
      ['PATCH', `${MANAGED}/1.1.0`, `${managed}/{module_version}`, ask(REVERT)],
      [
        'POST',
        `${MANAGED}/deprecations`,
        `${managed}/deprecations`,
        ask({ range: '>= 1.0', 'dry-run': true }, 'deprecations'),
      ],
      ['PUT', `${MANAGED}/3.0.0`, `${managed}/{module_version}`, { body: 'x', contentType: 'application/zip' }],
      ['DELETE', `${MANAGED}/9.0.0`, `${managed}/{module_version}`],
      ['GET', MODULES, MODULES],
      ['GET', `${MODULES}/search?q=net`, `${MODULES}/search`],
      ['POST', `${MODULES}/statuses`, `${MODULES}/statuses`, { body: { versions: ['acme/network/aws/1.0.0', 'x'] } }],
      ['GET', `${READ}/1.0.0`, version],
      ['GET', `${READ}/1.0.0/history`, `${version}/history`],
      ['GET', READ, module],
      ['GET', `${READ}/1.0.0/download`, `${version}/download`],
      ['GET', `${READ}/1.0.0`, version, { token: null }],
      ['GET', '/.well-known/terraform.json', '/.well-known/terraform.json'],
    ];
    const seen: string[] = [];
    for (const [method, path, template, sent = {}] of calls) {
      const where = `${method} ${path}`;
      const operation = document.paths[template][method.toLowerCase()];
      const asked = operation.requestBody?.content['application/vnd.api+json']?.schema;
      const check = (schema: object, value: unknown) => {
        const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"postern#/'));
        if (!ajv.validate(rooted, value)) throw new Error(`${where}: ${ajv.errorsText()}`);
      };
      if (asked !== undefined) check(asked, (sent as { body: unknown }).body);
      const answer = await site.send(method, path, sent);
      const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
      const response = operation.responses[String(answer.status)];
      if (response === undefined) throw new Error(`${where}: ${answer.status} is not documented`);
      check(response.content[type].schema, answer.body);
      seen.push(`${method} ${answer.status}`);
    }
    expect(seen).toContain('PATCH 409');
    expect(seen.filter((each) => each.endsWith(' 200')).length).toBeGreaterThan(12);
  });
});
