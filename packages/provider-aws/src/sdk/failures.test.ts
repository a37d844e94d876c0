/** Every way in which the provider fails to answer, through a whole question: never a denial, never "there is none" (PROVIDER-5). */
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { isProviderError } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OWN, SECRET_CANARY } from '../../test/aws-world.js';
import { type AwsCall, ec2ErrorXml, errorXml, fail } from '../../test/fake-aws.js';

const HTML = '<!DOCTYPE html>\n<html><body><h1>It works</h1></body></html>';
const LIMITS = { attemptTimeoutMs: 1_000, totalTimeoutMs: 1_500, connectTimeoutMs: 500 };

let world: AwsWorld;
beforeEach(async () => {
  world = await createAwsWorld({ limits: LIMITS, random: () => 1 });
  world.aws.instances.set(instanceId(1), { accountId: OWN });
});
afterEach(() => world.close());

const look = () => world.provider.describeInstance({ accountId: OWN, region: 'us-east-1', instanceId: instanceId(1) });
const lookRole = () =>
  world.provider.describePrincipal({ partition: 'aws', accountId: OWN, type: 'role', name: 'web' });
const takeOver = (action: string, answer: (response: ServerResponse, call: AwsCall) => void) => {
  world.aws.hook = (call, response) => {
    if (call.action !== action) return false;
    answer(response, call);
    return true;
  };
};
const failureOf = async (asked: Promise<unknown>): Promise<Error> => {
  const error = await asked.then(
    (value) => new Error(`answered ${inspect(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!isProviderError(error)) throw error;
  return error;
};

it('O5: the code of the provider and the id of its request are kept for log and audit', async () => {
  takeOver('DescribeInstances', (response) => {
    response.setHeader('x-amzn-requestid', 'a1b2-c3');
    fail(response, 403, ec2ErrorXml('UnauthorizedOperation'));
  });
  const failure = await failureOf(look());
  expect(failure).toMatchObject({
    code: 'denied',
    cloudCode: 'UnauthorizedOperation',
    cloudRequestId: 'a1b2-c3',
  });
});

describe('an error code of the provider', () => {
  it.each([
    ['UnauthorizedOperation', 403, 'denied'],
    ['AccessDenied', 403, 'denied'],
    ['AuthFailure', 401, 'misconfigured'],
    ['InvalidClientTokenId', 403, 'misconfigured'],
    ['SignatureDoesNotMatch', 403, 'misconfigured'],
    ['ExpiredToken', 400, 'misconfigured'],
    ['RequestExpired', 400, 'misconfigured'],
    ['OptInRequired', 401, 'misconfigured'],
    ['RequestLimitExceeded', 503, 'unavailable'],
    ['Throttling', 400, 'unavailable'],
    ['InternalError', 500, 'unavailable'],
    ['AccessDenied', 503, 'unavailable'],
    ['SomethingNew', 400, 'unavailable'],
    ['Something New <&', 400, 'unavailable'],
    ['', 400, 'unavailable'],
  ])('%s (%d) of EC2 means %s', async (code, status, meaning) => {
    const escaped = code.replace(/&/g, '&amp;').replace(/</g, '&lt;');
    takeOver('DescribeInstances', (response) => fail(response, status, ec2ErrorXml(escaped)));
    expect(await failureOf(look())).toMatchObject({ code: meaning });
  });

  it.each([
    ['AccessDenied', 403, 'denied'],
    ['AccessDeniedException', 400, 'denied'],
    ['InvalidClientTokenId', 403, 'misconfigured'],
    ['ValidationError', 400, 'misconfigured'],
    ['Throttling', 400, 'unavailable'],
    ['ServiceFailure', 500, 'unavailable'],
  ])('%s (%d) of IAM means %s', async (code, status, meaning) => {
    takeOver('GetRole', (response) => fail(response, status, errorXml(code)));
    expect(await failureOf(lookRole())).toMatchObject({ code: meaning });
  });
});

it('an account and region that throttles gets one call for each wait, however many ask; others are answered (PROVIDER-6)', async () => {
  let isThrottling = true;
  const { aws, provider, clock } = world;
  aws.instances.set(instanceId(2), { accountId: OWN });
  aws.hook = ({ action, region }, response) =>
    isThrottling &&
    action === 'DescribeInstances' &&
    region === 'us-east-1' &&
    fail(response, 503, ec2ErrorXml('RequestLimitExceeded'));
  const flood = () => Promise.allSettled(Array.from({ length: 50 }, () => look()));
  const sent = () => aws.called('DescribeInstances').length;
  await failureOf(look());
  for (let wait = 0; wait < 3; wait += 1) {
    const before = sent();
    for (const each of await flood()) {
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', retryAfterSeconds: 2 ** wait } });
    }
    expect(sent()).toBe(before);
    clock.advance(2 ** wait * 1_000);
    await failureOf(look());
    expect(sent()).toBe(before + 1);
  }
  const elsewhere = { accountId: OWN, region: 'eu-west-1', instanceId: instanceId(2) };
  expect(await provider.describeInstance(elsewhere)).toMatchObject({ instanceId: instanceId(2) });
  isThrottling = false;
  clock.advance(8_000);
  expect((await look())?.instanceId).toBe(instanceId(1));
  expect((await flood()).every(({ status }) => status === 'fulfilled')).toBe(true);
});

describe('an invalid response', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['a page of HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(HTML)],
    ['HTML that is XML', (response) => response.writeHead(200).end('<html><body/></html>')],
    ['a page of HTML with 403', (response) => response.writeHead(403, { 'content-type': 'text/html' }).end(HTML)],
    ['a page of HTML with 404', (response) => response.writeHead(404, { 'content-type': 'text/html' }).end(HTML)],
    ['a page of HTML with 502', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end(HTML)],
    ['nothing', (response) => response.writeHead(200).end()],
    ['JSON', (response) => response.writeHead(200).end('{"reservations":[]}')],
    ['the answer to another action', (response) => response.writeHead(200).end('<GetUserResponse></GetUserResponse>')],
    [
      'an answer with a DOCTYPE',
      (response) =>
        response.end(
          '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "a">]><DescribeInstancesResponse></DescribeInstancesResponse>',
        ),
    ],
    [
      'an answer that is cut where the connection ends',
      (response) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: 'close' });
        response.end('<DescribeInstancesResponse><reservationSet>');
      },
    ],
    [
      'a connection that closes in mid-answer',
      (response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write('<DescribeInstancesResponse><reservationSet>', () => response.destroy());
      },
    ],
    ['a connection that closes at once', (response) => void response.destroy()],
    ['a redirect', (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end()],
    ['a redirect that holds an answer', (response) => response.writeHead(302, { location: '/' }).end(ec2ErrorXml('x'))],
  ])('%s is unavailable, with a time to come again', async (_, answer) => {
    takeOver('DescribeInstances', answer);
    expect(await failureOf(look())).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  });

  it('without an end is cut off at sixteen mebibytes', async () => {
    takeOver('DescribeInstances', (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 'x')));
      };
      response.on('drain', more);
      more();
    });
    expect(await failureOf(look())).toMatchObject({ code: 'unavailable' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never comes', () => undefined],
    ['never ends', (response) => void response.writeHead(200).write('<DescribeInstancesResponse>')],
    [
      'drips',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('%s, and is given up in time', async (_, answer) => {
    await look();
    takeOver('DescribeInstances', answer);
    const startedAt = performance.now();
    expect(await failureOf(look())).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    expect(performance.now() - startedAt).toBeLessThan(LIMITS.totalTimeoutMs + 1_000);
  });

  it('comes from a provider that is down', async () => {
    await world.aws.close();
    expect(await failureOf(look())).toMatchObject({ code: 'unavailable' });
  });

  it('is not remembered: the next question is answered', async () => {
    takeOver('DescribeInstances', (response) => response.end(HTML));
    await failureOf(look());
    world.aws.hook = () => false;
    expect((await look())?.state).toBe('running');
  });
});

describe('Retry-After', () => {
  it.each([
    ['17', 17],
    ['0', 1],
    ['99999999', 3600],
    ['soon', 1],
    [undefined, 1],
  ])('of %j with a throttled call is told as %d seconds', async (header, seconds) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    takeOver('DescribeInstances', (response) => fail(response, 503, ec2ErrorXml('RequestLimitExceeded'), headers));
    expect(await failureOf(look())).toMatchObject({ code: 'unavailable', retryAfterSeconds: seconds });
  });
});

describe('max_retries', () => {
  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
    [-1, 3],
  ])('%d makes %d attempts', async (maxRetries, attempts) => {
    await world.close();
    world = await createAwsWorld({}, { maxRetries });
    takeOver('DescribeInstances', (response) => fail(response, 503, ec2ErrorXml('Unavailable')));
    expect(await failureOf(look())).toMatchObject({ code: 'unavailable' });
    expect(world.aws.called('DescribeInstances')).toHaveLength(attempts);
  });

  it('gets over a connection that closes', async () => {
    await world.close();
    world = await createAwsWorld({}, { maxRetries: 2 });
    world.aws.instances.set(instanceId(1), { accountId: OWN });
    let calls = 0;
    world.aws.hook = (_, response) => ++calls <= 2 && Boolean(response.destroy());
    expect((await look())?.state).toBe('running');
  });
});

describe('a secret', () => {
  it.each<[string, (response: ServerResponse, call: AwsCall) => void]>([
    [
      'an error that repeats the request',
      (response, call) =>
        fail(response, 403, ec2ErrorXml('UnauthorizedOperation', `${SECRET_CANARY} ${call.headers.authorization}`)),
    ],
    ['a page that repeats it', (response) => response.writeHead(500).end(`<html>${SECRET_CANARY}</html>`)],
    ['a closed connection', (response) => void response.destroy()],
    ['a slow answer', () => undefined],
  ])('is in no part of what %s leads to', async (_, answer) => {
    takeOver('DescribeInstances', answer);
    const error = await failureOf(look());
    const shown = `${inspect(error, { depth: 20, showHidden: true })} ${error.stack} ${JSON.stringify(error)}`;
    expect(shown).not.toMatch(/canary|Signature=|AKIAOWN/i);
  });

  it('is in no part of the provider, used or not', async () => {
    world.associate('444455556666');
    await look();
    await failureOf(
      world.provider.describeInstance({ accountId: '999900001111', region: 'us-east-1', instanceId: 'x' }),
    );
    expect(inspect(world.provider, { depth: 20, showHidden: true })).not.toMatch(/canary|AKIAOWN/);
  });
});

it('a closed provider answers nothing more, and says so', async () => {
  await look();
  takeOver('DescribeInstances', () => undefined);
  const failed = failureOf(look());
  await new Promise((resolve) => setTimeout(resolve, 50));
  await world.provider.close();
  expect(await failed).toMatchObject({ code: 'unavailable' });
  expect(await failureOf(look())).toMatchObject({ code: 'unavailable' });
  await world.provider.close();
});
