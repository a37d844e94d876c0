/** The opt-in overlay makes unmodified clients warn at every plan; without it archives are as they were published. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRegistrySite, type RegistrySite, SOURCE } from './registry-site.js';
import { CLIENTS, createWorkingDirectory, versionOf, type WorkingDirectory } from './working-directory.js';

/** Quotes, interpolation and a second line: what a string of the configuration language must carry. */
const NOTICE = {
  reason: 'Greets "strangers" \\ $' + '{var.name} %{ if }.\nBadly.',
  link: 'https://wiki.acme.example/x',
};

let site: RegistrySite;
let work: WorkingDirectory;

beforeEach(async () => {
  site = await openRegistrySite();
  work = createWorkingDirectory();
  work.configure(site);
  await site.deprecate('1.0.0', NOTICE);
  await site.deprecate('1.1.0', NOTICE);
});
afterEach(async () => {
  work.remove();
  await site.close();
});

function use(version: string): void {
  work.write('main.tf', `module "net" {\n  source = "${SOURCE}"\n  version = "${version}"\n  name    = "a"\n}\n`);
}

describe.each(CLIENTS)('%s', (client) => {
  const isMissing = versionOf(client) === undefined;

  it.skipIf(isMissing).each([
    ['tar', '1.0.0'],
    ['zip', '1.1.0'],
  ])('warns at every plan of a deprecated version from a %s', async (_format, version) => {
    site.setOverlay(true);
    use(version);
    expect(await work.run(client, 'init')).toMatchObject({ code: 0 });
    for (const command of [['plan'], ['apply', '-auto-approve'], ['plan']]) {
      const { code, text } = await work.run(client, ...command);
      expect(code).toBe(0);
      expect(text).toContain('Warning: Check block assertion failed');
      expect(text).toContain(
        `Module version ${version} of acme/greeting/test is deprecated. ` +
          'Greets "strangers" \\ $' +
          '{var.name} %{ if }. Badly. More information: https://wiki.acme.example/x',
      );
    }
    await site.reinstate(version);
    expect(await work.run(client, 'init', '-upgrade')).toMatchObject({ code: 0 });
    const after = await work.run(client, 'plan');
    expect(after.code).toBe(0);
    expect(after.text).not.toContain('Warning');
  });

  it.skipIf(isMissing)('says nothing of a version that is not deprecated, nor without the opt-in', async () => {
    use('1.0.0');
    expect(await work.run(client, 'init')).toMatchObject({ code: 0 });
    const plain = await work.run(client, 'plan');
    expect(plain.code).toBe(0);
    expect(plain.text).not.toContain('Warning');

    site.setOverlay(true);
    use('2.0.0');
    expect(await work.run(client, 'init')).toMatchObject({ code: 0 });
    const active = await work.run(client, 'plan');
    expect(active.code).toBe(0);
    expect(active.text).not.toContain('Warning');
  });
});
