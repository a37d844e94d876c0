/**
 * `node interop/pictures/main.mjs`, after `npm run build`: makes the pictures of the README again, from a sandbox that it starts: the
 * recording of the tour, and the registry page of a deprecated version. Needs Chromium (scripts/interop/setup-chromium.sh).
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { terminalSvg } from './terminal-svg.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const assets = join(root, 'docs/assets');

/** Steps of the tour that the recording shows, by slide. */
const SLIDES = [[2, 4], [5, 6], [10], [17], [20], [21]];
const MOST_LINES = 15;

const folder = mkdtempSync(join(tmpdir(), 'postern-pictures-'));
const sandbox = spawn(
  process.execPath,
  [join(root, 'packages/cli/dist/cli.js'), 'sandbox', '--data', 'postern-data', '--port', '0'],
  { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const output = await untilItServes();
  writeFileSync(join(assets, 'tour.svg'), terminalSvg(slidesOf(output)));
  const [, url = ''] = /export POSTERN=(\S+)/.exec(output) ?? [];
  const [, token = ''] = /export TOKEN=(\S+)/.exec(output) ?? [];
  await deprecate(url, token);
  await photograph(url, token);
} finally {
  sandbox.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** @returns {Promise<string>} what it printed until the end of the tour */
function untilItServes() {
  return new Promise((resolve, reject) => {
    let output = '';
    sandbox.once('exit', (code) => reject(new Error(`the sandbox ended with exit code ${code}:\n${output}`)));
    sandbox.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/export TOKEN=\S+[\s\S]*-X DELETE/.test(output)) resolve(output);
    });
  });
}

/** @param {string} output */
function slidesOf(output) {
  const blocks = output.split(/\n(?= {2,3}\d+ {2})/);
  /** @param {number} step */
  const linesOf = (step) => {
    const block = blocks.find((each) => new RegExp(`^ {2,3}${step} {2}`).test(each));
    if (block === undefined) throw new Error(`the tour has no step ${step}`);
    return block
      .trimEnd()
      .split('\n')
      .filter((line) => line.trim() !== '');
  };
  return SLIDES.map((steps) => {
    const lines = steps.flatMap((step, index) => (index === 0 ? linesOf(step) : ['', ...linesOf(step)]));
    return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 2), '      …', lines.at(-1) ?? ''];
  });
}

/** The tour reinstates what it deprecated. @param {string} url @param {string} token */
async function deprecate(url, token) {
  const response = await fetch(`${url}/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.1.0`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({
      data: {
        type: 'module-versions',
        attributes: {
          deprecation: {
            'deprecated-status': 'Deprecated',
            reason: 'Security groups are open to the world by default.',
            link: 'https://acme.example/advisories/2026-11',
          },
          'deprecation-details': { 'reason-class': 'security', replacement: { version: '~> 1.2' } },
        },
      },
    }),
  });
  if (!response.ok) throw new Error(`the version could not be deprecated: ${response.status} ${await response.text()}`);
}

/** @param {string} url @param {string} token */
async function photograph(url, token) {
  const executablePath = execFileSync('sh', [join(root, 'scripts/interop/setup-chromium.sh')], {
    encoding: 'utf8',
  }).trim();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ baseURL: url, viewport: { width: 900, height: 545 } });
    await page.goto('/registry');
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto('/registry/acme/network/aws/1.1.0');
    await page.screenshot({ path: join(assets, 'registry-page.png') });
  } finally {
    await browser.close();
  }
}
