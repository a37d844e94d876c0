/** What the fake STS sends back: the documents of AWS, as XML, or as JSON to those that ask for it (THREAT-15). */

/** An answer before it is sent by either face. */
export interface StsAnswer {
  readonly status: number;
  /** Undefined sends none. */
  readonly contentType: string | undefined;
  readonly body: string | Uint8Array;
  readonly retryAfterSeconds?: number;
  /** Further headers, such as `Location`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whom a key belongs to, as GetCallerIdentity tells it. */
export interface StsIdentity {
  readonly accountId: string;
  readonly arn: string;
  /** `AIDA…`, `AROA…:<session>`, `<account>:<name>` or the account itself. */
  readonly userId: string;
}

export const STS_NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** A document tree: an element's content is text or further elements. */
export interface XmlTree {
  readonly [element: string]: string | XmlTree;
}

export function xmlEscape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Elements on lines of their own, indented, as STS writes them. */
export function xmlLines(tree: XmlTree, indent = ''): string {
  return Object.entries(tree)
    .map(([name, content]) =>
      typeof content === 'string'
        ? `${indent}<${name}>${xmlEscape(content)}</${name}>\n`
        : `${indent}<${name}>\n${xmlLines(content, `${indent}  `)}${indent}</${name}>\n`,
    )
    .join('');
}

/** The document of an action's answer. */
export function actionXml(action: string, result: XmlTree, requestId: string): string {
  const inner = xmlLines({ [`${action}Result`]: result, ResponseMetadata: { RequestId: requestId } }, '  ');
  return `<${action}Response xmlns="${STS_NAMESPACE}">\n${inner}</${action}Response>\n`;
}

/** The document that GetCallerIdentity answers with. */
export function callerIdentityXml(identity: StsIdentity, requestId = '01234567-89ab-cdef-0123-456789abcdef'): string {
  return actionXml('GetCallerIdentity', identityTree(identity), requestId);
}

export function identityTree({ arn, userId, accountId }: StsIdentity): XmlTree {
  return { Arn: arn, UserId: userId, Account: accountId };
}

/** An answer of an action, in the form that the caller's Accept header asks for. */
export function actionAnswer(action: string, result: XmlTree, requestId: string, wantsJson: boolean): StsAnswer {
  const headers = { 'x-amzn-RequestId': requestId };
  if (!wantsJson) {
    return { status: 200, contentType: 'text/xml', body: actionXml(action, result, requestId), headers };
  }
  const document = {
    [`${action}Response`]: { [`${action}Result`]: result, ResponseMetadata: { RequestId: requestId } },
  };
  return { status: 200, contentType: 'application/json', body: JSON.stringify(document), headers };
}

/** An error as AWS answers it. */
export function errorAnswer(status: number, code: string, message: string, requestId: string): StsAnswer {
  const type = status < 500 ? 'Sender' : 'Receiver';
  const inner = xmlLines({ Error: { Type: type, Code: code, Message: message }, RequestId: requestId }, '  ');
  return {
    status,
    contentType: 'text/xml',
    body: `<ErrorResponse xmlns="${STS_NAMESPACE}">\n${inner}</ErrorResponse>\n`,
    headers: { 'x-amzn-RequestId': requestId },
  };
}
