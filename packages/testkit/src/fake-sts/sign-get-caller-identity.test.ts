import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from '../fake-cloud/fake-cloud.js';
import type { HeaderList } from '../sigv4/wire-request.js';
import { createFakeSts } from './fake-sts.js';
import {
  type CallerIdentityFields,
  type HeadersForm,
  type SignCallerIdentityOptions,
  signCallerIdentityRequest,
} from './sign-get-caller-identity.js';

const clock = createManualClock(Date.UTC(2026, 1, 16, 0, 30, 0));
const cloud = createFakeCloud({ clock, seed: 'fields' });
const sts = createFakeSts({ cloud, clock, seed: 'fields' });
const role = cloud.createRole({ name: 'deploy' });
const credentials = sts.assumeRole(role, { sessionName: 'build' });
const sign = (options: Partial<SignCallerIdentityOptions> = {}) => sts.signLogin({ credentials, ...options });
const text = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString('utf8');

/** Reads the fields as a relying party would, without sharing a line with what wrote them. */
function headersOf({ iam_request_headers: headers }: CallerIdentityFields): HeaderList {
  if (Array.isArray(headers)) {
    return headers.map((line: string) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
  }
  const given = typeof headers === 'string' ? JSON.parse(headers.startsWith('{') ? headers : text(headers)) : headers;
  return Object.entries(given as Record<string, string | string[]>).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
}

async function arnBehind(fields: CallerIdentityFields): Promise<string | undefined> {
  const url = new URL(text(fields.iam_request_url));
  const answer = await sts.source.send({
    method: fields.iam_http_request_method,
    endpoint: url.origin,
    target: `${url.pathname}${url.search}`,
    headers: headersOf(fields),
    body: fields.iam_request_body === undefined ? undefined : Buffer.from(fields.iam_request_body, 'base64'),
  });
  return /<Arn>(.*)<\/Arn>/.exec(Buffer.from(answer.body).toString('utf8'))?.[1];
}

describe('the fields of a login', () => {
  const forms: readonly HeadersForm[] = ['base64', 'json', 'object', 'list'];
  const rows = forms.flatMap((headersForm) => [
    { headersForm, method: 'POST' as const },
    { headersForm, method: 'GET' as const },
  ]);

  it.each(rows)('are a request that STS takes: $method, headers as $headersForm', async (row) => {
    const repeated: HeaderList = [
      ['X-Twice', 'a'],
      ['X-Twice', 'b'],
    ];
    const fields = sign({ ...row, serverId: 'postern.example.org', extraHeaders: repeated });
    expect(await arnBehind(fields)).toBe(credentials.identity.arn);
    expect(sts.calls.at(-1)).toMatchObject({
      endpoint: 'https://sts.amazonaws.com',
      method: row.method,
      outcome: 'ok',
    });
  });

  it('hold a POST as clients send it', () => {
    const fields = sign();
    expect(fields.iam_http_request_method).toBe('POST');
    expect(text(fields.iam_request_url)).toBe('https://sts.amazonaws.com/');
    expect(text(fields.iam_request_body)).toBe('Action=GetCallerIdentity&Version=2011-06-15');
    expect(JSON.parse(text(String(fields.iam_request_headers)))).toMatchObject({
      Host: ['sts.amazonaws.com'],
      'Content-Type': ['application/x-www-form-urlencoded; charset=utf-8'],
      'Content-Length': ['43'],
      'X-Amz-Date': ['20260216T003000Z'],
      'X-Amz-Security-Token': [credentials.sessionToken],
    });
  });

  it('hold a GET with its proof in the query and no body', () => {
    const fields = sign({ method: 'GET', serverId: 'here' });
    const query = new URL(text(fields.iam_request_url)).searchParams;
    expect([...query.keys()]).toEqual([
      'Action',
      'Version',
      'X-Amz-Algorithm',
      'X-Amz-Credential',
      'X-Amz-Date',
      'X-Amz-Expires',
      'X-Amz-Security-Token',
      'X-Amz-SignedHeaders',
      'X-Amz-Signature',
    ]);
    expect(query.get('X-Amz-SignedHeaders')).toBe('host;x-service-cloud-iam-server-id');
    expect(fields).not.toHaveProperty('iam_request_body');
    expect(headersOf(fields)).toEqual([
      ['Host', 'sts.amazonaws.com'],
      ['X-Service-Cloud-IAM-Server-ID', 'here'],
    ]);
  });

  it('give a header that comes twice as an array, in the form of an object', () => {
    const unsignedHeaders: HeaderList = [
      ['X-Twice', 'a'],
      ['X-Twice', 'b'],
    ];
    expect(sign({ unsignedHeaders, headersForm: 'object' }).iam_request_headers).toMatchObject({
      Host: 'sts.amazonaws.com',
      'X-Twice': ['a', 'b'],
    });
  });

  it('name a region in host and scope, each of which may be another', () => {
    const hostAndScope = (options: Partial<SignCallerIdentityOptions>) => {
      const headers = new Map(headersOf(sign(options)));
      return [headers.get('Host'), headers.get('Authorization')?.split('/')[2]];
    };
    expect(hostAndScope({ region: 'eu-west-1' })).toEqual(['sts.eu-west-1.amazonaws.com', 'eu-west-1']);
    expect(hostAndScope({ host: 'sts.eu-west-1.amazonaws.com' })).toEqual(['sts.eu-west-1.amazonaws.com', 'eu-west-1']);
    expect(hostAndScope({ host: 'h.example', region: 'cn-north-1' })).toEqual(['h.example', 'cn-north-1']);
    expect(hostAndScope({ host: 'h.example' })).toEqual(['h.example', 'us-east-1']);
  });
});

describe('which headers are signed', () => {
  const signedNames = (options: Partial<SignCallerIdentityOptions>) => {
    const { headers } = signCallerIdentityRequest({ credentials, date: clock.now(), ...options });
    return /SignedHeaders=([^,]*)/.exec(new Map(headers).get('Authorization') ?? '')?.[1]?.split(';') ?? [];
  };

  it('is all but those said to be unsigned', () => {
    const names = signedNames({
      serverId: 'here',
      headerName: 'X-Other-Server',
      extraHeaders: [['X-Signed', '1']],
      unsignedHeaders: [['X-Unsigned', '1']],
    });
    expect(names).toEqual(expect.arrayContaining(['host', 'x-other-server', 'x-signed', 'x-amz-security-token']));
    expect(names).not.toContain('x-unsigned');
    expect(names).not.toContain('x-service-cloud-iam-server-id');
  });

  it('keeps a name like __proto__ a header like any other', () => {
    const fields = sign({ unsignedHeaders: [['__proto__', 'x']] });
    expect(text(String(fields.iam_request_headers))).toContain('"__proto__":["x"]');
  });
});
