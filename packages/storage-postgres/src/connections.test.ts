/** What is taken from the pool comes back to it, however late. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPostgresStorage } from './index.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a connection that comes after the opening gave up', () => {
  it('goes back to the pool, whole', async () => {
    const session = { is_replica: false, is_read_only: false, server_version: 160_000 };
    const client = { query: async () => ({ rows: [session] }), on: () => undefined, release: vi.fn() };
    let give: (late: typeof client) => void = () => undefined;
    const pool = { connect: () => new Promise<typeof client>((resolve) => (give = resolve)) };
    const opening = expect(openPostgresStorage({ pool, connectTimeoutMs: 1 })).rejects.toMatchObject({
      name: 'PostgresOpenError',
      code: 'unreachable',
    });
    await vi.advanceTimersByTimeAsync(3_000);
    await opening;
    expect(client.release).not.toHaveBeenCalled();
    give(client);
    await vi.advanceTimersByTimeAsync(0);
    expect(client.release.mock.calls).toEqual([[]]);
  });
});
