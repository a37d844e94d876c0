/** The archive is one that others read, and the same every time. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createModuleArchive } from './module-archive.js';

const FILES = {
  'main.tf': `# ${'x'.repeat(600)}\nvariable "a" {}\n`,
  'modules/empty/main.tf': '',
  'README.md': '# Ä\n',
};

describe('a module archive', () => {
  it('is what tar reads', () => {
    const input = createModuleArchive(FILES);
    const list = execFileSync('tar', ['-tzf', '-'], { input, encoding: 'utf8' });
    expect(list.trim().split('\n')).toEqual(Object.keys(FILES));
    for (const [path, content] of Object.entries(FILES)) {
      expect(execFileSync('tar', ['-xzOf', '-', path], { input, encoding: 'utf8' })).toBe(content);
    }
  });

  it('of the same files is the same bytes', () => {
    expect(createModuleArchive(FILES)).toEqual(createModuleArchive(FILES));
  });

  it.each(['', 'ä.tf', 'a b.tf', 'x'.repeat(101)])('has no path %j', (path) => {
    expect(() => createModuleArchive({ [path]: '' })).toThrow(TypeError);
  });
});
