/** A method with a small catalogue of every shape of route, which records its calls and answers as it is told. */
import type { AuthDoor, CallFields, Operation, OperationCall, Outcome, RefusedCall } from '@postern/core-auth';
import { createHttpApp, type HttpAppOptions } from '@postern/http';
import * as z from 'zod';
import { type CheckAnswer, createAnswerCheck } from './check-answer.js';

type Shape = Pick<Operation, 'id' | 'verb' | 'scope' | 'path'> & Partial<Pick<Operation, 'aliases'>>;

const SHAPES: readonly Shape[] = [
  { id: 'login', verb: 'write', scope: 'mount', path: '/login' },
  { id: 'role.write', verb: 'write', scope: 'mount', path: '/role/:role' },
  { id: 'role.read', verb: 'read', scope: 'mount', path: '/role/:role' },
  { id: 'role.delete', verb: 'delete', scope: 'mount', path: '/role/:role' },
  { id: 'role.tag', verb: 'write', scope: 'mount', path: '/role/:role/tag' },
  { id: 'role.list', verb: 'list', scope: 'mount', path: '/roles', aliases: ['/role'] },
  { id: 'identity.read', verb: 'read', scope: 'mount', path: '/config/identity' },
  { id: 'identity.write', verb: 'write', scope: 'mount', path: '/config/identity' },
  { id: 'certificate.read', verb: 'read', scope: 'mount', path: '/config/certificate/:cert_name' },
  { id: 'certificate.write', verb: 'write', scope: 'mount', path: '/config/certificate/:cert_name' },
  { id: 'certificate.list', verb: 'list', scope: 'mount', path: '/config/certificates' },
  {
    id: 'access-list.read',
    verb: 'read',
    scope: 'mount',
    path: '/identity-accesslist/:instance_id',
    aliases: ['/identity-whitelist/:instance_id'],
  },
  {
    id: 'access-list.list',
    verb: 'list',
    scope: 'mount',
    path: '/identity-accesslist',
    aliases: ['/identity-whitelist'],
  },
  { id: 'deny-list.read', verb: 'read', scope: 'mount', path: '/roletag-denylist/:role_tag*' },
  { id: 'deny-list.write', verb: 'write', scope: 'mount', path: '/roletag-denylist/:role_tag*' },
  { id: 'deny-list.list', verb: 'list', scope: 'mount', path: '/roletag-denylist' },
  { id: 'token.lookup-self', verb: 'read', scope: 'token', path: '/lookup-self' },
  { id: 'token.renew-self', verb: 'write', scope: 'token', path: '/renew-self' },
  { id: 'sys.policies', verb: 'list', scope: 'sys', path: '/policies' },
];

/** With the fields that were read. */
export interface FakeCall extends OperationCall {
  readonly fields: CallFields;
}

export interface FakeMethod extends AuthDoor {
  readonly calls: FakeCall[];
  readonly refused: RefusedCall[];
}

export function operationsOf(shapes: readonly Shape[]): Operation[] {
  return shapes.map((shape) => ({
    ...shape,
    summary: shape.id,
    access: 'management',
    fields: z.object({}),
    handle: async () => ({}),
  }));
}

export function createFakeMethod(
  answer: (call: FakeCall) => Outcome | Promise<Outcome> = () => ({}),
  mountPath = 'auth/cloud',
): FakeMethod {
  const calls: FakeCall[] = [];
  const refused: RefusedCall[] = [];
  return {
    mountPath,
    operations: operationsOf(SHAPES),
    calls,
    handle: async (call) => {
      const fields = typeof call.fields === 'function' ? await call.fields() : call.fields;
      const read = { ...call, fields };
      calls.push(read);
      return answer(read);
    },
    refused,
    recordRefusal: async (call) => {
      refused.push(call);
    },
  };
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit | undefined;
}

/** An application over a fake method, and a way to send to it. */
export function harness(
  answer?: (call: FakeCall) => Outcome | Promise<Outcome>,
  options: Partial<HttpAppOptions<undefined>> = {},
  mountPath?: string,
) {
  const method = createFakeMethod(answer, mountPath);
  const app = createHttpApp<undefined>({
    method,
    peerAddress: () => '192.0.2.7',
    requestIds: () => 'request-1',
    health: () => ({ storageReachable: true, version: '0.1.0', serverTime: 1_700_000_000_123 }),
    ...options,
  });
  const send = (path: string, { method: verb = 'GET', headers = {}, body }: Sent = {}): Promise<Response> =>
    fetchChecked(
      new Request(`http://postern.test${path}`, {
        method: verb,
        headers,
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      } as RequestInit),
    );
  let check: Promise<CheckAnswer> | undefined;
  /** Refusals are held against the document; what the fake operations answer is the test's own. */
  async function fetchChecked(request: Request): Promise<Response> {
    const response = await app.fetch(request, undefined);
    check ??= createAnswerCheck(app);
    if (response.status >= 400 && request.method !== 'HEAD') await (await check)(request.method, request.url, response);
    return response;
  }
  return { method, app, send };
}

export function post(body: BodyInit | undefined, headers: Readonly<Record<string, string>> = {}): Sent {
  return { method: 'POST', headers: { 'x-service-token': 't', ...headers }, body };
}
