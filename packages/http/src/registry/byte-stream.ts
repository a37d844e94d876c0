/** Between the streams of requests and answers and the iterables of the ports. */

/** Reads as fast as it is asked; let go of when the client goes away. An error half-way breaks the answer off. */
export function bytesOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A request's body, piece by piece: never held whole. */
export async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // Not awaited: a source that never answers its cancellation must not hold the answer back.
    reader.cancel().catch(() => undefined);
  }
}
