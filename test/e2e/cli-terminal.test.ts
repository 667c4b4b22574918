import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { createTree, symlink } from '../support/tree.ts';

const scriptCommand = '/usr/bin/script';
const hasTerminal = process.platform === 'linux' && existsSync(scriptCommand);

/** Runs `cairn` in a pseudo terminal of 60 columns; standard output and error come back as one text. */
async function inTerminal(args: string, cwd: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = `stty cols 60 rows 20; exec "${process.execPath}" "${cairnEntry}" ${args}`;
  const env = cleanEnv({ TERM: 'xterm-256color', SHELL: '/bin/sh', ...more });
  const { stdout } = await promisify(execFile)(scriptCommand, ['-qc', command, '/dev/null'], { cwd, env });
  return stdout.replaceAll('\r\n', '\n');
}

const red = (text: string): string => `\u001b[1;31m${text}\u001b[0m`;
const magenta = (text: string): string => `\u001b[35m${text}\u001b[0m`;
const blue = (text: string): string => `\u001b[34m${text}\u001b[0m`;
const cyan = (text: string): string => `\u001b[36m${text}\u001b[0m`;
const bold = (text: string): string => `\u001b[1m${text}\u001b[0m`;
const green = (text: string): string => `\u001b[32m${text}\u001b[0m`;
const dim = (text: string): string => `\u001b[2m${text}\u001b[0m`;

describe.skipIf(!hasTerminal)('in a terminal', () => {
  test('grep prints a heading per file and highlights the hits', async () => {
    const cwd = createTree({ 'a.txt': 'one hit\n', 'b.txt': 'x\nhit hit\n' });
    expect(await inTerminal('grep hit', cwd)).toBe(
      `${magenta('a.txt')}\n${green('1')}:one ${red('hit')}\n\n${magenta('b.txt')}\n${green('2')}:${red('hit')} ${red('hit')}\n`,
    );
  });

  test('NO_COLOR and --color never leave the layout and drop the colours', async () => {
    const cwd = createTree({ 'a.txt': 'one hit\n' });
    expect(await inTerminal('grep hit', cwd, { NO_COLOR: '1' })).toBe('a.txt\n1:one hit\n');
    expect(await inTerminal('grep hit --color never', cwd)).toBe('a.txt\n1:one hit\n');
  });

  test('ls paints directories and links, and doctor the result of each check', async () => {
    const cwd = createTree({ 'a.txt': '', dir: { 'b.txt': '' }, link: symlink('a.txt') });
    const shown = `a.txt\n${blue('dir/')}\n${cyan('link')} -> a.txt\n`;
    expect(await inTerminal('ls', cwd)).toBe(shown);
    expect(await inTerminal('ls', cwd, { NO_COLOR: '1' })).toBe('a.txt\ndir/\nlink -> a.txt\n');
    expect(await inTerminal('ls --color always', cwd, { NO_COLOR: '1' })).toBe(shown);
    expect(await inTerminal('doctor || true', cwd)).toContain(`${green('ok  ')}  ${bold('node         ')}  `);
    expect(await inTerminal('doctor --color never || true', cwd)).toMatch(/^ok {4}node {11}\d/u);
    // A pipe is plain, unless it is asked for colours.
    expect((await cairn(['ls'], { cwd })).stdout).toBe('a.txt\ndir/\nlink\n');
    expect((await cairn(['ls', '--color', 'always'], { cwd })).stdout).toBe(
      `a.txt\n${blue('dir/')}\n${cyan('link')}\n`,
    );
    expect((await cairn(['doctor'], { cwd })).stdout).not.toContain('\u001b');
  });

  test('names and lines cannot act on the terminal', async () => {
    const cwd = createTree({ 'bad\u001b]0;title\u0007\n.txt': 'hit \u001b[2J\u009b1m\r\n' });
    expect(await inTerminal('glob "*.txt" --color never', cwd)).toBe('"bad\\u001b]0;title\\u0007\\n.txt"\n');
    expect(await inTerminal('grep hit --color never', cwd)).toBe(
      '"bad\\u001b]0;title\\u0007\\n.txt"\n1:hit \\u001b[2J\\u009b1m\n',
    );
    expect(await inTerminal('find bad --color never', cwd)).toBe('"bad\\u001b]0;title\\u0007\\n.txt"\n');
  });

  test('a very long line is cut around its hit and counted', async () => {
    const cwd = createTree({ 'a.txt': `${'x'.repeat(5000)}hit${'y'.repeat(5000)}\n` });
    const shown = await inTerminal('grep hit --color never', cwd);
    expect(shown).toMatch(/^a\.txt\n1:… x+hity+ …\ncairn: shortened 1 line; --max-columns 0 shows whole lines\n$/u);
    expect(shown.split('\n')[1]?.length).toBeLessThanOrEqual(180);
    expect((await inTerminal('grep hit --color never --max-columns 0', cwd)).length).toBeGreaterThan(10_000);
  });

  test('directories have a colour of their own', async () => {
    expect(await inTerminal('glob "*"', createTree({ 'dir/a.txt': '' }))).toBe('\u001b[34mdir\u001b[0m\ndir/a.txt\n');
  });

  test('--long is aligned and readable', async () => {
    expect(await inTerminal('glob "*.txt" --long --color never', createTree({ 'a.txt': 'x'.repeat(2048) }))).toMatch(
      /^ {3}2\.0 KiB {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}a\.txt\n$/u,
    );
  });

  test('an empty result names what was not searched', async () => {
    const shown = await inTerminal('glob "*.nope"', createTree({}));
    expect(shown).toBe(
      `${dim('cairn: nothing found; not searched: hidden names (--hidden)\n  and ignored files (--no-ignore)')}\n`,
    );
  });

  test('the tour fits the width', async () => {
    const cwd = createTree({
      'a-very-long-directory-name/another-very-long-directory-name/and-a-long-file-name.ts': `const extraordinary = '${'x'.repeat(200)}';\n`,
    });
    const shown = await inTerminal('tour --color never', cwd);
    const listed = shown.split('\n').filter((line) => line.startsWith('    '));
    expect(listed.length).toBeGreaterThan(2);
    for (const line of listed) expect(line.length, line).toBeLessThanOrEqual(60);
  });
});

describe('piped', () => {
  test('output is plain, FORCE_COLOR and --color always colour it and keep its layout', async () => {
    const cwd = createTree({ 'a.txt': 'one hit\n' });
    expect((await cairn(['grep', 'hit'], { cwd })).stdout).toBe('a.txt:1:one hit\n');
    const colored = `${magenta('a.txt')}:${green('1')}:one ${red('hit')}\n`;
    expect((await cairn(['grep', 'hit', '--color', 'always'], { cwd })).stdout).toBe(colored);
    expect((await cairn(['grep', 'hit'], { cwd, env: { FORCE_COLOR: '1' } })).stdout).toBe(colored);
    expect((await cairn(['grep', 'hit'], { cwd, env: { FORCE_COLOR: '0' } })).stdout).toBe('a.txt:1:one hit\n');
  });
});
