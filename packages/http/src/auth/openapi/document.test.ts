/** The document is valid OpenAPI 3.1, in the names of its profile, and covers the whole catalogue. */

import { createAuthMethod } from '@postern/core-auth';
import { createFakeCloud } from '@postern/testkit';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { harness } from '../../../test/fake-method.js';
import { memoryPorts } from '../../../test/memory-ports.js';
import { type ProfileName, WIRE_PROFILES } from '../wire-profile.js';
import { createOpenApiDocument } from './document.js';

interface Entry {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: { 'application/json': { schema: { properties: Record<string, unknown> } } };
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
  readonly components: {
    readonly securitySchemes: { readonly token: { readonly name: string } };
    readonly schemas: {
      readonly Error: { readonly properties: { readonly code: { readonly enum: readonly string[] } } };
    };
  };
}

const clock = { now: () => Date.UTC(2026, 10, 21) };
const cloud = createFakeCloud({ clock, seed: 'openapi' });
const method = createAuthMethod(memoryPorts(cloud, clock));

function documentOf(name: ProfileName): Document {
  const profile = WIRE_PROFILES[name];
  const question = { operations: method.operations, mountPath: profile.defaultMountPath, profile, version: '1.2.3' };
  return JSON.parse(JSON.stringify(createOpenApiDocument(question))) as Document;
}

describe.each<ProfileName>(['neutral', 'vault'])('the document of the %s profile', (name) => {
  const document = documentOf(name);
  const mount = `/v1/${WIRE_PROFILES[name].defaultMountPath}`;

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(document) as unknown as Record<string, unknown>,
    );
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('names every operation and alias once', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, verb, aliases = [] } of method.operations) {
      const wanted = [id, ...aliases.map((_path, index) => `${id}.alias${index + 1}`)];
      expect(ids).toEqual(
        expect.arrayContaining(verb === 'write' ? wanted.flatMap((one) => [one, `${one}.put`]) : wanted),
      );
    }
    expect(document.paths[`${mount}/identity-whitelist/{instance_id}`]?.['get']?.deprecated).toBe(true);
    expect(document.paths[`${mount}/identity-accesslist/{instance_id}`]?.['get']?.deprecated).toBeUndefined();
  });

  it('has a LIST as a GET that says list=true', () => {
    const list = document.paths[`${mount}/roles`]?.['get'];
    expect(list?.parameters).toMatchObject([
      { name: 'list', in: 'query', required: true, schema: { enum: ['true'] } },
      { name: 'after', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } },
    ]);
  });

  it('speaks the names of the profile', () => {
    const [pem, resolve, header] =
      name === 'vault'
        ? ['aws_public_cert', 'resolve_aws_unique_ids', 'x-vault-token']
        : ['cloud_public_cert', 'resolve_cloud_unique_ids', 'x-service-token'];
    const fieldsOf = (path: string) =>
      document.paths[`${mount}/${path}`]?.['post']?.requestBody?.content['application/json'].schema.properties;
    expect(fieldsOf('config/certificate/{cert_name}')).toHaveProperty(pem);
    expect(fieldsOf('role/{role}')).toHaveProperty(resolve);
    expect(document.components.securitySchemes.token.name).toBe(header);
    if (name === 'vault') expect(JSON.stringify(document)).not.toMatch(/cloud_public_cert|resolve_cloud_unique_ids/);
  });

  it('lets a login in without a token, and says that it may be too often', () => {
    const login = document.paths[`${mount}/login`]?.['post'];
    expect(login?.security).toEqual([]);
    expect(login?.responses).toHaveProperty('429');
    expect(document.components.schemas.Error.properties.code.enum).toEqual(
      expect.arrayContaining(['rate_limited', 'nonce_mismatch']),
    );
    expect(document.paths[`${mount}/role/{role}`]?.['get']?.security).toBeUndefined();
  });
});

describe('the document over HTTP', () => {
  it('is served without a token, with the version of the service', async () => {
    const { send } = harness(undefined, { version: '4.5.6' });
    const response = await send('/v1/sys/openapi.json');
    expect(response.status).toBe(200);
    expect(((await response.json()) as Document).info.version).toBe('4.5.6');
    expect((await send('/v1/sys/openapi.json', { method: 'POST' })).status).toBe(405);
  });
});
