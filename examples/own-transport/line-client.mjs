/** The other side: calls by line, answers matched by their id. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** @typedef {{ id: number, ok?: import('@postern/core-auth').Outcome, error?: { code: string, kind?: string } }} Answer */

/** @param {number} port */
export async function connectLines(port) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  /** @type {Map<number, (answer: Answer) => void>} */
  const waiting = new Map();
  createInterface({ input: socket }).on('line', (line) => {
    /** @type {Answer} */
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let last = 0;
  return {
    /** @param {string} operation @param {Record<string, unknown>} more @returns {Promise<Answer>} */
    call(operation, more = {}) {
      last += 1;
      const id = last;
      const answered = new Promise((resolve) => waiting.set(id, resolve));
      socket.write(`${JSON.stringify({ id, operation, ...more })}\n`);
      return answered;
    },
    close: () => socket.end(),
  };
}
