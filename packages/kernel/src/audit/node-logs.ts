/**
 * Logs of events: what is kept out of them (AUDIT-3), and those of other nodes (AUDIT-6). Each node has a log of its own and says
 * from time to time that it lives. What a dead one left is fed by another. Conservative: a node is dead whose record did not
 * change for the whole lease, by the clock of the storage where it has one: that of the node that looks may be set meanwhile.
 * One node at a time takes a log over.
 */
import type { AuditEvent, Clock, EpochMillis, LogEntry, Operation, Storage, Version } from '@postern/ports';

/** A node that has not said for so long that it lives is dead. */
export const NODE_LEASE_MS = 300_000;
const BEAT_MS = 60_000;
const PAGE = 1000;

export class NodeLogs {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #node: string;
  #beatAt: EpochMillis | undefined;
  /** Records of others, and when they were first seen as they are. */
  readonly #seen = new Map<string, { readonly version: Version; readonly at: EpochMillis }>();

  constructor(storage: Storage, clock: Clock, prefix: string, node: string) {
    this.#storage = storage;
    this.#clock = clock;
    this.#prefix = prefix;
    this.#node = node;
  }

  logOf(node: string): string {
    return `${this.#prefix}log/${node}`;
  }

  /** Goes along with a commit that appends: no entry is ever in a log that others do not know of. */
  beat(): Operation | undefined {
    const now = this.#clock.now();
    if (this.#beatAt !== undefined && now >= this.#beatAt && now - this.#beatAt < BEAT_MS) return undefined;
    return { type: 'put', key: this.#keyOf(this.#node), value: JSON.stringify({ at: now }), if: 'any' };
  }

  /** After the commit of `beat()`. */
  beaten(): void {
    this.#beatAt = this.#clock.now();
  }

  /** Says that this node lives, where it ever said so. */
  async beatIfDue(): Promise<void> {
    const beat = this.#beatAt === undefined ? undefined : this.beat();
    if (beat === undefined) return;
    await this.#storage.commit([beat]);
    this.beaten();
  }

  /**
   * Takes over what dead nodes left.
   *
   * @param feed feeds a log and resolves to whether nothing is left in it.
   */
  async takeOver(feed: (log: string) => Promise<boolean>): Promise<void> {
    const others = await this.#others();
    if (others.length === 0) return;
    const now = (await this.#storage.now?.()) ?? this.#clock.now();
    for (const { node, version } of others) {
      const claimed = await this.#claim(node, version, now);
      if (claimed === undefined || !(await feed(this.logOf(node)))) continue;
      // Unless it came back: then it has its record, and its log, again.
      await this.#storage
        .commit([{ type: 'delete', key: this.#keyOf(node), if: { version: claimed } }])
        .catch(() => undefined);
      this.#seen.delete(node);
    }
  }

  async #claim(node: string, version: Version, now: EpochMillis): Promise<Version | undefined> {
    const seen = this.#seen.get(node);
    if (seen?.version !== version || now < seen.at) {
      this.#seen.set(node, { version, at: now });
      return undefined;
    }
    if (now - seen.at < NODE_LEASE_MS) return undefined;
    const claim = { type: 'put', key: this.#keyOf(node), value: JSON.stringify({ takenBy: this.#node }) } as const;
    const { versions } = await this.#storage.commit([{ ...claim, if: { version } }]).catch(() => ({ versions: [] }));
    const [claimed] = versions;
    if (claimed !== undefined) this.#seen.set(node, { version: claimed, at: now });
    return claimed;
  }

  async #others(): Promise<readonly { readonly node: string; readonly version: Version }[]> {
    const prefix = this.#keyOf('');
    const { items } = await this.#storage.list(prefix, { limit: PAGE, values: true });
    return items.flatMap(({ key, record }) => {
      const node = key.slice(prefix.length);
      return record === undefined || node === this.#node ? [] : [{ node, version: record.version }];
    });
  }

  #keyOf(node: string): string {
    return `${this.#prefix}nodes/${node}`;
  }
}

/** Undefined for what no outbox wrote: it stays, for an operator to look at. */
export function parseLogEntry({ value }: LogEntry): AuditEvent | undefined {
  try {
    // The log holds what `commit` appended: the JSON text of an event.
    const event = JSON.parse(value) as AuditEvent;
    return typeof event?.id === 'string' ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Of service and batch tokens. Their secret part is longer than any name that begins so by chance. */
const TOKEN = /pst_[\w-]{22,}/gi;

export function redactTokens(text: string): string {
  return text.includes('_') ? text.replace(TOKEN, '(a token)') : text;
}

/** Without tokens in the texts that a caller can choose. Each member by name: a spread costs several times as much. */
export function redactedEvent(id: string, draft: Omit<AuditEvent, 'id'>): AuditEvent {
  const { role, principal, changes, details } = draft;
  return {
    id,
    phase: draft.phase,
    time: draft.time,
    requestId: draft.requestId,
    operation: draft.operation,
    outcome: draft.outcome,
    code: draft.code,
    reason: draft.reason,
    role: role === undefined ? undefined : redactTokens(role),
    principal: principal === undefined ? undefined : redactTokens(principal),
    peerAddress: draft.peerAddress,
    authType: draft.authType,
    tokenHash: draft.tokenHash,
    nonceHash: draft.nonceHash,
    accessor: draft.accessor,
    changes: changes === undefined ? undefined : redactAll(changes),
    details: details === undefined ? undefined : redactAll(details),
  };
}

function redactAll(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  // Mostly there is nothing to take out.
  if (Object.values(texts).every((text) => redactTokens(text) === text)) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redactTokens(text)]));
}
