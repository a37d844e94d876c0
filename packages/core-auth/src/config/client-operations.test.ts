/** The client configuration through the catalogue (CONFIG-2, CONFIG-3, FIELD-7, THREAT-27). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod, type TestMethod } from '../../test/create-test-method.js';

type Body = Readonly<Record<string, unknown>>;

const write = (test: TestMethod, body: Body) => answerOf(test.host('config.client.write', {}, body));
const read = async (test: TestMethod) => (await test.host('config.client.read')).data;

const defaults = {
  access_key: '',
  allowed_sts_header_values: [],
  endpoint: '',
  iam_endpoint: '',
  iam_server_id_header_value: '',
  max_retries: -1,
  sts_endpoint: '',
  sts_region: '',
  use_sts_region_from_client: false,
};

describe('the client configuration', () => {
  it('is missing until it is written', async () => {
    expect(await answerOf(createTestMethod().host('config.client.read'))).toBe('not_found');
  });

  it.each<[string, Body, Body, Body]>([
    ['allowed_sts_header_values by FIELD-7: defaults', {}, {}, {}],
    [
      'what was sent',
      {},
      { sts_endpoint: 'https://my-sts.example.com', sts_region: 'us-east-2', iam_server_id_header_value: 'id1' },
      { sts_endpoint: 'https://my-sts.example.com', sts_region: 'us-east-2', iam_server_id_header_value: 'id1' },
    ],
    [
      'all three replaced',
      { sts_endpoint: 'https://a.example', sts_region: 'us-east-2', iam_server_id_header_value: 'id1' },
      { sts_endpoint: 'https://b.example', sts_region: 'us-west-1', iam_server_id_header_value: 'id2' },
      { sts_endpoint: 'https://b.example', sts_region: 'us-west-1', iam_server_id_header_value: 'id2' },
    ],
    [
      'its endpoint made one by CONFIG-3: the others unchanged',
      { access_key: 'AK', secret_key: 'SK', max_retries: 5 },
      { endpoint: 'https://e' },
      { access_key: 'AK', max_retries: 5, endpoint: 'https://e' },
    ],
    ['an empty access key', { access_key: 'AK', secret_key: 'SK' }, { access_key: '', secret_key: 'SK' }, {}],
    [
      'the same set keeps its order',
      { allowed_sts_header_values: ['X-Amz-Foo', 'X-Bar'] },
      { allowed_sts_header_values: 'X-Bar,X-Amz-Foo,X-Bar' },
      { allowed_sts_header_values: ['X-Amz-Foo', 'X-Bar'] },
    ],
    [
      'another set replaces it',
      { allowed_sts_header_values: ['X-Amz-Foo', 'X-Bar'] },
      { allowed_sts_header_values: 'x-new,X-BAR,x-NEW' },
      { allowed_sts_header_values: ['X-New', 'X-Bar'] },
    ],
    ['an empty list', { allowed_sts_header_values: ['X-Bar'] }, { allowed_sts_header_values: '' }, {}],
    ['retries as empty text', {}, { max_retries: '' }, { max_retries: 0 }],
    ['an endpoint taken away', { endpoint: 'https://e' }, { endpoint: '' }, {}],
  ])('%s', async (_name, before, body, after) => {
    const test = createTestMethod();
    if (Object.keys(before).length > 0) expect(await write(test, before)).toBe('204');
    expect(await write(test, body)).toBe('204');
    expect(await read(test)).toEqual({ ...defaults, ...after });
  });

  it.each<[string, Body, string]>([
    ['retries that are no number', { max_retries: 'abc' }, 'field_invalid'],
    ['fewer than -1', { max_retries: -2 }, 'field_invalid'],
    ['CONFIG-3: no URL', { endpoint: 'e' }, 'endpoint_invalid'],
    ['CONFIG-3, IAM', { iam_endpoint: 'http://iam.example' }, 'endpoint_invalid'],
    ['CONFIG-3, STS', { sts_endpoint: 'ftp://sts.example' }, 'endpoint_invalid'],
    ['no header name', { allowed_sts_header_values: 'X Bar' }, 'field_invalid'],
    ['a header name with a line break', { allowed_sts_header_values: ['X-Bar\r\nHost'] }, 'field_invalid'],
  ])('is refused and nothing stored: %s', async (_name, body, code) => {
    const test = createTestMethod();
    expect(await write(test, { ...body, access_key: 'AK' })).toBe(code);
    expect(await answerOf(test.host('config.client.read'))).toBe('not_found');
  });

  it('that was read can be written again and changes nothing, the secret included (FIELD-7)', async () => {
    const test = createTestMethod();
    const body = { access_key: 'AK', secret_key: 'canary', max_retries: 3, allowed_sts_header_values: 'x-b,x-a' };
    await write(test, { ...body, sts_endpoint: 'HTTP://LocalHost:4566/x', use_sts_region_from_client: 1 });
    const stored = (await test.inside.collections.clientConfig.get('client'))?.value;
    const shown = (await read(test)) ?? {};
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(await write(test, shown)).toBe('204');
    expect((await test.inside.collections.clientConfig.get('client'))?.value).toEqual(stored);
    expect(stored).toMatchObject({ secretKey: 'canary', stsEndpoint: 'HTTP://LocalHost:4566/x' });
  });

  it('that is deleted is missing again, and deleting it twice is fine', async () => {
    const test = createTestMethod();
    await write(test, { access_key: 'AK' });
    expect(await answerOf(test.host('config.client.delete'))).toBe('204');
    expect(await answerOf(test.host('config.client.read'))).toBe('not_found');
    expect(await answerOf(test.host('config.client.delete'))).toBe('204');
  });

  it('that changed is announced to provider adapters after it is stored', async () => {
    const heard: string[] = [];
    const test = createTestMethod({ options: { onProviderConfigChange: () => heard.push('change') } });
    await write(test, { access_key: 'A1', secret_key: 'S1' });
    await write(test, { access_key: 'A2' });
    expect(heard).toHaveLength(2);
    await write(test, { endpoint: 'nonsense' });
    expect(heard).toHaveLength(2);
    await test.host('config.client.delete');
    expect(heard).toHaveLength(3);
  });

  it('is written by many at once without losing any', async () => {
    const test = createTestMethod();
    const bodies = [{ access_key: 'AK' }, { secret_key: 'SK' }, { sts_region: 'r' }, { max_retries: 1 }];
    await Promise.all(bodies.map((body) => write(test, body)));
    expect((await test.inside.collections.clientConfig.get('client'))?.value).toMatchObject({
      accessKey: 'AK',
      secretKey: 'SK',
      stsRegion: 'r',
      maxRetries: 1,
    });
  });
});
