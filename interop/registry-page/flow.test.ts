/**
 * The page in a real browser that runs no script (PAGE-1): what other programs do through the API appears and
 * disappears, and a manager does the same by forms.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWindow, PHONE, signIn, startBrowser, type Window } from './browser.js';
import { MANAGER, type PageServer, READER, startPageServer } from './site.js';

const MODULE = '/registry/acme/network/aws';

let browser: Browser;
let server: PageServer;
let reader: Window;
let manager: Window;

beforeAll(async () => {
  [browser, server] = await Promise.all([startBrowser(), startPageServer()]);
  const options = { javaScriptEnabled: false, viewport: PHONE };
  reader = await openWindow(browser, server.url, options);
  manager = await openWindow(browser, server.url, options);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const banner = ({ page }: Window, name: string) => page.getByRole('region', { name });

describe('without a script', () => {
  it('a visitor signs in and finds a module by searching', async () => {
    const { page } = reader;
    await signIn(page, 'wrong');
    expect(await page.getByText('This token is not valid.').count()).toBe(1);
    await page.getByLabel('Token').fill(READER);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Search modules').fill('network');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'network', exact: true }).click();
    expect(new URL(page.url()).pathname).toBe(MODULE);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('network');
  });

  it('a deprecation made through the API appears, and disappears after it is reverted', async () => {
    const { page } = reader;
    await page.goto(`${MODULE}/2.1.0`);
    expect(await banner(reader, 'Version 2.1.0 is deprecated').count()).toBe(0);

    const link = 'https://wiki.acme.example/network';
    expect(await server.patch('2.1.0', { 'deprecated-status': 'Deprecated', reason: 'Open by default.', link })).toBe(
      200,
    );
    await page.reload();
    const shown = banner(reader, 'Version 2.1.0 is deprecated');
    expect(await shown.textContent()).toContain('Open by default.');
    expect(await shown.getByRole('link', { name: link }).getAttribute('href')).toBe(link);
    await page.goto(MODULE);
    expect(await page.getByText('The latest version, 2.1.0, is deprecated.').count()).toBe(1);

    expect(await server.patch('2.1.0', { 'deprecated-status': 'Undeprecated' })).toBe(200);
    await page.goto(`${MODULE}/2.1.0`);
    expect(await banner(reader, 'Version 2.1.0 is deprecated').count()).toBe(0);
    expect(await page.getByText('Deprecation reverted').count()).toBe(1);
  });

  it('a manager deprecates by form, corrects what is refused, and reverts', async () => {
    const { page } = manager;
    await signIn(page, MANAGER, `${MODULE}/1.2.0`);
    await page.getByRole('link', { name: 'Deprecate', exact: true }).click();
    await page.getByLabel('Reason for module deprecation').fill('Line one\nline two.');
    await page.getByLabel('Link to additional information').fill('javascript:alert(1)');
    await page.getByLabel('Version', { exact: true }).fill('~> 2.0');
    await page.getByLabel('Sunset date').fill('2027-01-31');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByLabel('Link to additional information').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Reason for module deprecation').inputValue()).toBe('Line one\nline two.');
    expect(await page.getByLabel('Sunset date').inputValue()).toBe('2027-01-31');

    await page.getByLabel('Link to additional information').fill('https://wiki.acme.example/');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    expect(await page.getByLabel('Link to additional information').inputValue()).toBe('https://wiki.acme.example/');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deprecate' }).click();
    expect(await page.getByRole('status').textContent()).toContain('Version 1.2.0 is deprecated.');
    const text = await banner(manager, 'Version 1.2.0 is deprecated').textContent();
    expect(text).toContain('Line one\nline two.');
    expect(text).toContain('Use version ~> 2.0 instead.');
    await page.reload();
    expect(await page.getByRole('status').count()).toBe(0);

    await reader.page.goto(`${MODULE}/1.2.0`);
    expect(await banner(reader, 'Version 1.2.0 is deprecated').count()).toBe(1);
    expect(await reader.page.getByText('Manage version').count()).toBe(0);

    await page.getByRole('link', { name: 'Revert deprecation' }).click();
    await page.getByRole('button', { name: 'Revert deprecation of version 1.2.0' }).click();
    expect(await banner(manager, 'Version 1.2.0 is deprecated').count()).toBe(0);
  });

  it('a manager revokes, and lifts the revocation', async () => {
    const { page } = manager;
    await server.patch('1.0.0', { 'deprecated-status': 'Deprecated' });
    await page.goto(`${MODULE}/1.0.0`);
    await page.getByRole('link', { name: 'Revoke' }).click();
    await page.getByLabel('Reason for module revocation').fill('Leaks a key.');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await banner(manager, 'Version 1.0.0 is revoked').textContent()).toContain('Leaks a key.');
    await page.getByRole('link', { name: 'Lift revocation' }).click();
    await page.getByRole('button', { name: 'Lift revocation of version 1.0.0' }).click();
    expect(await banner(manager, 'Version 1.0.0 is revoked').count()).toBe(0);
    expect(await banner(manager, 'Version 1.0.0 is deprecated').count()).toBe(1);
  });

  it('a page of another site cannot send the form, whatever it knows', async () => {
    await manager.page.goto(`${MODULE}/2.0.0/deprecate`);
    const secret = await manager.page.locator('form input[name=form_secret]').last().inputValue();
    const foreign = await manager.context.newPage();
    // Opaque origin: what a sandboxed frame or a local file would be.
    await foreign.setContent(`<form method="post" action="${server.url}${MODULE}/2.0.0/deprecate">
      <input name="form_secret" value="${secret}"><input name="step" value="confirm"><button>Go</button></form>`);
    await foreign.getByRole('button').click();
    await foreign.waitForURL(`${server.url}/**`);
    expect(await foreign.getByRole('heading', { level: 1 }).textContent()).toMatch(/Form not accepted|Sign in/);
    await manager.page.goto(`${MODULE}/2.0.0`);
    expect(await banner(manager, 'Version 2.0.0 is deprecated').count()).toBe(0);
  });

  it('a visitor signs out', async () => {
    const { page } = reader;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(MODULE);
    expect(await page.getByLabel('Token').count()).toBe(1);
  });

  it('nothing was refused by the content policy, asked elsewhere, or an internal error', () => {
    expect([...reader.complaints, ...manager.complaints]).toEqual([]);
    expect(server.faults).toEqual([]);
  });
});
