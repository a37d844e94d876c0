/** Every page, on a phone and on a desk, light and dark: accessible, no wider than its window, loading nothing from elsewhere. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityViolations,
  DESKTOP,
  openWindow,
  overflowPixels,
  PHONE,
  screenshot,
  signIn,
  startBrowser,
  type Window,
} from './browser.js';
import { MANAGER, type PageServer, startPageServer } from './site.js';

const NETWORK = '/registry/acme/network/aws';

/** Name of the screenshot, address. */
const PAGES = [
  ['index', '/registry'],
  ['search-nothing', '/registry?q=nothing'],
  ['organization', '/registry/acme'],
  ['providers', '/registry/acme/database'],
  ['module', NETWORK],
  ['version', `${NETWORK}/2.0.0`],
  ['version-deprecated', `${NETWORK}/2.1.0`],
  ['version-revoked', `${NETWORK}/1.0.0`],
  ['version-hostile', '/registry/acme/trap/aws/1.0.0'],
  ['form', `${NETWORK}/2.1.0/deprecate`],
  ['revert', `${NETWORK}/2.1.0/reinstate`],
  ['not-found', `${NETWORK}/9.9.9`],
] as const;

const LOOKS = [
  ['phone', 'light', PHONE],
  ['phone', 'dark', PHONE],
  ['desktop', 'light', DESKTOP],
  ['desktop', 'dark', DESKTOP],
] as const;

let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([startBrowser(), startPageServer()]);
  const deprecated = { 'deprecated-status': 'Deprecated' };
  await server.patch('2.1.0', {
    ...deprecated,
    reason: 'Flow logs may be written to the wrong account.\nMove to 2.0.0 until 2.1.1 is out.',
    link: 'https://wiki.acme.example/network/2.1',
  });
  await server.patch('1.0.0', { ...deprecated, reason: 'Security groups were open by default.' });
  await server.patch('1.1.0', deprecated);
  const manager = await openWindow(browser, server.url, {});
  await signIn(manager.page, MANAGER, `${NETWORK}/1.0.0/revoke`);
  await manager.page.getByLabel('Reason for module revocation').fill('It is being exploited.');
  await manager.page.getByRole('button', { name: 'Continue' }).click();
  await manager.page.getByRole('button', { name: 'Revoke' }).click();
  await manager.context.close();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

it('the judge of accessibility speaks up', async () => {
  const { page, context } = await openWindow(browser, server.url, {});
  await page.setContent(
    '<html lang="en"><title>x</title><main><h1>x</h1><input><p style="color:#aaa">faint</p></main>',
  );
  const rules = (await accessibilityViolations(page)).map((violation) => violation.split(' ')[0]);
  expect(rules).toEqual(expect.arrayContaining(['label', 'color-contrast']));
  await context.close();
});

describe.each(LOOKS)('on a %s in the %s', (device, colorScheme, viewport) => {
  let window: Window;

  beforeAll(async () => {
    window = await openWindow(browser, server.url, { viewport, colorScheme });
  });

  afterAll(async () => {
    await window?.context.close();
  });

  async function judge(name: string): Promise<void> {
    const { page, complaints } = window;
    await screenshot(page, `${name}-${device}-${colorScheme}`);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await overflowPixels(page)).toBe(0);
    expect(complaints).toEqual([]);
    expect(await page.title()).not.toBe('owned');
  }

  it('the sign-in page, before and after a wrong token', async () => {
    await window.page.goto('/registry');
    await judge('sign-in');
    await signIn(window.page, 'wrong');
    await judge('sign-in-refused');
    await signIn(window.page, MANAGER);
  });

  it.each(PAGES)('the page %s', async (name, path) => {
    await window.page.goto(path);
    await judge(name);
  });

  it('the form with a problem, and the confirmation', async () => {
    const { page } = window;
    await page.goto(`${NETWORK}/2.0.0/deprecate`);
    await page.getByLabel('Reason for module deprecation').fill('Replaced by the second generation.');
    await page.getByLabel('Link to additional information').fill('wiki.acme.example');
    await page.getByRole('button', { name: 'Continue' }).click();
    await judge('form-problem');
    await page.getByLabel('Link to additional information').fill('https://wiki.acme.example/network');
    await page.getByLabel('Kind of reason').selectOption('legacy');
    await page.getByRole('button', { name: 'Continue' }).click();
    await judge('confirm');
    expect(server.faults).toEqual([]);
  });
});
