import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, type CairnResult, cairnProcess, cleanEnv, finished, startCairn } from '../support/cli.ts';
import { ripgrepFlags } from '../support/ripgrep-lines.ts';
import { ripgrep } from '../support/tools.ts';
import { createTree } from '../support/tree.ts';

const tree = { 'src/a.ts': 'one foo\nFoo\n', 'b.txt': 'foo in b\n' };
const INPUT = 'one foo\nfoo bar foo\nbaz\nqux\n\tfood\nFoo\nlast foo';

const lines: readonly (readonly string[])[] = [
  ['foo'],
  ['absent'],
  ['-n', 'foo'],
  ['-H', 'foo'],
  ['-nH', 'foo'],
  ['-c', 'foo'],
  ['-cH', 'foo'],
  ['-l', 'foo'],
  ['-v', 'foo'],
  ['-i', 'foo'],
  ['-w', 'foo'],
  ['-o', 'fo+'],
  ['-C1', 'foo'],
  ['-A1', '-n', 'bar'],
  ['--column', 'foo'],
  ['--vimgrep', 'foo'],
  ['--heading', '-n', 'foo'],
  ['-0', '-H', 'foo'],
  ['-m', '1', 'foo'],
  ['-q', 'foo'],
  ['-e', 'bar', '-e', 'qux'],
  ['-U', 'baz\\nqux'],
  ['-F', 'foo'],
  ['-t', 'rust', 'foo'],
  ['-g', '*.md', 'foo'],
  ['foo', '-'],
  ['-nH', 'foo', '-', 'src'],
  ['-nH', 'foo', 'b.txt', '-'],
];

test.each(lines)('grep searches standard input as ripgrep does: %s %s %s %s', async (...args) => {
  const cwd = createTree(tree);
  const given = args.filter((arg) => arg !== undefined);
  const expected = ripgrep([...ripgrepFlags, '--sort=path', ...given], cwd, { input: Buffer.from(INPUT) });
  const { exitCode, stdout } = await cairn(['grep', ...given], { cwd, input: INPUT });
  expect({ exitCode, stdout }).toEqual({ exitCode: expected.exitCode, stdout: expected.stdout.toString() });
});

test('the document names standard input', async () => {
  const { stdout } = await cairn(['grep', 'bar', '--json'], { cwd: createTree(tree), input: INPUT });
  expect(JSON.parse(stdout)).toMatchObject({
    matches: [{ path: '<stdin>', lineNumber: 2, line: 'foo bar foo' }],
    shown: 1,
    totalMatches: 1,
    complete: true,
    notices: [],
  });
});

test('an empty standard input is reported, and how to search files', async () => {
  const notice = 'standard input was empty; to search files, add a path, such as .';
  expect(await cairn(['grep', 'foo'], { cwd: createTree(tree), input: '' })).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `cairn: ${notice}\n`,
  });
  const { stdout } = await cairn(['grep', 'foo', '--json'], { cwd: createTree(tree), input: '' });
  expect(JSON.parse(stdout)).toMatchObject({ matches: [], notices: [notice] });
});

test('with a path, standard input is not read', async () => {
  const { stdout } = await cairn(['grep', 'foo', '.'], { cwd: createTree(tree), input: INPUT });
  expect(stdout).toBe('b.txt:1:foo in b\nsrc/a.ts:1:one foo\n');
  const withOption = await cairn(['grep', 'foo', '--path', 'src'], { cwd: createTree(tree), input: INPUT });
  expect(withOption.stdout).toBe('src/a.ts:1:one foo\n');
});

