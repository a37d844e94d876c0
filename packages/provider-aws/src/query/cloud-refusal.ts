/** An error document of EC2, as an error that looks like those of the SDK: one mapping and one way to retry serve both. */
import type { TransportAnswer } from '../transport/transport.js';
import { itemsAt, readXml, textAt, XmlError, type XmlShape } from './read-xml.js';

export class CloudRefusal extends Error {
  /** The provider's error code. */
  override readonly name: string;
  readonly $metadata: {
    readonly httpStatusCode: number;
    readonly requestId: string | undefined;
    /** The signature was for another time than the provider's, which is known by now. */
    readonly clockSkewCorrected: boolean;
  };
  readonly $response: { readonly statusCode: number; readonly headers: Record<string, string> };

  /** @param message of the provider: it may repeat the request, and goes no further than to who asked */
  constructor(code: string, message: string, answer: TransportAnswer, clockSkewCorrected: boolean) {
    super(message);
    const { status, headers } = answer;
    const requestId = headers['x-amzn-requestid'] ?? headers['x-amzn-request-id'] ?? headers['x-amz-request-id'];
    this.name = code;
    this.$metadata = { httpStatusCode: status, requestId, clockSkewCorrected };
    this.$response = { statusCode: status, headers: { ...headers } };
  }
}

const ERROR: XmlShape = { Code: {}, Message: {} };
const ERRORS: XmlShape = { Errors: { Error: ERROR }, Error: ERROR };
const DOCUMENTS: XmlShape = { Response: ERRORS, ErrorResponse: ERRORS };

/** @param answer of a status of 300 or more; where it is not an error document, as a page of a proxy, the status is all that counts */
export function cloudRefusal(answer: TransportAnswer, clockSkewCorrected: boolean): CloudRefusal {
  const { code = answer.status === 404 ? 'NotFound' : 'Unknown', message = '' } = readError(answer.body);
  return new CloudRefusal(code, message, answer, clockSkewCorrected);
}

function readError(body: Uint8Array): { readonly code?: string | undefined; readonly message?: string | undefined } {
  try {
    const document = readXml(body, DOCUMENTS);
    const [error] = [...itemsAt(document, 'Errors'), ...document.children.filter(({ name }) => name === 'Error')];
    return error === undefined ? {} : { code: textAt(error, 'Code'), message: textAt(error, 'Message') };
  } catch (error) {
    if (error instanceof XmlError) return {};
    throw error;
  }
}
