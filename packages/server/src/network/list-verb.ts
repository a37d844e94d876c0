/**
 * Lets clients use the verb `LIST` (WIRE-6), which Node's HTTP parser rejects.
 *
 * The parser passes on the packet it rejected. When that begins a `LIST` request, the same bytes are parsed once more as
 * `LINK` over a stream in place of the socket; the listener restores
 * the method. So Node's own strict parser, limits and writer serve these requests too. The connection ends with the answer.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const LIST = 'LIST ';
/** A method of equal length that the parser knows. */
export const STAND_IN_METHOD = 'LINK';
const STAND_IN = `${STAND_IN_METHOD} `;

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
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.once('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  receive(packet: Buffer): void {
    if (this.readableLength + packet.length > MAX_WAITING_BYTES) this.destroy();
    else this.push(packet);
  }

  override _read(): void {
    // Packets arrive through `receive`.
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.destroySoon();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#socket.writableEnded) this.#socket.destroy();
    done(error);
  }
}

/**
 * Accepts LIST on a server, and answers everything else that its parser rejects.
 *
 * @param refuse answers a malformed request and closes its socket.
 */
export function acceptListVerb(server: Server, refuse: (code: string | undefined, socket: Duplex) => void): void {
  const connections = new WeakMap<Duplex, ListConnection>();
  server.on('clientError', (error: ParserError, socket) => {
    const { code, bytesParsed = 0, rawPacket } = error;
    const known = connections.get(socket);
    if (known !== undefined) {
      if (rawPacket !== undefined) known.receive(rawPacket);
      return;
    }
    const refusedAtStart = code === 'HPE_INVALID_METHOD' && bytesParsed < LIST.length;
    const isList = refusedAtStart && rawPacket?.subarray(0, LIST.length).toString('latin1') === LIST;
    if (!isList || rawPacket === undefined || socket instanceof ListConnection) {
      refuse(code, socket);
      return;
    }
    // Not a ListConnection, so it is what Node's server accepts: a TCP socket.
    const connection = new ListConnection(socket as Socket);
    connections.set(socket, connection);
    connection.receive(Buffer.concat([Buffer.from(STAND_IN, 'latin1'), rawPacket.subarray(LIST.length)]));
    server.emit('connection', connection);
  });
}

/** Restores the method of a `LINK` request that came by `acceptListVerb`. To be called before anything else reads it. */
export function restoreListVerb(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const socket: Duplex = incoming.socket;
  if (!(socket instanceof ListConnection)) return;
  incoming.method = LIST.trimEnd();
  outgoing.setHeader('connection', 'close');
}
