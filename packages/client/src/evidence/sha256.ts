/** SHA-256, plain or keyed, in the shape that the signer of the AWS SDK asks for. */
import { createHash, createHmac } from 'node:crypto';

type Data = string | ArrayBuffer | ArrayBufferView;

export class Sha256 {
  readonly #hash;

  constructor(secret?: Data) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: Data): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  /** Asked for by the shape alone: the signer takes a new one each time. */
  reset(): void {
    throw new TypeError('a digest is used once');
  }
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
