/**
 * THREAT-33, in whole logins: the abuser may write any text on the instance, and the deny list is made for that very
 * person. Every variant of a deny-listed tag that the well-known parser took for the same tag is denied.
 */
import { describe, expect, it } from 'vitest';
import { codeOf, tokenParameters } from '../../test/create-test-method.js';
import { signText, TAG_KEY, taggedRole, taggedWorld, tagText } from '../../test/role-tags.js';

const LISTED = { policies: ['p'], maxTtlSeconds: 90, instanceId: 'i-1' };

/** The text without its MAC, changed, with the MAC it had: what a reader that rebuilds a canonical form accepts. */
function respell(text: string, change: (signed: string) => string): string {
  const at = text.lastIndexOf(':');
  return change(text.slice(0, at)) + text.slice(at);
}

describe('a deny-listed tag', () => {
  const variants: readonly [string, (signed: string) => string][] = [
    ['(a) d=0', (signed) => signed.replace('d=false', 'd=0')],
    ['(a) d=F', (signed) => signed.replace('d=false', 'd=F')],
    ['(a) d=False', (signed) => signed.replace('d=false', 'd=False')],
    ['(a) d=FALSE', (signed) => signed.replace('d=false', 'd=FALSE')],
    ['(a) m=f', (signed) => signed.replace('m=false', 'm=f')],
    ['(a) d left out', (signed) => signed.replace(':d=false', '')],
    ['(a) m left out', (signed) => signed.replace(':m=false', '')],
    ['(b) fields in another order', (signed) => signed.replace('d=false:m=false', 'm=false:d=false')],
    ['(b) the limit first', (signed) => signed.replace(':t=90', '').replace(':r=r', ':t=90:r=r')],
    ['(c) t=1m30', (signed) => signed.replace('t=90', 't=1m30')],
    ['(c) t=90s', (signed) => signed.replace('t=90', 't=90s')],
    ['(c) t=090', (signed) => signed.replace('t=90', 't=090')],
    ['(c) t=+90', (signed) => signed.replace('t=90', 't=+90')],
    ['(c) t=90.0', (signed) => signed.replace('t=90', 't=90.0')],
    ['(d) a duplicate field, the last right', (signed) => signed.replace('t=90', 't=9:t=90')],
    ['(d) a duplicate role, the last right', (signed) => signed.replace('r=r', 'r=x:r=r')],
    ['(d) a duplicate role, both right', (signed) => signed.replace('r=r', 'r=r:r=r')],
    ['(e) an extra t=0', (signed) => signed.replace('t=90', 't=0:t=90')],
    ['(e) an extra t=0 at the end', (signed) => `${signed}:t=0`],
    ['(e) an extra i=', (signed) => signed.replace(':i=', ':i=:i=')],
    ['policies in another order or case', (signed) => signed.replace('p=p', 'p=P')],
    ['policies twice', (signed) => signed.replace('p=p', 'p=p,p')],
    ['a policy with a blank', (signed) => signed.replace('p=p', 'p=p ')],
    ['the instance in upper case', (signed) => signed.replace('i-1', 'I-1')],
    ['the role in upper case', (signed) => signed.replace('r=r', 'r=R')],
    ['the older form', (signed) => signed.replace('r=r', 'a=r')],
    ['another version', (signed) => signed.replace('v1', 'v2')],
    ['a blank before', (signed) => ` ${signed}`],
    ['an empty part', (signed) => `${signed}:`],
    ['a nonce with loose bits', (signed) => signed.replace('AAECAwQFBgc=', 'AAECAwQFBgd=')],
    ['a nonce without padding', (signed) => signed.replace('=:r', ':r')],
  ];

  it.each(variants)('is not let in with %s', async (_name, change) => {
    const { loginWith, host, tokens } = await taggedWorld();
    const text = await tagText(LISTED);
    const variant = respell(text, change);
    expect(variant).not.toBe(text);
    expect(['role_tag_invalid', 'role_tag_role_mismatch']).toContain(await codeOf(loginWith(variant)));
    await host('deny-list.write', { role_tag: text });
    expect(['role_tag_invalid', 'role_tag_role_mismatch']).toContain(await codeOf(loginWith(variant)));
    expect(await codeOf(loginWith(text))).toBe('role_tag_deny_listed');
    expect(await codeOf(host('deny-list.write', { role_tag: variant }))).toMatch(/^role_(tag_invalid|not_found)$/);
    expect(await tokens()).toEqual([]);
  });

  it.each([
    ['cut short', (mac: string) => mac.slice(0, 22)],
    ['empty', () => ''],
    ['in lower case', (mac: string) => mac.toLowerCase()],
    ['without padding', (mac: string) => mac.slice(0, -1)],
    ['with a line break', (mac: string) => `${mac.slice(0, 20)}\n${mac.slice(20)}`],
    ['with a newline after it', (mac: string) => `${mac}\n`],
    ['as hexadecimal', (mac: string) => Buffer.from(mac, 'base64').toString('hex')],
    ['of zeros', () => Buffer.alloc(32).toString('base64')],
    ['URL-safe', (mac: string) => mac.replaceAll('+', '-').replaceAll('/', '_')],
  ])('is not let in with its MAC %s', async (_name, change) => {
    const { loginWith } = await taggedWorld();
    const text = signText('v1:AAECAwQFBgc=:r=r:d=false:m=false:p=p');
    const dialect = [...Array(200).keys()]
      .map((ttl) => signText(`v1:AAECAwQFBgc=:r=r:d=false:m=false:t=${ttl + 1}`))
      .find((tag) => /[+/]/.test(tag.slice(-44)));
    for (const tag of [text, dialect ?? '']) {
      const at = tag.lastIndexOf(':') + 1;
      const changed = tag.slice(0, at) + change(tag.slice(at));
      if (changed !== tag) expect(await codeOf(loginWith(changed))).toBe('role_tag_invalid');
    }
    expect(await codeOf(loginWith(text))).toBe('allowed');
  });
});

