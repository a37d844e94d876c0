/** Answers of the query protocol: elements from nested values, and the errors of EC2 and IAM. */

export interface CloudAnswer {
  readonly status: number;
  readonly body: string;
}

export type Elements = { readonly [name: string]: string | Elements | readonly Elements[] | undefined };

/** A list becomes `<name><each>…</each>…</name>`; undefined is left out. */
export function elements(tree: Elements, each: 'item' | 'member'): string {
  return Object.entries(tree)
    .map(([name, content]) => {
      if (content === undefined) return '';
      if (typeof content === 'string') return `<${name}>${escapeXml(content)}</${name}>`;
      // Narrowed by hand: Array.isArray knows no readonly arrays.
      if (!Array.isArray(content)) return `<${name}>${elements(content as Elements, each)}</${name}>`;
      return `<${name}>${content.map((item: Elements) => `<${each}>${elements(item, each)}</${each}>`).join('')}</${name}>`;
    })
    .join('');
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

export function ec2Answer(action: string, tree: Elements): CloudAnswer {
  const namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  return {
    status: 200,
    body: `<${action}Response xmlns="${namespace}"><requestId>r</requestId>${elements(tree, 'item')}</${action}Response>`,
  };
}

export function ec2Error(status: number, code: string, message = code): CloudAnswer {
  const error = elements({ Errors: { Error: { Code: code, Message: message } }, RequestID: 'r' }, 'item');
  return { status, body: `<Response>${error}</Response>` };
}

export function iamAnswer(action: string, tree: Elements): CloudAnswer {
  const namespace = 'https://iam.amazonaws.com/doc/2010-05-08/';
  const result = `<${action}Result>${elements(tree, 'member')}</${action}Result>`;
  return {
    status: 200,
    body: `<${action}Response xmlns="${namespace}">${result}<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></${action}Response>`,
  };
}

export function queryError(status: number, code: string, message = code): CloudAnswer {
  const error = elements({ Error: { Type: 'Sender', Code: code, Message: message }, RequestId: 'r' }, 'member');
  return { status, body: `<ErrorResponse>${error}</ErrorResponse>` };
}
