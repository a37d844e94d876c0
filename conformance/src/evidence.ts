/** Makers of proofs: identity documents of the simulated cloud's instances, and requests that its principals signed. */
import {
  callerIdentityFields,
  type FakeCredentials,
  type HeadersForm,
  type Pkcs7Options,
  signCallerIdentityRequest,
} from '@postern/testkit';
import type { SimulatedCloud } from './cloud/simulated-cloud.js';
import type { Maker } from './expressions.js';
import type { Fixtures } from './fixtures.js';
import { isObject, type Json, type JsonObject } from './json.js';
import type { Profile } from './profile.js';

export interface Evidence {
  readonly values: Readonly<Record<string, Maker>>;
  readonly members: Readonly<Record<string, Maker>>;
}

export function evidenceMakers(simulated: SimulatedCloud, fixtures: Fixtures, profile: Profile): Evidence {
  const { cloud, sts } = simulated;

  /** `{ "$pkcs7": { "instance": "web", "encoding": 2 } }`: beside these, the options of testkit's `pkcs7`. */
  const pkcs7: Maker = (argument) => {
    const { instance, shown, trailing, newlines, ...options } = objectOf(argument);
    // The schema of case files names the options and their types.
    const made = fixtures.instance(String(instance)).pkcs7({
      ...(options as Pkcs7Options),
      ...(shown === undefined ? {} : { shownContent: bytes(shown) }),
      ...(trailing === undefined ? {} : { trailingBytes: bytes(trailing) }),
    });
    return newlines === true ? made : made.replaceAll('\n', '');
  };

  /** `identity` and `signature`; `fields` changes members of the document before it is signed, `shown` after. */
  const identity: Maker = (argument) => {
    const { instance, fields, shown, holder, document: text } = objectOf(argument);
    const { identityDocument, region } = fixtures.instance(String(instance));
    const original = identityDocument().document;
    const change = (with_: Json | undefined) =>
      with_ === undefined ? original : JSON.stringify({ ...JSON.parse(original), ...objectOf(with_) });
    const signed = text === undefined ? change(fields) : String(text);
    const how = { region, ...(holder === 'imposter' ? { holder: 'imposter' as const } : {}) };
    const signature = cloud.signIdentity(signed, how).replaceAll('\n', '');
    return { identity: Buffer.from(shown === undefined ? signed : change(shown)).toString('base64'), signature };
  };

  const certificate: Maker = (argument) => {
    const { kind, region, holder, digest, notAfter, serial } = objectOf(argument);
    return cloud.issueCertificate({
      kind: kind === 'identity-rsa' || kind === 'pkcs7-dsa' ? kind : 'pkcs7-rsa2048',
      ...(region === undefined ? {} : { region: String(region) }),
      ...(holder === 'imposter' ? { holder: 'imposter' as const } : {}),
      ...(digest === 'sha1' || digest === 'sha256' ? { digest } : {}),
      ...(notAfter === undefined ? {} : { notAfter: Date.parse(String(notAfter)) }),
      ...(serial === undefined ? {} : { serialNumber: Uint8Array.from(Buffer.from(String(serial), 'hex')) }),
    });
  };

  function credentialsOf(asked: JsonObject): FakeCredentials {
    const { principal, session = 'session', instance } = asked;
    if (principal === 'root of the account') return sts.issueRootKey();
    if (principal === 'federated user') return sts.issueFederatedUser('guest');
    const { principal: who, keys, sts: instead } = fixtures.principal(String(principal));
    const credentials =
      who.type === 'user'
        ? sts.issueAccessKey(who)
        : sts.assumeRole(who, {
            sessionName: instance === undefined ? String(session) : fixtures.instance(String(instance)).instanceId,
          });
    keys.push(credentials.accessKeyId);
    if (instead !== undefined) simulated.stsAnswers.set(credentials.accessKeyId, instead(credentials.identity));
    return credentials;
  }

  /** The four `iam_*` fields of a request that a principal signed. */
  const iam: Maker = (argument) => {
    const asked = objectOf(argument);
    const { method, region, host, serverId, form, parameters, secondsAgo = 0, set, drop, alter, omit } = asked;
    const request = signCallerIdentityRequest({
      credentials: credentialsOf(asked),
      date: Date.now() - Number(secondsAgo) * 1000,
      method: method === 'GET' ? 'GET' : 'POST',
      headerName: profile.serverIdHeader,
      ...(region === undefined ? {} : { region: String(region) }),
      ...(host === undefined ? {} : { host: String(host) }),
      ...(serverId === undefined ? {} : { serverId: String(serverId) }),
      ...(parameters === undefined ? {} : { parameters: String(parameters) }),
      extraHeaders: headerList(asked['signed']),
      unsignedHeaders: headerList(asked['unsigned']),
    });
    const names = (sent: Json | undefined) =>
      Array.isArray(sent) ? sent.map((name) => String(name).toLowerCase()) : [];
    const replaced = headerList(set);
    const gone = new Set([...names(drop), ...replaced.map(([name]) => name.toLowerCase())]);
    const headers = [...request.headers.filter(([name]) => !gone.has(name.toLowerCase())), ...replaced];
    const fields: Record<string, Json> = {
      // The schema of case files has the four forms.
      ...(callerIdentityFields({ ...request, headers }, form as HeadersForm | undefined) as unknown as JsonObject),
      ...objectOf(alter ?? {}),
    };
    for (const name of names(omit)) delete fields[name];
    return fields;
  };

  return { values: { $pkcs7: pkcs7, $certificate: certificate }, members: { $identity: identity, $iam: iam } };
}

function objectOf(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new TypeError(`an object was expected, not ${JSON.stringify(value)}`);
}

/** One value, or several of one name. */
function headerList(headers: Json | undefined): readonly (readonly [string, string])[] {
  return Object.entries(objectOf(headers ?? {})).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)] as const),
  );
}

function bytes(text: Json): Uint8Array {
  return new TextEncoder().encode(String(text));
}
