/** Sinks outside this machine's files: syslog (RFC 5424) over UDP, TCP or a unix socket, and HTTP. */
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { type ClosableAuditSink, createAuditLines } from './audit-lines.js';

const TIMEOUT_MS = 10_000;
/** Facility 10 (security), severity 5 (notice): RFC 5424, section 6.2.1. */
const PRIORITY = 10 * 8 + 5;

/** @param address `udp://host:514`, `tcp://host:601` or `unix:/path` of a stream socket. */
export function createSyslogSink(address: string): ClosableAuditSink {
  const url = new URL(address);
  const send = url.protocol === 'udp:' ? datagrams(url) : stream(url);
  return createAuditLines({
    name: `syslog ${address}`,
    async append(text) {
      await send.write(text.trimEnd().split('\n').map(syslogMessage));
    },
    release: async () => send.end(),
  });
}

/** The structured text is the message: no part of it needs escaping there. */
export function syslogMessage(line: string): string {
  const { time } = JSON.parse(line) as { time: string };
  return `<${PRIORITY}>1 ${time} ${hostname()} postern ${process.pid} audit - ${line}`;
}

interface Sender {
  write(messages: readonly string[]): Promise<void>;
  end(): void;
}

function datagrams({ hostname: host, port }: URL): Sender {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.unref();
  socket.on('error', () => undefined);
  const one = (message: string) =>
    new Promise<void>((resolve, reject) => {
      socket.send(message, Number(port || 514), host.replace(/^\[|\]$/g, ''), (error) =>
        error ? reject(error) : resolve(),
      );
    });
  return {
    async write(messages) {
      for (const message of messages) await one(message);
    },
    end: () => socket.close(),
  };
}

/** Octet counting (RFC 6587, section 3.4.1): a message may hold anything. One connection, made anew after a failure. */
function stream(url: URL): Sender {
  let socket: Socket | undefined;

  function connect(): Socket {
    const made =
      url.protocol === 'unix:'
        ? createConnection({ path: url.pathname })
        : createConnection({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 601) });
    made.setTimeout(TIMEOUT_MS);
    made.unref();
    const drop = () => {
      made.destroy();
      if (socket === made) socket = undefined;
    };
    made.on('error', drop);
    made.on('close', drop);
    made.on('timeout', () => {
      if (made.writableLength > 0 || made.connecting) made.destroy(new Error('the syslog server does not answer'));
    });
    // What it says is of no use, and must not stop the connection.
    made.resume();
    return made;
  }

  return {
    async write(messages) {
      socket ??= connect();
      const current = socket;
      const framed = messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('');
      await new Promise<void>((resolve, reject) => {
        const failed = () => reject(new Error('the syslog connection failed'));
        current.once('close', failed);
        current.write(framed, (error) => {
          current.off('close', failed);
          if (error) reject(error);
          else resolve();
        });
      });
    },
    end: () => socket?.end(),
  };
}

export interface HttpSinkOptions {
  readonly url: string;
  /** Holds a bearer token; read for each request, so that it can be replaced. */
  readonly tokenFile?: string | undefined;
}

/** Posts batches as JSON lines (`application/x-ndjson`). Anything but 2xx is a failure, and the batch comes again. */
export function createHttpSink({ url, tokenFile }: HttpSinkOptions): ClosableAuditSink {
  return createAuditLines({
    name: `http ${new URL(url).origin}`,
    async append(body) {
      const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-ndjson',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok)
        throw Object.assign(new Error('the audit collector refused events'), { code: `http_${response.status}` });
    },
  });
}
