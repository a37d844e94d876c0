/** Debian's Chromium, driven by playwright-core, and what is asked of every page that it shows. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCREENSHOTS = join(ROOT, '.ci/out/screenshots');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Pixels. */
const TALLEST_PICTURE = 8000;

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/** Installs Chromium where it is missing, which takes up to a minute, and starts it with a profile of its own. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = execFileSync('sh', [join(ROOT, 'scripts/interop/setup-chromium.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  mkdirSync(SCREENSHOTS, { recursive: true });
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A visitor's window, and everything that should not have happened in it. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Refusals of the content policy, script errors, requests to anywhere else. */
  readonly complaints: string[];
}

export async function openWindow(browser: Browser, url: string, options: BrowserContextOptions): Promise<Window> {
  const context = await browser.newContext({ baseURL: url, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium reports the status of a refused page itself; that is what the test asked for.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(`request to ${request.url()}`);
  });
  return { context, page, complaints };
}

export async function signIn(page: Page, token: string, path = '/registry'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function screenshot(page: Page, name: string): Promise<void> {
  // A picture of a page as tall as a tower takes Chromium minutes, and nobody looks at it.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const path = join(SCREENSHOTS, `registry-${name}.png`);
  await page.screenshot({ path, fullPage: height <= TALLEST_PICTURE });
}

/** Violations of accessibility, one line each. All of axe's rules but the experimental ones. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // By the debugger, which the page's content policy does not bind.
  await page.evaluate(AXE);
  const results = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return results.violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${impact}): ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
}

/** Pixels by which the page is wider than its window; what scrolls in a box of its own does not count. */
export async function overflowPixels(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
