/** The OpenAPI document as a page for people: what is called how, with which right, what it takes and what it answers. */
import type { Access, Operation } from '@postern/core-auth';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Entry {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
}

/** By the first word of an operation's id, in the order of the page. */
const SECTIONS: Readonly<Record<string, string>> = {
  login: 'Login',
  role: 'Roles',
  'access-list': 'Access list',
  'deny-list': 'Deny list',
  config: 'Configuration',
  tidy: 'Tidying',
  token: 'Tokens',
  policy: 'Policies',
  mounts: 'Mounts',
  'batch-keys': 'Batch tokens',
  'data-keys': 'Data keys',
  registry: 'Registry',
  sys: 'System',
};

interface Line {
  readonly verb: string;
  readonly path: string;
  readonly entry: Entry;
}

export function renderReference(document: Document, operations: readonly Operation[]): string {
  const lines = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]): Line => ({ verb: verbOf(method, entry), path, entry })),
  );
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const sections = Object.entries(SECTIONS).map(([word, title]) => {
    const first = lines.filter(({ entry }) => isFirst(entry) && entry.operationId.split('.')[0] === word);
    return `## ${title}\n\n${first.map((line) => operationText(line, lines, byId.get(line.entry.operationId))).join('\n\n')}`;
  });
  return `${INTRODUCTION}\n\n${sections.join('\n\n')}\n`;
}

const INTRODUCTION = `# Reference of the HTTP interface

Made from the catalogue of operations; a test compares it, and \`npx vitest run packages/http/src/auth/openapi/reference.test.ts -u\`
writes it anew. The same as an OpenAPI 3.1 document: \`GET /v1/sys/openapi.json\`. Names are those of the neutral profile with the
default mount path; with \`"profile": "vault"\` they are the ones that Vault's clients know ([server.md](server.md)). A list is also
\`LIST\` without \`?list=true\`. What each code of a refusal means: [errors.md](errors.md).`;

/** Neither a deprecated path nor a second method of the same. */
function isFirst({ operationId, deprecated }: Entry): boolean {
  return deprecated !== true && !/\.(?:put|post)$/.test(operationId);
}

function verbOf(method: string, { parameters = [] }: Entry): string {
  return parameters.some(({ name, in: where }) => name === 'list' && where === 'query') ? 'LIST' : method.toUpperCase();
}

function operationText(line: Line, all: readonly Line[], operation: Operation | undefined): string {
  const { verb, path, entry } = line;
  const twins = all.filter(({ entry: other }) => other.operationId.startsWith(`${entry.operationId}.`));
  const methods = twins.filter((twin) => twin.path === path).map((twin) => twin.verb);
  const former = [...new Set(twins.filter((twin) => twin.entry.deprecated).map((twin) => `\`${twin.path}\``))];
  return [
    `### ${entry.operationId}`,
    `${entry.summary}.`,
    [
      `* \`${[verb, ...methods].join('|')} ${path}\`${queryText(entry)}`,
      ...(former.length === 0 ? [] : [`* Deprecated: ${former.join(', ')}`]),
      ...(operation === undefined ? [] : [`* ${RIGHTS[operation.access]}`]),
    ].join('\n'),
    ...fieldsText(entry),
    ...answerText(entry),
  ].join('\n\n');
}

const RIGHTS: Readonly<Record<Access, string>> = {
  public: 'Needs no token',
  token: 'Needs a token',
  management: 'Needs a token whose policies grant it',
};

function queryText({ parameters = [] }: Entry): string {
  const names = parameters.filter(({ name, in: where }) => where === 'query' && name !== 'list');
  return names.length === 0 ? '' : `, query: ${names.map(({ name }) => `\`${name}\``).join(', ')}`;
}

function fieldsText({ requestBody }: Entry): readonly string[] {
  if (requestBody === undefined) return [];
  const fields = Object.entries(requestBody.content['application/json']?.schema.properties ?? {});
  const described = fields.filter(([, { description }]) => description !== undefined);
  if (described.length === 0) return [`Body: ${bodyText(requestBody.content)}.`];
  return [
    [
      '| field | |',
      '|---|---|',
      ...described.map(([name, { description }]) => `| \`${name}\` | ${description} |`),
    ].join('\n'),
  ];
}

function bodyText(content: Content): string {
  const [schema] = Object.values(content).map((one) => one.schema);
  const name = schema?.$ref?.split('/').at(-1);
  const types = Object.keys(content).map((type) => `\`${type}\``);
  return name === undefined ? types.join(', ') : `${types.join(', ')}, schema \`${name}\``;
}

function answerText({ responses }: Entry): readonly string[] {
  const good = Object.entries(responses).filter(([status]) => status < '400');
  const texts = good.map(([status, { content }]) => {
    const members = content === undefined ? '' : membersText(content);
    return `${status}${members === '' ? '' : ` ${members}`}`;
  });
  return texts.length === 0 ? [] : [`Answers ${texts.join('; ')}.`];
}

function membersText(content: Content): string {
  const schema = content['application/json']?.schema;
  const told = ['data', 'auth'].flatMap((member) => {
    const names = Object.keys(schema?.properties?.[member]?.properties ?? {});
    return names.length === 0 ? [] : [`\`${member}\`: ${names.map((name) => `\`${name}\``).join(', ')}`];
  });
  if (told.length > 0) return `with ${told.join('; ')}`;
  return schema?.properties?.['request_id'] === undefined ? `with ${bodyText(content)}` : '';
}
