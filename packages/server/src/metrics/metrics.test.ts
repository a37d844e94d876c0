/** Figures of a server under logins, refusals and trouble: what is counted, and that nothing of a request is a label. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditEvent, type AuditSink, ProviderError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type PosternServer } from '../create-server.js';
import { hostedRegistry } from '../registry/hosted-registry.js';
import { createMetrics } from './metrics.js';
import { listenForMetrics, type MetricsListener } from './metrics-listener.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-metrics-'));
const events: AuditEvent[] = [];
let server: PosternServer;
let listener: MetricsListener;
let isDown = false;

beforeAll(async () => {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const storage = createMemoryStorage();
  const audit = { record: (event: AuditEvent) => void events.push(event) };
  const metrics = await createMetrics();
  server = await createServer({
    storage,
    audit,
    metrics,
    provider: {
      ...cloud,
      describeInstance: async (asked) => {
        if (isDown) throw new ProviderError('unavailable', 'down');
        return cloud.describeInstance(asked);
      },
      builtInCertificates: cloud.defaultCertificates(),
    },
    registry: hostedRegistry({ storage, audit, archives: join(folder, 'archives'), isAlone: true }),
  });
  listener = await listenForMetrics(metrics, { host: '127.0.0.1', port: 0 });
  const asHost = { requestId: 'r', peerAddress: undefined };
  const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
  await server.method.handleAsHost({ ...asHost, operation: 'role.write', params: { role: 'web' }, fields });
  const login = (imageId: string) =>
    ask('/v1/auth/cloud/login', {
      method: 'POST',
      body: JSON.stringify({ role: 'web', pkcs7: cloud.launchInstance({ imageId }).identityDocument().rsa2048 }),
    });
  expect([await login('ami-1'), await login('ami-1'), await login('ami-2')]).toEqual([200, 200, 400]);
  isDown = true;
  expect(await login('ami-1')).toBe(503);
  expect(await ask('/api/registry/v1/modules/acme/network/aws/versions')).toBe(401);
  expect(await ask('/registry')).toBe(401);
  expect(await ask('/v1/sys/health')).toBe(200);
  expect(await ask('/v1/auth/token/lookup-self')).toBe(403);
  expect(await ask('/canary-path/with-a-secret', { method: 'PROPFIND' })).toBe(404);
});

afterAll(async () => {
  await listener.close();
  await server.close(500);
  rmSync(folder, { recursive: true });
});

async function ask(path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(`${server.url}${path}`, init);
  await response.arrayBuffer();
  return response.status;
}

async function figures(): Promise<string> {
  const response = await fetch(listener.url);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  return response.text();
}

it.each([
  'postern_audit_events_total{operation="login",outcome="allowed",code=""} 2',
  'postern_audit_events_total{operation="login",outcome="denied",code="bound_ami_id_mismatch"} 1',
  'postern_audit_events_total{operation="login",outcome="unavailable",code="provider_unavailable"} 1',
  'postern_audit_events_total{operation="registry.module.versions",outcome="denied",code="unauthorized"} 1',
  'postern_provider_call_duration_seconds_count{call="describe_instance",outcome="ok"} 3',
  'postern_provider_call_duration_seconds_count{call="describe_instance",outcome="unavailable"} 1',
  'postern_http_request_duration_seconds_count{part="auth",method="POST",status="200"} 2',
  'postern_http_request_duration_seconds_count{part="auth",method="POST",status="503"} 1',
  'postern_http_request_duration_seconds_count{part="registry",method="GET",status="401"} 1',
  'postern_http_request_duration_seconds_count{part="page",method="GET",status="401"} 1',
  'postern_http_request_duration_seconds_count{part="token",method="GET",status="403"} 1',
  'postern_http_request_duration_seconds_count{part="sys",method="GET",status="200"} 1',
  'postern_http_request_duration_seconds_count{part="other",method="other",status="404"} 1',
])('tells %s', async (line) => {
  expect((await figures()).split('\n')).toContain(line);
});

it('tells of the process too, and which version runs', async () => {
  const text = await figures();
  expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  expect(text).toMatch(/^postern_build_info\{version="[^"]+"\} 1$/m);
});

it('tells nothing of a request but what this code has names for', async () => {
  const text = await figures();
  for (const said of ['canary', 'PROPFIND', 'ami-', 'web', 'acme', 'i-', '127.0.0.1']) {
    expect(text.split('\n').filter((line) => !line.startsWith('#') && line.includes(`"${said}`))).toEqual([]);
    expect(text).not.toMatch(new RegExp(`="[^"]*${said.replaceAll('.', '\\.')}[^"]*"`));
  }
  expect(events.length).toBeGreaterThan(4);
});

it('answers at one path, to reads, and on an address of its own', async () => {
  const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
  expect(await status(listener.url.replace('/metrics', '/'))).toBe(404);
  expect(await status(listener.url, { method: 'POST' })).toBe(405);
  expect(await status(listener.url, { method: 'HEAD' })).toBe(200);
  expect(await status(`${server.url}/metrics`)).toBe(404);
});

it('counts an event only once it is recorded', async () => {
  const metrics = await createMetrics();
  const sink = metrics.countEvents({ record: () => Promise.reject(new Error('full')) });
  await expect(async () =>
    sink.record({ id: 'event-1', time: 0, requestId: 'r', operation: 'login', outcome: 'allowed' }),
  ).rejects.toThrow();
  expect(await metrics.text()).not.toContain('operation="login"');
});

it('counts what a sink of a class records together', async () => {
  const metrics = await createMetrics();
  class Sink implements AuditSink {
    readonly all: AuditEvent[] = [];
    record(event: AuditEvent) {
      this.all.push(event);
    }
    recordAll(events: readonly AuditEvent[]) {
      this.all.push(...events);
    }
  }
  const sink = new Sink();
  const counted = metrics.countEvents(sink);
  await counted.recordAll?.([{ id: 'event-1', time: 0, requestId: 'r', operation: 'login', outcome: 'allowed' }]);
  expect(sink.all).toHaveLength(1);
  expect(await metrics.text()).toContain('postern_audit_events_total{operation="login",outcome="allowed",code=""} 1');
});

it('O7: tells that a server drains', async () => {
  const metrics = await createMetrics();
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const draining = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    metrics,
    provider: cloud,
  });
  expect(await metrics.text()).toContain('postern_ready{code=""} 1');
  const closed = draining.close(500);
  expect(await metrics.text()).toContain('postern_ready{code="draining"} 0');
  await closed;
});

it('O8: only counters end in _total, as promtool asks', async () => {
  const types = [...(await (await createMetrics()).text()).matchAll(/^# TYPE (\w+_total) (\w+)$/gm)];
  expect(types.filter(([, , type]) => type !== 'counter')).toEqual([]);
});
