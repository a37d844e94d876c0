/** The public options, apart from the driver's types: its declarations are not installed with this package. */

/** What is used of a `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>;
}

export interface PostgresPoolClient {
  query(question: {
    readonly text: string;
    readonly name?: string;
    values?: unknown[];
  }): Promise<{ readonly rows: readonly object[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

export interface PostgresStorageOptions {
  /**
   * A `Pool` of `pg` of your own, instead of everything that says how to connect. `close()` leaves it open. It decides on TLS; listen to
   * its `error` event, as `pg` asks. Its type parsers and its other users do not matter.
   */
  readonly pool?: PostgresPool | undefined;
  /**
   * `postgres://user:password@host:port/database?sslmode=verify-full`. Instead of the members below it. What neither names
   * comes from the environment (`PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER`, `PGPASSWORD`, `PGSSLMODE`) or `~/.pgpass`.
   */
  readonly connectionString?: string | undefined;
  /** A host, or the folder of a Unix socket. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  /** A function is called for each new connection, for passwords that expire, such as the IAM tokens of RDS. */
  readonly password?: string | (() => string | Promise<string>) | undefined;
  /** A file that holds the password; read at each new connection, so that it can be changed. A last line end is no part of it. */
  readonly passwordFile?: string | undefined;
  /**
   * Required unless the host is this machine: `false` accepts a connection in the clear. `true`: TLS, with a certificate for the host from a public authority; `ca`: from this one (PEM).
   */
  readonly tls?: boolean | { readonly ca: string } | undefined;
  /** The schema that holds everything, made where it is missing. Default `postern`. */
  readonly schema?: string | undefined;
  /** Connections of this process at once. Default 10. */
  readonly maxConnections?: number | undefined;
  /**
   * How long the server may work on one question, waits for locks included. Default 3,000: then a commit, and the look after
   * its lost answer, end within 10 seconds (STORE-9).
   */
  readonly statementTimeoutMs?: number | undefined;
  /** How long a question waits for a connection, a free one or a new one. Default 3,000. */
  readonly connectTimeoutMs?: number | undefined;
}