test('patterns and text cannot both come from standard input', async () => {
  const { exitCode, stderr } = await cairn(['grep', '-f', '-', '-'], { cwd: createTree(tree), input: 'foo' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('-f - and the path - both need standard input');
});

function startShell(script: string, cwd: string): ChildProcess {
  const cairnLine = `'${process.execPath}' '${cairnEntry}'`;
  const text = script.replaceAll('cairn', cairnLine);
  return spawn('sh', ['-c', text], { cwd, env: cleanEnv(), stdio: ['pipe', 'pipe', 'pipe'] });
}

async function shell(script: string, cwd: string = createTree(tree)): Promise<CairnResult> {
  const child = startShell(script, cwd);
  child.stdin?.end();
  return finished(child);
}

describe.skipIf(process.platform === 'win32')('a process', () => {
  const found = 'b.txt:1:foo in b\nsrc/a.ts:1:one foo\n';

  test.each([
    ['a pipe', "printf 'foo 1\\nbar\\n' | cairn grep foo", 'foo 1\n'],
    ['a file', 'cairn grep foo < b.txt', 'foo in b\n'],
    ['a here-document', 'cairn grep foo <<END\nfoo 2\nEND', 'foo 2\n'],
    ['a named pipe as a path', 'mkfifo p; echo foo 3 > p & cairn grep foo p', '1:foo 3\n'],
    ['/dev/stdin as a path', 'echo foo 4 | cairn grep -c foo /dev/stdin', '1\n'],
  ])('searches %s', async (_kind, script, stdout) => {
    expect(await shell(script)).toEqual({ exitCode: 0, signal: null, stdout, stderr: '' });
  });

  test.each([
    ['is /dev/null', 'cairn grep foo < /dev/null'],
    ['is closed', 'cairn grep foo <&-'],
    ['is a directory', 'cairn grep foo < .'],
  ])('searches files when standard input %s', async (_kind, script) => {
    expect(await shell(script)).toEqual({ exitCode: 0, signal: null, stdout: found, stderr: '' });
  });

  test.each([
    ['the reader has enough', 'yes foo | cairn grep foo | head -n 2', 'foo\nfoo\n'],
    ['each file has enough', 'yes foo | cairn grep -m 2 foo', 'foo\nfoo\n'],
    ['the result has enough', 'yes foo | cairn grep --limit 1 foo', 'foo\n'],
    ['one match answers', 'yes foo | cairn grep -q foo', ''],
    ['one match names it', 'yes foo | cairn grep -l foo', '<stdin>\n'],
    ['it is binary and matches', "(printf 'bar\\n\\000'; yes foo) | cairn grep foo", 'binary file matches\n'],
  ])('ends an endless standard input when %s', async (_reason, script, stdout) => {
    expect((await shell(script)).stdout).toBe(stdout);
  });

  test('states that it waits for a silent pipe, and goes on with its data', async () => {
    const child = startShell('cat | cairn grep foo', createTree(tree));
    const note = new Promise<void>((resolve) => {
      let text = '';
      child.stderr?.on('data', (part: Buffer) => {
        text += part.toString();
        if (text.includes('\n')) resolve();
      });
    });
    const result = finished(child);
    await note;
    child.stdin?.end('late foo\n');
    expect(await result).toEqual({
      exitCode: 0,
      signal: null,
      stdout: 'late foo\n',
      stderr: 'cairn: waiting for standard input; to search files, add a path, such as .\n',
    });
  });

  test('searches the text that a program writes to it', async () => {
    const result = await cairnProcess(['grep', 'foo'], { cwd: createTree(tree), input: 'foo 1\n' });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'foo 1\n', stderr: '' });
  });

  test('searches the text that arrived while the machine was busy', async () => {
    // The process gets no time between the start of the wait and its end.
    const busy = `const start = setTimeout;
      globalThis.setTimeout = (run, ms, ...more) => {
        const timer = start(run, ms, ...more);
        for (const end = Date.now() + 2 * ms; ms === 100 && Date.now() < end; );
        return timer;
      };`;
    const preload = `data:text/javascript,${encodeURIComponent(busy)}`;
    const result = await cairnProcess(['grep', 'foo'], { cwd: createTree(tree), input: 'foo 1\n', preload });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'foo 1\n', stderr: '' });
  });

  test('searches files when a program closes its standard input', async () => {
    const result = await cairnProcess(['grep', 'foo'], { cwd: createTree(tree) });
    expect(result).toMatchObject({ exitCode: 0, stdout: found, stderr: '' });
  });

  test('searches files when a program leaves its standard input open and silent, and reports it', async () => {
    const child = startCairn(['grep', 'foo'], { cwd: createTree(tree) });
    const result = await finished(child);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: found,
      stderr: 'cairn: standard input had no data within 100 ms, so files were searched; use - to wait\n',
    });
  });

  test('waits for a program when - asks for it', async () => {
    const child = startCairn(['grep', 'foo', '-'], { cwd: createTree(tree) });
    if (child.stderr === null) throw new Error('the process has a pipe');
    const noted = once(child.stderr, 'data');
    const result = finished(child);
    await noted;
    child.stdin?.end('foo 1\n');
    expect(await result).toMatchObject({ exitCode: 0, stdout: 'foo 1\n' });
  });
});
