/** Changing the state of a version by form: two steps, nothing by a foreign form, nothing typed is lost (PAGE-6). */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addVersion,
  createPageSite,
  createVisitor,
  MANAGER,
  NETWORK,
  type PageSite,
  READER,
  type Visitor,
} from '../../test/page/page-site.js';

const VERSION = '/registry/acme/network/aws/1.0.0';
const call = { token: MANAGER, requestId: 'test' };
const address = { ...NETWORK, version: '1.0.0' };

let site: PageSite;
let manager: Visitor;
const stateNow = async () => (await site.registry.open(call).status(address)).state;

beforeEach(async () => {
  site = createPageSite();
  addVersion(site, '1.0.0');
  manager = createVisitor(site.page);
  await manager.signIn(MANAGER);
});

/** Opens the form and sends it with a step. */
async function send(action: string, step: string, fields: Readonly<Record<string, string>> = {}) {
  await manager.get(`${VERSION}/${action}`);
  return manager.post(`${VERSION}/${action}`, { step, ...fields });
}

describe('a manager', () => {
  it('deprecates in two steps, and is led back to the page with a word of it, once', async () => {
    expect((await manager.get(VERSION)).text).toContain(`href="${VERSION}/deprecate"`);
    const fields = {
      reason: 'Too\r\nold.',
      link: 'https://wiki.acme.example/',
      reason_class: 'legacy',
      sunset: '2027-01-31',
    };
    const review = await send('deprecate', 'review', { ...fields, replacement_version: '~> 2.0' });
    expect(review.status).toBe(200);
    expect(review.text).toContain('value="confirm"');
    expect(await stateNow()).toBe('active');
    const done = await manager.post(`${VERSION}/deprecate`, {
      step: 'confirm',
      ...fields,
      replacement_version: '~> 2.0',
    });
    expect(done.status).toBe(303);
    expect(done.headers.get('location')).toBe(VERSION);
    const { deprecation } = await site.registry.open(call).status(address);
    expect(deprecation).toMatchObject({
      reason: 'Too\nold.',
      link: 'https://wiki.acme.example/',
      reasonClass: 'legacy',
      replacement: { module: null, version: '~> 2.0' },
      sunsetAt: Date.parse('2027-01-31T00:00:00Z'),
      by: 'release-bot',
    });
    expect((await manager.get(VERSION)).text).toContain('Version 1.0.0 is deprecated.');
    expect((await manager.get(VERSION)).text).not.toContain('role="status"');
  });

  it('finds what stands in the form, to revise it', async () => {
    await site.registry.open(call).deprecate(address, { reason: 'Too old.', sunset: '2027-01-31T10:00:00Z' });
    const { text } = await manager.get(`${VERSION}/deprecate`);
    expect(text).toContain('Revise deprecation of version 1.0.0');
    expect(text).toContain('Too old.</textarea>');
    expect(text).toContain('type="text" value="2027-01-31T10:00:00.000Z"');
  });

  it('reverts, revokes and lifts a revocation', async () => {
    await site.registry.open(call).deprecate(address, {});
    expect((await send('revoke', 'review', { reason: 'Leaks.' })).status).toBe(200);
    expect((await send('revoke', 'confirm', { reason: 'Leaks.' })).status).toBe(303);
    expect(await stateNow()).toBe('revoked');
    expect((await send('unrevoke', 'confirm')).status).toBe(303);
    expect(await stateNow()).toBe('deprecated');
    expect((await send('reinstate', 'confirm')).status).toBe(303);
    expect(await stateNow()).toBe('active');
  });

  it.each([
    ['revoke', 'active'],
    ['reinstate', 'revoked'],
  ])('is told that %s is not possible for a version that is %s', async (action, state) => {
    if (state === 'revoked') {
      await site.registry.open(call).deprecate(address, {});
      await site.registry.open(call).revoke(address, {});
    }
    const { status, text } = await send(action, 'confirm');
    expect(status).toBe(409);
    expect(text).toContain('Nothing was changed');
    expect(await stateNow()).toBe(state);
  });

  it.each([
    ['reason', 'a\u001b[31mred'],
    ['reason', 'x'.repeat(2001)],
    ['reason', '\u202eevil'],
    ['link', 'javascript:alert(1)'],
    ['link', 'wiki.acme.example'],
    ['reason_class', 'bad-mood'],
    ['replacement_module', 'not a module'],
    ['replacement_version', '>>> 2'],
    ['sunset', '31.1.2027'],
  ])('sees beside the field %s what is wrong with it, in either step', async (field, value) => {
    for (const step of ['review', 'confirm']) {
      const { status, text } = await send('deprecate', step, { reason: 'kept words', [field]: value });
      expect(status).toBe(422);
      expect(text).toContain(`id="${field}-problem"`);
      expect(text).toMatch(new RegExp(`aria-describedby="[^"]*${field}-problem" aria-invalid="true"`));
      if (field !== 'reason') expect(text).toContain('kept words</textarea>');
      if (field === 'link') expect(text).toContain(`value="${value}"`);
    }
    expect(await stateNow()).toBe('active');
  });

  it('gets back to the form with all that was typed', async () => {
    const { text } = await send('deprecate', 'edit', { reason: '<b>"bold"</b>', replacement_module: 'acme/vpc/aws' });
    expect(text).toContain('&lt;b&gt;&quot;bold&quot;&lt;/b&gt;</textarea>');
    expect(text).toContain('value="acme/vpc/aws"');
  });

  it('is refused a megabyte', async () => {
    expect((await send('deprecate', 'review', { reason: 'x'.repeat(1_000_000) })).status).toBe(413);
    expect(await stateNow()).toBe('active');
  });
});

