import { execFileSync, spawn } from 'node:child_process';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv, finished, linesOf } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';

describe('names on standard input of find', () => {
  test('are ranked when the command has no path', async () => {
    const cwd = createTree({ 'schedule.ts': '' });
    expect(
      await cairn(['find', 'sched'], { cwd, input: 'lib/cancel.rs\nkernel/sched/core.c\nsched.c\n' }),
    ).toMatchObject({
      exitCode: 0,
      stdout: 'sched.c\nkernel/sched/core.c\n',
      stderr: '',
    });
    expect((await cairn(['find', 'sched', '.'], { cwd, input: 'sched.c\n' })).stdout).toBe('schedule.ts\n');
  });

  test('are found below a directory that a slash ends', async () => {
    const input = 'src/b/c.ts\nsrc/a.ts\nlib/src.ts\nsrc.ts\n';
    expect((await cairn(['find', 'src/'], { cwd: createTree({}), input })).stdout).toBe('src/a.ts\nsrc/b/c.ts\n');
  });

  test('are one of the paths with -', async () => {
    const cwd = createTree({ 'src/core.ts': '', 'core.rs': '' });
    const options = { cwd, input: 'x/core.c\n' };
    const { stdout } = await cairn(['find', 'core', '-', 'src'], options);
    expect(linesOf(stdout).toSorted()).toEqual(['src/core.ts', 'x/core.c']);
    expect(JSON.parse((await cairn(['find', 'core', '-', 'src', '--json'], options)).stdout)).toMatchObject({
      paths: ['-', 'src'],
      totalMatches: 2,
    });
    expect((await cairn(['find', 'core', '--path', '-'], options)).stdout).toBe('x/core.c\n');
  });

  test('give what a search of the directory gives, for each query', async () => {
    const tree = {
      'README.md': '',
      'src/read-cache.ts': '',
      'src/deep/reader.ts': '',
      'lib/readme/index.ts': '',
      'a file.ts': '',
      'grün/größe.md': '',
    };
    const cwd = createTree(tree);
    const input = (await cairn(['find', ''], { cwd })).stdout;
    expect(linesOf(input).length).toBe(11);
    for (const query of [
      '',
      'read',
      'readme',
      'src/read',
      'ts$',
      '!ts',
      '^lib',
      "'cache | reader",
      'gro',
      'a file',
      'raed',
    ]) {
      const listed = await cairn(['find', query], { cwd, input });
      const searched = await cairn(['find', query, '.'], { cwd });
      expect(listed, query).toEqual(searched);
    }
  });

  test('may be those that git lists, with any characters, also with NULs', async () => {
    const cwd = createTree({ 'grün.txt': '', 'src/a b.ts': '', 'x"y.txt': '' });
    const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd });
    git('init', '--quiet');
    git('add', '--all');
    for (const input of [git('ls-files'), git('ls-files', '-z'), git('-c', 'core.quotePath=false', 'ls-files')]) {
      expect((await cairn(['find', 'grün'], { cwd, input })).stdout).toBe('grün.txt\n');
      expect((await cairn(['find', 'x"y'], { cwd, input })).stdout).toBe('x"y.txt\n');
      expect((await cairn(['find', 'a b'], { cwd, input })).stdout).toBe('src/a b.ts\n');
    }
  });

  test('that Cairn printed in quotes are read back', async () => {
    const cwd = createTree({ 'line\nbreak.txt': '', ' blank.txt': '' });
    for (const flags of [[], ['-0']]) {
      const input = (await cairn(['glob', '*', ...flags], { cwd })).stdout;
      const { stdout } = await cairn(['find', 'txt', '--json'], { cwd, input });
      const { matches } = JSON.parse(stdout) as { readonly matches: readonly { readonly path: string }[] };
      expect(matches.map(({ path }) => path).toSorted()).toEqual([' blank.txt', 'line\nbreak.txt']);
    }
  });

  test('that are not valid Unicode are reported', async () => {
    const input = Buffer.concat([Buffer.from('good.txt\nbad'), Buffer.of(0xff), Buffer.from('.txt\n')]);
    const { stdout, stderr } = await cairn(['find', 'txt'], { cwd: createTree({}), input });
    expect(linesOf(stdout).toSorted()).toEqual(['bad\ufffd.txt', 'good.txt']);
    expect(stderr).toBe('cairn: 1 name is not valid Unicode and shown with replacement characters\n');
  });

  test('can be missing, which is reported', async () => {
    expect(await cairn(['find', 'x'], { cwd: createTree({ x: '' }), input: '' })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: "cairn: standard input was empty; to search the current directory, add '.' after the query\n",
    });
  });

  test('are directories when they end with a slash', async () => {
    const options = { cwd: createTree({}), input: 'core/\ncore/a.c\nsched.c\n' };
    expect((await cairn(['find', 'core', '-t', 'd'], options)).stdout).toBe('core/\n');
    expect((await cairn(['find', 'core', '-t', 'f'], options)).stdout).toBe('core/a.c\n');
    expect(await cairn(['find', 'sched', '-t', 'd'], { ...options, input: 'sched\n' })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no name on standard input ends with '/'"),
    });
  });

  test('do not go with --no-hidden', async () => {
    expect(await cairn(['find', 'x', '--no-hidden'], { cwd: createTree({}), input: '.x\n' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--no-hidden does not apply to names on standard input'),
    });
    expect((await cairn(['find', 'x'], { cwd: createTree({}), input: '.x\n' })).stdout).toBe('.x\n');
  });

  test.each([
    ['/dev/null', 'ignore' as const],
    ['an open socket without data', 'pipe' as const],
  ])('are not awaited from %s', async (_what, stdin) => {
    const cwd = createTree({ 'main.ts': '' });
    const child = spawn(process.execPath, [cairnEntry, 'find', 'main'], {
      cwd,
      env: cleanEnv(),
      stdio: [stdin, 'pipe', 'pipe'],
    });
    const { stdout, exitCode } = await finished(child);
    expect({ stdout, exitCode }).toEqual({ stdout: 'main.ts\n', exitCode: 0 });
  });
});
