/** The soak itself, for seconds: what it sends is answered as it expects, and each of its limits fails it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { judgeSoak, soakLines } from './report.js';
import { readSettings } from './settings.js';
import { runSoak, type SoakResult } from './soak.js';

const SECONDS = 12;
const { limits } = readSettings({});
/** Of a process that has just started, memory and times say nothing. */
const youngLimits = { ...limits, rssSlope: 100_000, p99Ms: 5000 };

let result: SoakResult;
beforeAll(async () => {
  result = await runSoak({ storage: 'sqlite', minutes: SECONDS / 60, rate: 40, tell: () => undefined });
}, 120_000);

const samples = (rssMiB: (at: number) => number, p99Ms: number) =>
  Array.from({ length: 50 }, (_, at) => ({
    ...{ atSeconds: at * 36, rssMiB: rssMiB(at), heapMiB: 40, descriptors: 40, p99Ms, ownP99Ms: 11, cpuSeconds: at },
  }));

describe('the soak', () => {
  it('sends every kind of call, and is answered as expected', () => {
    console.log(soakLines(result).join('\n'));
    // How fast a machine is that runs other tests says nothing, either.
    expect(judgeSoak({ ...result, load: { ...result.load, notSent: 0 } }, youngLimits)).toEqual([]);
    const kinds = [...result.load.counts.keys()];
    for (const kind of ['ec2 login', 'ec2 re-login', 'iam login', 'token renewal', 'registry: publish']) {
      expect(kinds).toContain(kind);
    }
    expect(kinds.filter((kind) => kind.startsWith('hostile')).length).toBeGreaterThan(8);
    expect(result.bloats.at(-1)?.liveRows).toBeGreaterThan(20);
  });

  it('does not take the growth of the warm-up for a leak', () => {
    const warm = samples((at) => (at < 16 ? 100 + at * 10 : 260), 12);
    expect(judgeSoak({ ...result, samples: warm }, limits)).toEqual([]);
  });

  it.each<[string, (held: SoakResult) => SoakResult, RegExp]>([
    ['memory grows', (held) => ({ ...held, samples: samples((at) => 100 + at, 12) }), /^RSS grows by 100\.0 MiB/],
    [
      'descriptors stay open',
      (held) => ({ ...held, after: { ...held.after, descriptors: held.before.descriptors + 21 } }),
      /^21 descriptors/,
    ],
    ['its event loop is held', (held) => ({ ...held, samples: samples(() => 100, 72) }), /^event loop p99 72\.0 ms/],
    [
      'its storage keeps what is dead',
      (held) => ({ ...held, bloats: held.bloats.map((each) => ({ ...each, diskBytes: each.liveBytes * 13 })) }),
      /^13\.0 bytes/,
    ],
    [
      'a login is answered 503',
      (held) => ({ ...held, load: { ...held.load, unexpected: ['ec2 login: 503 storage_unavailable'] } }),
      /ec2 login: 503 storage_unavailable/,
    ],
    ['its audit log was changed', (held) => ({ ...held, auditProblems: 'line 3: was changed' }), /audit log.*line 3/],
    ['it does not keep up', (held) => ({ ...held, load: { ...held.load, notSent: 3 } }), /^3 calls not sent/],
  ])('fails a server where %s', (_name, change, fault) => {
    const held = { ...result, samples: samples(() => 100, 12) };
    expect(judgeSoak(held, limits)).toEqual([]);
    const faults = judgeSoak(change(held), limits);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });
});

describe('its settings', () => {
  it('are 30 minutes on both storages, unless the environment says otherwise', () => {
    expect(readSettings({})).toMatchObject({ minutes: 30, storages: ['sqlite', 'postgres'], rate: 40 });
    const set = readSettings({ SOAK_MINUTES: '1', SOAK_STORAGE: 'postgres', SOAK_MAX_RSS_SLOPE: '5' });
    expect(set).toMatchObject({ minutes: 1, storages: ['postgres'], limits: { ...limits, rssSlope: 5 } });
  });

  it.each([{ SOAK_MINUTES: '0' }, { SOAK_RATE: 'fast' }, { SOAK_STORAGE: 'redis' }])('refuse %j', (environment) => {
    expect(() => readSettings(environment)).toThrow(TypeError);
  });
});
