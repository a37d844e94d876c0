/** Holds an answer against the OpenAPI document that the application itself serves: status, content type and schema. */
import type { HttpApp } from '@postern/http';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Each schema is asked a few times: what Ajv spends on the code of its checks, and on that of its meta-schema, is never won back. */
const FAST_TO_COMPILE = { inlineRefs: false, code: { optimize: false }, validateSchema: false } as const;

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
}

/** @throws Error naming what is not as documented. */
export type CheckAnswer = (verb: string, url: string, response: Response) => Promise<void>;

/** Reads the document from the application. */
export async function createAnswerCheck(app: HttpApp<undefined>): Promise<CheckAnswer> {
  const served = await app.fetch(new Request('http://postern.test/v1/sys/openapi.json'), undefined);
  const document = (await served.json()) as Described;
  const ajv = new Ajv2020({ ...FAST_TO_COMPILE, strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'postern');
  const templates = Object.keys(document.paths).map((path) => ({ path, matches: matcherOf(path) }));

  function validate(pointer: readonly string[], body: unknown, where: string): void {
    const fragment = pointer.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    const check = ajv.getSchema(`postern#${fragment.join('')}`);
    if (check === undefined) throw new Error(`${where}: there is no schema at ${pointer.join('/')}`);
    if (!check(body)) throw new Error(`${where}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(body)}`);
  }

  return async (verb, url, response) => {
    const { pathname: asked, search } = new URL(url);
    // A LIST may be spelled with a slash at its end.
    const pathname = verb === 'LIST' ? asked.replace(/\/$/, '') : asked;
    const where = `${verb} ${pathname}${search} answered ${response.status}`;
    const text = await response.clone().text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const isLiteral = (path: string) => !path.includes('{');
    const found = templates
      .filter(({ matches }) => matches.test(pathname))
      .sort((a, b) => +isLiteral(b.path) - +isLiteral(a.path));
    const method = verb === 'LIST' ? 'get' : verb.toLowerCase();
    const path = found.find((each) => document.paths[each.path]?.[method] !== undefined)?.path;
    if (path === undefined) {
      if (![400, 403, 404, 405, 429].includes(response.status)) throw new Error(`${where}: unknown operation`);
      validate(['components', 'schemas', 'Error'], body, where);
      return;
    }
    const responses = document.paths[path]?.[method]?.responses ?? {};
    if (!Object.hasOwn(responses, response.status)) throw new Error(`${where}: the status is not documented`);
    if (response.status === 204) {
      if (body !== undefined) throw new Error(`${where}: with a body`);
      return;
    }
    if (response.headers.get('content-type') !== 'application/json') throw new Error(`${where}: not as JSON`);
    const at =
      response.status >= 400 && !(path.endsWith('/health') && response.status === 503)
        ? ['components', 'responses', `Error${response.status}`]
        : ['paths', path, method, 'responses', String(response.status)];
    validate([...at, 'content', 'application/json', 'schema'], body, where);
  };
}

function matcherOf(template: string): RegExp {
  const parts = template.split(/\{\w+\}/).map((part) => part.replaceAll(/[.]/g, '\\.'));
  // Only a rest of the path holds slashes, and it is the last part.
  return new RegExp(`^${parts.join(template.includes('{role_tag}') ? '.+' : '[^/]+')}$`);
}
