/**
 * Between the last byte of an upload and the moment in which its version is visible (PUBLISH-1): content that waits for
 * its turn at its end, and keeps it until it is released. The upload itself, which is as slow as its client, blocks no other request.
 */

export interface HeldContent {
  readonly content: AsyncIterable<Uint8Array>;
  /** Lets the next one on. To be called once the content's reader has ended, well or not, and in any case. */
  release(): void;
}

/**
 * @param takeTurn runs a task once all tasks before it have ended.
 * @param atEnd is done in turn, before the reader hears that the content is over; what it throws, the content throws.
 */
export function holdTurnAtEnd(
  content: AsyncIterable<Uint8Array>,
  takeTurn: (task: () => Promise<void>) => Promise<void>,
  atEnd: () => Promise<void>,
): HeldContent {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });

  async function* held(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* content;
    await new Promise<void>((resolve, reject) => {
      void takeTurn(async () => {
        try {
          await atEnd();
        } catch (error) {
          reject(error);
          return;
        }
        resolve();
        await released;
      });
    });
  }

  return { content: held(), release };
}
