/**
 * Lets clients use the verb `LIST` (WIRE-6), which Node's HTTP parser rejects.
 *
 * The parser passes on the packet it rejected. When a `LIST` request begins in it, the same bytes are parsed once more as `LINK` over a
 * stream in place of the socket, and the listener restores the method. So Node's own strict parser, limits and writer serve these requests
 * too. The connection ends with the answer.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const LIST = 'LIST ';
/** A method of equal length that the parser knows. */
export const STAND_IN_METHOD = 'LINK';
const STAND_IN = `${STAND_IN_METHOD} `;

/** What the parser accepts of `LIST`, as the beginning of `LINK`. */
const ACCEPTED = 2;

/** Limit on unread bytes of a LIST request, which has a head and no body. */
const MAX_WAITING_BYTES = 64 * 1024;

/** Errors of the parser as Node describes them. */
interface ParserError extends Error {
  readonly code?: string;
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

/** The socket of one LIST request, as the second parser sees it. */
class ListConnection extends Duplex {
  readonly socket: Socket;

  constructor(socket: Socket) {
    super();
    this.socket = socket;
    socket.once('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  /** Where the rate of uploads is measured: a LIST has no body. */
  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  receive(packet: Buffer): void {
    if (this.readableLength + packet.length > MAX_WAITING_BYTES) this.destroy();
    else this.push(packet);
  }

  override _read(): void {
    // Packets arrive through `receive`.
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.socket.destroySoon();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.socket.writableEnded) this.socket.destroy();
    done(error);
  }
}

/** A connection whose parser gave up, and what came since. */
interface Rejected {
  /** Until it is known whether they begin a LIST request. */
  waiting: Buffer | undefined;
  connection: ListConnection | undefined;
}

/**
 * Accepts LIST on a server, and answers everything else that its parser rejects.
 *
 * @param refuse answers a malformed request and closes its socket.
 */
export function acceptListVerb(server: Server, refuse: (code: string | undefined, socket: Duplex) => void): void {
  const rejected = new WeakMap<Duplex, Rejected>();
  const unanswered = countUnanswered(server);

  /** Bytes since the parser gave up, from the beginning of the request on. */
  function receive(state: Rejected, bytes: Buffer, socket: Duplex): void {
    if (state.connection !== undefined) {
      state.connection.receive(bytes);
      return;
    }
    const waiting = state.waiting === undefined ? bytes : Buffer.concat([state.waiting, bytes]);
    state.waiting = waiting;
    const isLonger = waiting.length > LIST.length;
    const isList = isLonger
      ? waiting.toString('latin1', 0, LIST.length) === LIST
      : LIST.startsWith(waiting.toString('latin1'));
    if (!isList || waiting.length > MAX_WAITING_BYTES) refuse('HPE_INVALID_METHOD', socket);
    else if (waiting.length >= LIST.length) unanswered.whenNone(socket, () => open(state, socket));
  }

  function open(state: Rejected, socket: Duplex): void {
    const { waiting } = state;
    if (waiting === undefined || socket.destroyed || socket.writableEnded) return;
    state.waiting = undefined;
    // Only sockets of the server itself come here, and those are TCP sockets.
    const connection = new ListConnection(socket as Socket);
    state.connection = connection;
    connection.receive(Buffer.concat([Buffer.from(STAND_IN, 'latin1'), waiting.subarray(LIST.length)]));
    server.emit('connection', connection);
  }

  server.on('clientError', (error: ParserError, socket) => {
    const { code, bytesParsed = 0, rawPacket } = error;
    const known = rejected.get(socket);
    if (known !== undefined) {
      if (rawPacket !== undefined) receive(known, rawPacket, socket);
      return;
    }
    if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined || socket instanceof ListConnection) {
      refuse(code, socket);
      return;
    }
    const state: Rejected = { waiting: undefined, connection: undefined };
    rejected.set(socket, state);
    receive(state, fromBeginning(rawPacket, bytesParsed), socket);
  });
}

/**
 * The rejected packet from the beginning of its last request on. The parser rejects `LIST` at its `S`; `LI` may have come in the packet
 * before, which is gone. Then what is missing is taken to be that: another beginning with the same end is no method either.
 */
function fromBeginning(packet: Buffer, rejectedAt: number): Buffer {
  const begin = rejectedAt - ACCEPTED;
  if (begin >= 0) return packet.subarray(begin);
  return Buffer.concat([Buffer.from(LIST.slice(0, -begin), 'latin1'), packet]);
}

interface Unanswered {
  /** Runs once all requests of a connection are answered: pipelined answers come in the order of their requests. */
  whenNone(socket: Duplex, run: () => void): void;
}

function countUnanswered(server: Server): Unanswered {
  const counts = new WeakMap<Duplex, { open: number; next: (() => void) | undefined }>();
  server.prependListener('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    const count = counts.get(socket) ?? { open: 0, next: undefined };
    counts.set(socket, count);
    count.open += 1;
    outgoing.once('close', () => {
      count.open -= 1;
      if (count.open === 0) count.next?.();
    });
  });
  return {
    whenNone(socket, run) {
      const count = counts.get(socket);
      if (count === undefined || count.open === 0) run();
      else count.next = run;
    },
  };
}

/** The socket that a request came by. */
export function rootSocket({ socket }: { readonly socket: Duplex }): Duplex {
  return socket instanceof ListConnection ? socket.socket : socket;
}

/** Restores the method of a `LINK` request that came by `acceptListVerb`. To be called before anything else reads it. */
export function restoreListVerb(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const socket: Duplex = incoming.socket;
  if (!(socket instanceof ListConnection)) return;
  incoming.method = LIST.trimEnd();
  outgoing.setHeader('connection', 'close');
}
