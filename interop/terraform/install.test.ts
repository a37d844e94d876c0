/** Unmodified clients install modules from Postern, and the run's check says what they keep quiet about (MODULE-4, CHECK-1). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRegistrySite, type RegistrySite, SOURCE } from './registry-site.js';
import { CLIENTS, createWorkingDirectory, versionOf, type WorkingDirectory } from './working-directory.js';

const NOTICE = { reason: 'CVE-2026-0001: greets strangers.', link: 'https://wiki.acme.example/greeting-1.x' };

const CONFIGURATION = `
module "latest_one" {
  source  = "${SOURCE}"
  version = "~> 1.0"
  name    = "a"
}

module "oldest" {
  source  = "${SOURCE}"
  version = "1.0.0"
  name    = "b"
}

module "shout" {
  source  = "${SOURCE}//modules/shout"
  version = ">= 2.0.0"
  text    = module.oldest.greeting
}

output "all" {
  value = [module.latest_one.greeting, module.oldest.greeting, module.shout.loud]
}
`;

let site: RegistrySite;
let work: WorkingDirectory;

beforeEach(async () => {
  site = await openRegistrySite();
  work = createWorkingDirectory();
  work.configure(site);
  work.write('main.tf', CONFIGURATION);
});
afterEach(async () => {
  work.remove();
  await site.close();
});

const installed = () => {
  const text = readFileSync(join(work.folder, '.terraform', 'modules', 'modules.json'), 'utf8');
  const { Modules } = JSON.parse(text) as { Modules: { Key: string; Source: string; Version?: string }[] };
  return Object.fromEntries(Modules.filter(({ Key }) => Key !== '').map(({ Key, Version }) => [Key, Version]));
};

describe.each(CLIENTS)('%s', (client) => {
  const version = versionOf(client);

  it.skipIf(version === undefined)('installs what the constraints pick, from tar and zip, and applies it', async () => {
    console.log(version);
    const init = await work.run(client, 'init');
    expect(init).toMatchObject({ code: 0 });
    expect(installed()).toEqual({ latest_one: '1.1.0', oldest: '1.0.0', shout: '2.0.0' });
    const apply = await work.run(client, 'apply', '-auto-approve');
    expect(apply).toMatchObject({ code: 0 });
    expect(apply.text).toContain('"hello a from 1.1.0", "hello b from 1.0.0", "HELLO B FROM 1.0.0 2.0.0"');
    // One list for all three calls.
    expect(site.requests.filter((request) => request.endsWith('/versions'))).toHaveLength(1);
  });

  it.skipIf(version === undefined)('keeps quiet about a deprecation; the check does not', async () => {
    await site.deprecate('1.1.0', NOTICE);
    const get = await work.run(client, 'get');
    expect(get).toMatchObject({ code: 0 });
    expect(installed()).toMatchObject({ latest_one: '1.1.0' });
    expect(get.text).not.toMatch(/deprecated|CVE/);

    const told = await work.check();
    expect(told).toMatchObject({ code: 0, problems: '' });
    expect(told.out).toBe(
      [
        'Found the following deprecated module versions, consider using an updated version.',
        '',
        `  ${SOURCE} 1.1.0: ${NOTICE.reason}`,
        `    More information: ${NOTICE.link}`,
        '    Used by module.latest_one',
        '',
        'Checked 3 module versions with registry.acme.test: 1 deprecated, 0 revoked.',
        '',
      ].join('\n'),
    );
    expect(site.requests.slice(-1)).toEqual(['POST /api/registry/v1/modules/statuses']);
    expect((await work.check('--fail-on=deprecated')).code).toBe(1);
    // By discovery, at another address than that of the configuration.
    const discovered = await work.check(`--registry=registry.acme.test=${site.url}`, '--fail-on=deprecated', '--json');
    expect(discovered.code).toBe(1);
    expect(JSON.parse(discovered.out)).toMatchObject({ registries: [{ answered: 3 }] });

    await site.reinstate('1.1.0');
    const clean = await work.check('--fail-on=deprecated');
    expect(clean).toMatchObject({ code: 0, problems: '' });
    expect(clean.out).toBe('Checked 3 module versions with registry.acme.test: 0 deprecated, 0 revoked.\n');
  });

  it.skipIf(version === undefined)(
    'does not install a revoked version, and says why; what is there stays',
    async () => {
      expect(await work.run(client, 'get')).toMatchObject({ code: 0 });
      await site.deprecate('1.0.0', NOTICE);
      await site.revoke('1.0.0', 'Its signing key was stolen.');
      expect(await work.run(client, 'init')).toMatchObject({ code: 0 });
      expect((await work.check('--fail-on=sunset')).code).toBe(0);
      const { code, out } = await work.check('--fail-on=revoked');
      expect(code).toBe(1);
      expect(out).toMatch(
        /^Alert: Revoked modules found, this run will not continue\.\n\n {2}\S+ 1\.0\.0: Its signing key/,
      );

      const fresh = createWorkingDirectory();
      try {
        fresh.configure(site);
        fresh.write('main.tf', CONFIGURATION);
        const init = await fresh.run(client, 'init');
        expect(init.code).toBe(1);
        expect(init.text).toContain(
          'Module version 1.0.0 of acme/greeting/test is revoked. Its signing key was stolen.',
        );
        await site.unrevoke('1.0.0');
        expect(await fresh.run(client, 'init')).toMatchObject({ code: 0 });
      } finally {
        fresh.remove();
      }
    },
  );

  it.skipIf(version === undefined)('is refused with a wrong token, and the check with it', async () => {
    work.configure(site, 'a-token-of-nobody');
    const init = await work.run(client, 'init');
    expect(init.code).toBe(1);
    expect(init.text).toMatch(/401 Unauthorized/);
    work.configure(site);
    expect(await work.run(client, 'get')).toMatchObject({ code: 0 });
    work.configure(site, 'a-token-of-nobody');
    const { code, problems } = await work.check('--offline-ok');
    expect(code).toBe(3);
    expect(problems).toMatch(/unauthorized/);
    expect(problems).not.toContain('a-token-of-nobody');
  });

  // OpenTofu has no such command.
  it.skipIf(version === undefined || client === 'tofu')('lists what it installed to the check', async () => {
    await site.deprecate('1.0.0', NOTICE);
    expect(await work.run(client, 'get')).toMatchObject({ code: 0 });
    const modules = await work.run(client, 'modules', '-json');
    expect(modules.code).toBe(0);
    const { code, out } = await work.checkInput(modules.text, '-', '--fail-on=deprecated', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      registries: [{ versions: 3, answered: 3 }],
      diagnostics: [{ severity: 'warning', extra: { version: '1.0.0', source_name: SOURCE } }],
    });
  });
});
