import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';

// Long enough that no scan of the tour expires on a slow machine.
const env = { FS_SCAN_CACHE_TTL_MS: '600000', FS_SCAN_EMPTY_RECHECK_MS: '600000' };

function headings(stdout: string): string[] {
  return stdout.split('\n').filter((line) => /^(?:\d\.|Cairn tour|Try next)/u.test(line));
}

const steps: readonly string[] = [
  '1. The content of the tree',
  '2. glob: paths that match a pattern',
  '3. find: a few letters of a path',
  '4. grep: the content of the files',
  '5. The cache learns about a change',
  'Try next',
];

describe('the tour', () => {
  test('shows the tree it is given and asks it things it can answer', async () => {
    const cwd = createTree({
      'src/read-cache.ts': 'export const invalidate = 1;\nconst again = invalidate;\n',
      'src/deep/fs-scan-stats.ts': 'export {};\n',
      'docs/notes.md': 'text\n',
      '.secret/hidden.ts': '',
    });
    const { stdout, stderr, exitCode } = await cairn(['tour'], { cwd, env });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(headings(stdout)).toEqual([`Cairn tour of ${cwd}`, ...steps]);
    expect(stdout).toMatch(/^ {2}3 files, 3 directories in [\d.,]+ ms$/mu);
    expect(stdout).toContain('most frequent         .ts 2, .md 1');
    expect(stdout).toContain('most files below      src/ 2, docs/ 1');
    expect(stdout).toContain("  $ cairn glob '*.ts'\n");
    expect(stdout).toContain('  $ cairn find fsscasta\n    src/deep/fs-scan-stats.ts\n');
    expect(stdout).toMatch(/ {2}\$ cairn grep \w+ --limit 1000\n {4}src\/\S+:\d+: /u);
    expect(stdout).not.toContain('\u001b');
  });

  test('has each search twice, the second one with the cached scan', async () => {
    const { stdout } = await cairn(['tour'], { cwd: createTree({ 'some-file.txt': 'words to find\n' }), env });
    expect(stdout.match(/^ {2}first scan and search [\d.,]+ ms; with the cached scan [\d.,]+ ms/gmu)).toHaveLength(3);
  });

  test('shows that the cache misses the new file until the change is announced', async () => {
    const { stdout } = await cairn(['tour'], { cwd: createTree({ 'a.txt': '', 'b.txt': '' }), env });
    const [, story = ''] = stdout.split('5. The cache learns about a change\n');
    expect(story).toMatch(/^ {2}Wrote cairn-tour-[0-9a-f]{12}\.txt without invalidating the cache\.$/mu);
    expect(story).toMatch(/^ {2}A cached listing does not have it: 2 names in /mu);
    expect(story).toMatch(/^ {2}invalidateFsScanCache dropped 1 cached scan of 1 in /mu);
    expect(story).toMatch(/^ {2}The next listing has it: 3 names in /mu);
    expect(story).toContain('  Deleted the file.');
  });

  test('leaves the tree as it was', async () => {
    const cwd = createTree({ 'a.txt': 'x\n', 'b/c.txt': 'y\n' });
    await cairn(['tour'], { cwd, env });
    expect([readdirSync(cwd), readdirSync(join(cwd, 'b'))]).toEqual([['a.txt', 'b'], ['c.txt']]);
  });

  test('works on an empty directory', async () => {
    const cwd = createTree({});
    const { stdout, stderr, exitCode } = await cairn(['tour'], { cwd, env });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(headings(stdout).slice(1)).toEqual(steps);
    expect(stdout).toContain('0 files, 0 directories in ');
    expect(stdout).toContain('The next listing has it: 1 name in ');
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('says when an ignore file hides the new file', async () => {
    const { stdout, exitCode } = await cairn(['tour'], {
      cwd: createTree({ '.gitignore': '*.txt\n', 'a.md': '' }),
      env,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('The next listing still leaves it out: an ignore file of this tree excludes it.');
  });

  test('reports that the cache is off', async () => {
    const { stdout, exitCode } = await cairn(['tour'], {
      cwd: createTree({ 'a.txt': 'some words\n' }),
      env: { FS_SCAN_CACHE_TTL_MS: '0' },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('scanned again because the cached scan was too old');
    expect(stdout).toContain(
      'A listing already has it: the cached scan was too old, so the directory was scanned again.',
    );
  });

  test('what it says to try next finds something when it is typed', async () => {
    const cwd = createTree({ 'with space/some-file-name.ts': 'const wonderful = 1;\nwonderful;\n' });
    const { stdout } = await cairn(['tour', 'with space'], { cwd, env: { ...env, CAIRN_COMMAND: 'npx cairn' } });
    expect(stdout.split('Try next\n')[1]).toBe(
      [
        "  npx cairn find somfilnam --path 'with space'",
        "  npx cairn glob '*.ts' --path 'with space' --sort-mtime --limit 10 --long",
        "  npx cairn grep -i wonderful --path 'with space' -C 2 --limit 20",
        '  npx cairn help grep',
        '',
      ].join('\n'),
    );
    expect((await cairn(['find', 'somfilnam', '--path', 'with space'], { cwd })).stdout).toBe(
      'with space/some-file-name.ts\n',
    );
  });

  const wrong: readonly (readonly [reason: string, path: string])[] = [
    ['a missing path', 'nowhere'],
    ['a file', 'a.txt'],
  ];
  test.each(wrong)('%s is an error of one line and no tour', async (_reason, path) => {
    const { stdout, stderr, exitCode } = await cairn(['tour', path], { cwd: createTree({ 'a.txt': '' }) });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^cairn: [^\n]+\n$/u);
  });
});
