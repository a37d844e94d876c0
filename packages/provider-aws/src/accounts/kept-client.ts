/** Clients of the SDK, kept by partition, account, role, region and service; never beyond the credentials they sign with. */
import type { AwsCredentials } from '../options.js';
import { type ClientSettings, clientSettings } from '../sdk/client-settings.js';
import { refusesCredentials } from '../sdk/sdk-error.js';
import type { SdkHandler } from '../transport/sdk-handler.js';
import type { Access } from './account-access.js';

/** One kind of client: which service, and how it is made. */
export interface ClientKind<C> {
  readonly service: string;
  readonly endpoint: (access: Access) => string | undefined;
  readonly create: (settings: ClientSettings, access: Access) => C;
}

export function keptClient<C>(handler: SdkHandler, kind: ClientKind<C>, access: Access, region: string): C {
  const { session, credentials } = access;
  const key = placeOf(kind.service, region, access);
  const known = session.clients.get(key);
  // Only this kind ever writes a key that begins with its service.
  if (known !== undefined && sameCredentials(known.credentials, credentials)) return known.client as C;
  const where = { region, credentials, endpoint: kind.endpoint(access) };
  const client = kind.create(clientSettings(handler, session.settings, where), access);
  session.clients.set(key, { credentials, client });
  return client;
}

/** Whose calls the cloud counts together. */
export function placeOf(service: string, region: string, { key }: Pick<Access, 'key'>): string {
  return `${service} ${region} ${key}`;
}

/** Wraps a call: credentials that the provider takes no longer are not offered to it again. */
export async function noticingRefusal<T>(access: Access, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (refusesCredentials(error)) access.session.assumedRoles.forget(access.credentials);
    throw error;
  }
}

function sameCredentials(a: AwsCredentials, b: AwsCredentials): boolean {
  return (
    a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey && a.sessionToken === b.sessionToken
  );
}
