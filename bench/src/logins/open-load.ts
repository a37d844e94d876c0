/**
 * Load that does not wait for answers: requests start at random moments of a given rate, as those of many clients do, and each is timed
 * from the moment when it was due to be sent, so that a server that stalls is charged for all that come meanwhile.
 */
import { connect, type Socket } from 'node:net';
import { isWholeAnswer } from './load.js';

export interface OpenLoad {
  readonly bodies: readonly string[];
  readonly perSecond: number;
  /** A request for which none is free waits for one, and its time runs. */
  readonly connections: number;
}

/** @returns milliseconds of each request, sorted. @throws Error for an answer other than 200 */
export async function sendAtRate(port: number, path: string, load: OpenLoad): Promise<readonly number[]> {
  const { bodies, perSecond, connections } = load;
  const latencies: number[] = [];
  const waiting: { readonly body: string; readonly since: number }[] = [];
  const free: Line[] = [];
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(port)));
  free.push(...lines);
  await new Promise<void>((resolve, reject) => {
    const send = (): void => {
      while (free.length > 0 && waiting.length > 0) {
        // The one that waited longest: a server closes what is idle for some seconds.
        const line = free.shift();
        const next = waiting.shift();
        if (line === undefined || next === undefined) return;
        line.ask(
          `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-length: ${next.body.length}\r\n\r\n${next.body}`,
          (answer) => {
            if (!answer.startsWith('HTTP/1.1 200')) return reject(new Error(`refused: ${answer.slice(0, 200)}`));
            latencies.push(performance.now() - next.since);
            free.push(line);
            if (latencies.length === bodies.length) resolve();
            else send();
          },
        );
      }
    };
    for (const line of lines) line.onClosed(() => reject(new Error('the server closed a connection')));
    let sent = 0;
    let due = performance.now();
    const tick = (): void => {
      const now = performance.now();
      for (; due <= now && sent < bodies.length; sent += 1) {
        waiting.push({ body: bodies[sent] ?? '', since: now });
        due += (-Math.log(1 - Math.random()) * 1000) / perSecond;
      }
      send();
      if (sent < bodies.length) setTimeout(tick, Math.max(0, due - performance.now()));
    };
    tick();
  });
  for (const line of lines) line.end();
  return latencies.toSorted((left, right) => left - right);
}

interface Line {
  ask(request: string, onAnswer: (answer: string) => void): void;
  /** Unless it was ended. */
  onClosed(closed: () => void): void;
  end(): void;
}

async function openLine(port: number): Promise<Line> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  let received = '';
  let answered: (answer: string) => void = () => undefined;
  socket.on('data', (text) => {
    received += text;
    if (!isWholeAnswer(received)) return;
    const answer = received;
    received = '';
    answered(answer);
  });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    ask(request, onAnswer) {
      answered = onAnswer;
      socket.write(request);
    },
    onClosed: (closed) => socket.once('close', closed),
    end: () => {
      socket.removeAllListeners('close');
      socket.end();
    },
  };
}
