import { describe, expect, test } from 'vitest';
import { cairn, linesOf } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';

describe('the patterns of glob', () => {
  const tree = { 'src/a.ts': '', 'src/a.test.ts': '', 'src/b.tsx': '', 'docs/a.md': '', 'README.md': '' };

  test.each([
    [
      ['*.ts', '*.md'],
      ['README.md', 'docs/a.md', 'src/a.test.ts', 'src/a.ts'],
    ],
    [['*.ts', '!*.test.*'], ['src/a.ts']],
    [
      ['!*.test.*', '*.ts'],
      ['src/a.test.ts', 'src/a.ts'],
    ],
    [
      ['!*.md', '-t', 'f'],
      ['src/a.test.ts', 'src/a.ts', 'src/b.tsx'],
    ],
    [
      ['*', '!src/**', '!src', '-t', 'f'],
      ['README.md', 'docs/a.md'],
    ],
    [
      ['src/*.tsx', 'docs/*'],
      ['docs/a.md', 'src/b.tsx'],
    ],
  ])('%j', async (args, expected) => {
    const { stdout, stderr } = await cairn(['glob', ...args], { cwd: createTree(tree) });
    expect({ listed: linesOf(stdout), stderr }).toEqual({ listed: expected, stderr: '' });
  });

  test('that name a directory are patterns, which is reported with the option to search in it', async () => {
    const cwd = createTree(tree);
    expect(await cairn(['glob', '*.ts', 'docs'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'docs\nsrc/a.test.ts\nsrc/a.ts\n',
      stderr:
        'cairn: each argument is a pattern, also the name of a directory (docs); to search in it, use --path docs\n',
    });
    expect((await cairn(['glob', 'docs'], { cwd })).stderr).toBe('');
    expect((await cairn(['glob', '*.ts', 'README.md'], { cwd })).stderr).toBe('');
  });

  test.each([['{a'], ['*.ts', '{a'], ['[a'], ['.'], [''], ['*.ts', ''], []].map((patterns) => [patterns]))(
    '%j are rejected',
    async (patterns) => {
      const { stdout, stderr, exitCode } = await cairn(['glob', ...patterns], { cwd: createTree(tree) });
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(stderr).toMatch(/^cairn: [^\n]+\n$/u);
    },
  );
});
