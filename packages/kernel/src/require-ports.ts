/** Names a port that is missing or misshapen when something is created, instead of at the first call that needs it. */

/** Methods that a port must have. */
export interface PortShape {
  /** Member of the argument, with dots: `cloud`, `cloud.callerIdentity`. */
  readonly port: string;
  readonly methods: readonly string[];
  /** What to pass instead: `createNodeCrypto() of @postern/crypto-node`. */
  readonly pass: string;
  /** It may be left out, and then has no methods. */
  readonly optional?: boolean;
}

/**
 * @param creator name of the function that was called: begins the message
 * @throws TypeError `createAuthMethod: cloud.describeInstance is missing; pass …`
 */
export function requirePorts(creator: string, ports: object, shapes: readonly PortShape[]): void {
  for (const { port, methods, pass, optional = false } of shapes) {
    const value = port.split('.').reduce<unknown>(memberOf, ports);
    if (value === undefined && optional) continue;
    if (value === undefined || value === null) throw new TypeError(`${creator}: ${port} is missing; pass ${pass}`);
    for (const method of methods) {
      const member = memberOf(value, method);
      if (typeof member === 'function') continue;
      const wrong = member === undefined ? 'is missing' : 'is not a function';
      throw new TypeError(`${creator}: ${port}.${method} ${wrong}; pass ${pass}`);
    }
  }
}

function memberOf(value: unknown, name: string): unknown {
  // Any object may be read by any name: what is not there is undefined.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** What every core asks of its storage. */
export const STORAGE_SHAPE: PortShape = {
  port: 'storage',
  methods: ['get', 'getMany', 'list', 'listExpired', 'readLog', 'removeFromLog', 'commit', 'close'],
  pass: 'openSqliteStorage(…), openPostgresStorage(…), createMemoryStorage() or your own Storage',
};

export const CLOCK_SHAPE: PortShape = {
  port: 'clock',
  methods: ['now'],
  pass: 'an object with now(), or leave clock out for that of the machine',
  optional: true,
};

export const AUDIT_SHAPE: PortShape = {
  port: 'audit',
  methods: ['record'],
  pass: 'an object with record(event), such as openAuditFile(…) of @postern/server',
};
