/** A good `iam` login asks STS once, and nobody else (THREAT-17, THREAT-18, THREAT-20): by the log of STS and by every socket opened. */
import { expect, it } from 'vitest';
import { watchConnections } from './connections.js';
import { createTroubleSite } from './trouble-site.js';

it('twenty good logins are twenty calls to STS and no connection to any other host', async () => {
  const site = await createTroubleSite();
  try {
    const before = site.stsCalls.length;
    const watch = watchConnections();
    for (let login = 0; login < 20; login += 1) {
      const body = site.login.iam(login % 2 === 0 ? 'POST' : 'GET');
      expect((await site.call('POST', 'login', body)).status).toBe(200);
      expect(site.stsCalls).toHaveLength(before + login + 1);
    }
    const { otherHosts, ports } = watch.stop();
    expect(otherHosts).toEqual([]);
    expect(ports).toContain(site.sts.port);
    const allowed = [site.sts.port, Number(new URL(site.server.url).port)];
    expect(ports.filter((port) => !allowed.includes(port))).toEqual([]);
    const calls = site.stsCalls.slice(before);
    expect(new Set(calls.map(({ action, outcome, host }) => `${action} ${outcome} ${host}`))).toEqual(
      new Set(['GetCallerIdentity ok sts.amazonaws.com']),
    );
    expect(site.sts.hosts.slice(-20)).toEqual(Array(20).fill('sts.amazonaws.com'));
    expect(site.ec2.hosts).toEqual([]);
  } finally {
    await site.close();
  }
});
