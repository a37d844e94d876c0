/**
 * Code blocks of the documentation are regions of files that tests run. A block says which, in the line above it:
 * `<!-- example: examples/embed/gate.mjs#readme -->`. Several regions of one name are joined by an empty line.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/** A block of JavaScript or TypeScript, with the marker above it where there is one. */
const BLOCK =
  /(?:<!-- example: (?<file>[^#\s]+)#(?<region>\S+) -->\n+)?```(?<language>js|mjs|ts|tsx|jsx)\n(?<code>[\s\S]*?)```/g;

/** @returns {string[]} the Markdown files whose code must run, relative to the root */
export function documentationPages() {
  return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
}

/** @param {string} file relative to the root @param {string} region */
export function regionOf(file, region) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  /** @type {string[][]} */
  const parts = [];
  let current = /** @type {string[] | undefined} */ (undefined);
  for (const line of lines) {
    if (line.trim() === `// #region ${region}`) current = [];
    else if (line.trim() === '// #endregion' && current !== undefined) {
      parts.push(current);
      current = undefined;
    } else current?.push(line);
  }
  if (parts.length === 0) throw new Error(`${file} has no region ${region}`);
  return parts.map(unindent).join('\n');
}

/** @param {string[]} lines */
function unindent(lines) {
  const depth = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  const text = lines.map((line) => line.slice(depth)).join('\n');
  return `${text.replace(/^\n+|\s+$/g, '')}\n`;
}

/**
 * @param {string} text of a page
 * @returns {{ text: string, unmarked: string[] }} the page with the code of its regions, and blocks that name none
 */
export function withRegions(text) {
  /** @type {string[]} */
  const unmarked = [];
  const result = text.replaceAll(BLOCK, (block, ...rest) => {
    /** @type {{ file?: string, region?: string, language: string, code: string }} */
    const { file, region, language, code } = rest.at(-1);
    if (file === undefined || region === undefined) {
      unmarked.push(code.split('\n')[0] ?? '');
      return block;
    }
    return `<!-- example: ${file}#${region} -->\n\n\`\`\`${language}\n${regionOf(file, region)}\`\`\``;
  });
  return { text: result, unmarked };
}