describe('a form', () => {
  const confirm = { step: 'confirm', reason: 'no' };

  it.each([
    ['of another site', { origin: 'https://evil.example' }],
    ['of a sandboxed frame', { origin: 'null' }],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['of a sibling domain', { 'sec-fetch-site': 'same-site' }],
  ])('%s changes nothing', async (_name, headers) => {
    await manager.get(`${VERSION}/deprecate`);
    const { status } = await manager.post(`${VERSION}/deprecate`, confirm, headers);
    expect(status).toBe(403);
    expect(await stateNow()).toBe('active');
  });

  it.each(['', 'guessed'])('with the secret %j changes nothing', async (form_secret) => {
    const { status } = await manager.post(`${VERSION}/deprecate`, { ...confirm, form_secret });
    expect(status).toBe(403);
    expect(await stateNow()).toBe('active');
  });

  it('with the secret of another session changes nothing', async () => {
    const other = createVisitor(site.page);
    await other.signIn(MANAGER);
    const theirs = /name="form_secret" value="([^"]+)"/.exec((await other.get(VERSION)).text)?.[1] ?? '';
    expect((await manager.post(`${VERSION}/deprecate`, { ...confirm, form_secret: theirs })).status).toBe(403);
    expect(await stateNow()).toBe('active');
  });

  it('in another encoding changes nothing', async () => {
    await manager.get(`${VERSION}/deprecate`);
    const answer = await manager.post(`${VERSION}/deprecate`, confirm, { 'content-type': 'text/plain' });
    expect(answer.status).toBe(415);
    expect(await stateNow()).toBe('active');
  });
});

describe('a visitor without the right to manage', () => {
  it('is offered nothing, and finds no form', async () => {
    const reader = createVisitor(site.page);
    await reader.signIn(READER);
    const page = await reader.get(VERSION);
    expect(page.text).not.toContain('Manage version');
    expect((await reader.get(`${VERSION}/deprecate`)).status).toBe(404);
    expect((await reader.post(`${VERSION}/deprecate`, { step: 'confirm' })).status).toBe(404);
    expect(await stateNow()).toBe('active');
  });

  it('is asked to sign in, also with a bearer token that could: programs use the API', async () => {
    const program = createVisitor(site.page);
    const headers = { authorization: `Bearer ${MANAGER}` };
    expect((await program.get(VERSION, headers)).text).not.toContain('Manage version');
    expect((await program.get(`${VERSION}/deprecate`, headers)).status).toBe(401);
    expect((await program.post(`${VERSION}/deprecate`, { step: 'confirm' }, headers)).status).toBe(401);
    expect(await stateNow()).toBe('active');
  });
});