describe('delimiters', () => {
  it('in the name of a policy never become another part', async () => {
    const { host, putRole } = await taggedWorld();
    const name = 'p:t=1';
    await putRole(taggedRole({ token: tokenParameters({ policies: [name] }) }));
    expect(await codeOf(host('role.tag', { role: 'r' }, { policies: [name] }))).toBe('tag_policy_name_invalid');
  });

  it('in the name of a role make it no name', async () => {
    const { host } = await taggedWorld();
    for (const role of ['r:d=true', 'r,q', 'r=q', 'r\n', 'r/q']) {
      expect(await codeOf(host('role.write', { role }, { auth_type: 'ec2' }))).toBe('not_found');
      expect(await codeOf(host('role.tag', { role }))).toBe('not_found');
    }
  });

  it('leave no two tags with one text under the MAC', async () => {
    const texts = await Promise.all([
      tagText({ policies: ['p', 'q'] }),
      tagText({ policies: ['p'], instanceId: 'q' }),
      tagText({ instanceId: 'p' }),
      tagText({ policies: ['p'] }),
      tagText({ maxTtlSeconds: 1 }),
      tagText({ instanceId: '1' }),
      tagText({ policies: ['1'] }),
    ]);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('a tag that was copied', () => {
  it('to another instance is refused where it names its instance', async () => {
    const { host, cloud, login } = await taggedWorld();
    const { data } = await host('role.tag', { role: 'r' }, { instance_id: 'i-1' });
    const tags = { [TAG_KEY]: String(data?.['tag_value']) };
    const other = cloud.launchInstance({ instanceId: 'i-2', imageId: 'ami-1', tags });
    expect(await codeOf(login(other))).toBe('role_tag_instance_mismatch');
    const own = cloud.launchInstance({ instanceId: 'i-10', imageId: 'ami-1', tags });
    expect(await codeOf(login(own))).toBe('role_tag_instance_mismatch');
  });

  it('to another instance reaches no more than the role where it names none', async () => {
    const { host, cloud, login } = await taggedWorld();
    const { data } = await host('role.tag', { role: 'r' });
    const tags = { [TAG_KEY]: String(data?.['tag_value']) };
    const auth = await login(cloud.launchInstance({ imageId: 'ami-1', tags }));
    expect(auth).toMatchObject({ policies: ['default', 'p', 'q'], lease_duration: 3600 });
    const elsewhere = cloud.launchInstance({ imageId: 'ami-2', tags });
    expect(await codeOf(login(elsewhere))).toBe('bound_ami_id_mismatch');
  });

  it('from another role with the same name of its tag is refused', async () => {
    const { host, putRole, loginWith } = await taggedWorld();
    await putRole({ name: 'wide', hmacKey: 'key-of-wide', ...taggedRole() });
    const { data } = await host('role.tag', { role: 'wide' });
    const text = String(data?.['tag_value']);
    expect(await codeOf(loginWith(text))).toBe('role_tag_role_mismatch');
    expect(await codeOf(loginWith(text.replace('r=wide', 'r=r')))).toBe('role_tag_invalid');
  });
});
