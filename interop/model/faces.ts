/** The two faces of a method, called alike: in the process, and as HTTP requests that never leave it. */
import { type AuthMethod, type AuthView, isAuthError, type Outcome } from '@postern/core-auth';
import { createHttpApp } from '@postern/http';
import type { Clock } from '@postern/ports';

export interface FaceCall {
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly token?: string | undefined;
}

/** What a caller learns, by whichever face. */
export interface FaceAnswer {
  readonly code: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly auth?: AuthView;
  readonly warnings?: readonly string[];
  /** Started, not done. */
  readonly accepted?: boolean;
}

export type Face = (call: FaceCall) => Promise<FaceAnswer>;

const PEER = '10.0.0.1';

export function inProcessFace(method: AuthMethod): Face {
  let calls = 0;
  return async ({ operation, params = {}, fields = {}, token }) => {
    calls += 1;
    try {
      const call = { operation, params, fields, token, requestId: `call ${calls}`, peerAddress: PEER };
      return answerOf(await method.handle(call));
    } catch (error) {
      if (!isAuthError(error)) throw error;
      return { code: error.code };
    }
  };
}

const METHODS = { write: 'POST', read: 'GET', list: 'LIST', delete: 'DELETE' } as const;

export function httpFace(method: AuthMethod, clock: Clock): Face {
  let calls = 0;
  const app = createHttpApp({
    method,
    peerAddress: () => PEER,
    clock,
    requestIds: () => `call ${calls}`,
    health: () => ({ storageReachable: true, version: 'model', serverTime: clock.now() }),
  });
  const operations = new Map(method.operations.map((operation) => [operation.id, operation]));
  return async ({ operation, params = {}, fields = {}, token }) => {
    calls += 1;
    const known = operations.get(operation);
    if (known === undefined) throw new TypeError(`no operation ${operation}`);
    const path = known.path.replace(/:(\w+)\*?/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const mount = known.scope === 'mount' ? method.mountPath : 'auth/token';
    const request = new Request(`http://postern.test/v1/${mount}/${path}`, {
      method: METHODS[known.verb],
      headers: token === undefined ? {} : { 'x-service-token': token },
      ...(known.verb === 'write' ? { body: JSON.stringify(fields) } : {}),
    });
    const response = await app.fetch(request, undefined);
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Partial<FaceAnswer> & { readonly errors?: readonly string[] };
    if (body.errors !== undefined) return { code: body.code ?? 'not_found' };
    return answerOf({ ...body, ...(response.status === 202 ? { accepted: true } : {}) });
  };
}

/** Without members that say nothing: one face leaves them out, the other has them null. */
function answerOf({ data, auth, warnings, accepted }: Outcome): FaceAnswer {
  const said = Object.entries({ data, auth, warnings, accepted }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  // The faces answer these members in the shapes of `Outcome`.
  return { code: 'ok', ...Object.fromEntries(said) } as FaceAnswer;
}
