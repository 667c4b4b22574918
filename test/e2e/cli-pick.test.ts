import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv, finished } from '../support/cli.ts';
import { runInTerminal } from '../support/terminal.ts';
import type { TerminalRun } from '../support/terminal.ts';
import { createTree, fifo, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

const keys = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  interrupt: '\u0003',
  up: '\u001b[A',
  down: '\u001b[B',
  pageDown: '\u001b[6~',
  pageUp: '\u001b[5~',
  home: '\u001b[H',
  end: '\u001b[F',
  backspace: '\u007f',
  eraseWord: '\u0017',
  eraseAll: '\u0015',
} as const;

const tree: Tree = {
  'src/main.ts': 'import { alpha } from "./alpha.ts";\nalpha();\n',
  'src/alpha.ts': 'export function alpha() {\n\treturn 1;\n}\n',
  'src/beta.ts': 'export const beta = 2;\n',
  'docs/read me.md': '# Read me\n',
  'image.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
};

/** The item that Enter would choose. */
function selected(rows: readonly string[]): string | undefined {
  return rows.find((row) => row.startsWith('> '))?.slice(2);
}

function isSelected(name: string): (rows: string[]) => boolean {
  return (rows) => selected(rows) === name;
}

async function pickIn(files: Tree, args: readonly string[] = []): Promise<TerminalRun> {
  const run = runInTerminal(['pick', ...args], { cwd: createTree(files) });
  await run.until((rows) => /\d+ (?:path|line)|type to search/u.test(rows.at(-1) ?? ''), 'the first answer');
  return run;
}

const hasTerminal = process.platform !== 'win32';

describe.skipIf(!hasTerminal)('in a terminal of 80x24', () => {
  test('shows a prompt, a list, a preview and the keys', async () => {
    const run = await pickIn(tree);
    const rows = await run.until(
      (seen) => seen.some((row) => row.includes('docs: 1 entry')),
      'the preview of a directory',
    );
    expect(rows[0]).toBe('find>');
    expect(rows.slice(1, 8)).toEqual([
      '> docs/',
      '  src/',
      '  image.png',
      '  docs/read me.md',
      '  src/alpha.ts',
      '  src/beta.ts',
      '  src/main.ts',
    ]);
    expect(rows.findIndex((row) => row.startsWith('──'))).toBe(12);
    expect(rows[23]).toMatch(/^7 paths +Enter choose {2}Tab search in files {2}Esc leave$/u);
    expect(run.isOnOtherScreen()).toBe(true);
    expect(run.cursor).toEqual({ row: 0, column: 6 });
  });

  test('typing ranks the files, marks the letters and shows the best one', async () => {
    const run = await pickIn(tree);
    run.type('alp');
    const rows = await run.until(
      (seen) => isSelected('src/alpha.ts')(seen) && seen.some((row) => row.includes('return 1')),
      'alpha',
    );
    expect(rows[0]).toBe('find> alp');
    expect(run.hits(1).replace('>', '')).toBe('alp');
    expect(rows.slice(12, 16)).toEqual([
      `── src/alpha.ts: lines 1-3 of 3 ${'─'.repeat(48)}`,
      ' 1 export function alpha() {',
      ' 2     return 1;',
      ' 3 }',
    ]);
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'src/alpha.ts\n' });
    expect(run.isOnOtherScreen()).toBe(false);
  });

  test.each([
    [['alhpa'], '1 path, none as typed: with a typo'],
    [['srcbet'], '1 path, none as typed: beginnings of words'],
    [['dcsrdm'], '1 path, none as typed: scattered letters'],
    [['alhpa', 'src', 'docs'], '1 path, none as typed below the searched paths: with a typo'],
  ])('the last row tells guesses from matches of %j', async (args, summary) => {
    const run = await pickIn(tree, args);
    const rows = await run.until((seen) => /^\d+ paths?\b/u.test(seen.at(-1) ?? ''), 'the guesses');
    expect(rows.at(-1)).toContain(summary);
    run.type(keys.eraseAll);
    run.type('read');
    await run.until((seen) => /^1 path {2,}/u.test(seen.at(-1) ?? ''), 'a match as typed');
    run.type(keys.escape);
    await run.end;
  });

  test('arrows, pages and ends move the selection, and the list scrolls', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`file${String(index).padStart(2, '0')}.txt`, `content ${index}\n`]),
    );
    const run = await pickIn(many);
    const steps: readonly (readonly [key: string, name: string])[] = [
      [keys.up, 'file00.txt'],
      [keys.down, 'file01.txt'],
      ['\u001bOB', 'file02.txt'],
      ['\u000e', 'file03.txt'],
      ['\u0010', 'file02.txt'],
      [keys.up, 'file01.txt'],
      [keys.pageDown, 'file11.txt'],
      [keys.end, 'file59.txt'],
      [keys.down, 'file59.txt'],
      [keys.pageUp, 'file49.txt'],
      [keys.home, 'file00.txt'],
      [keys.down + keys.down, 'file02.txt'],
    ];
    for (const [key, name] of steps) {
      run.type(key);
      await run.until(isSelected(name), `${name} selected after ${JSON.stringify(key)}`);
    }
    await run.until((rows) => rows.some((row) => row.includes('content 2')), 'its preview');
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'file02.txt\n' });
  });

  test('letters, words and all can be erased', async () => {
    const run = await pickIn(tree, ['src be']);
    await run.until(isSelected('src/beta.ts'), 'beta');
    run.type(`x${keys.backspace}${keys.eraseWord}`);
    await run.until((rows) => rows[0] === 'find> src', 'the word erased');
    run.type(keys.eraseAll);
    await run.until((rows) => rows[0] === 'find>' && isSelected('docs/')(rows), 'all erased');
    run.type('日本é😀');
    await run.until((rows) => rows[0] === 'find> 日本é😀', 'other scripts');
    run.type(keys.backspace.repeat(3));
    await run.until((rows) => rows[0] === 'find> 日', 'characters erased as a whole');
  });

  test('Tab searches in files as one types, and back', async () => {
    const run = await pickIn(tree);
    run.type(`alpha${keys.tab}`);
    const rows = await run.until(
      (seen) => seen.some((row) => row.startsWith('> src/alpha.ts:1: export function alpha() {')),
      'lines',
    );
    expect(rows[0]).toBe('grep> alpha');
    expect(rows.slice(2, 4)).toEqual([
      '  src/main.ts:1: import { alpha } from "./alpha.ts";',
      '  src/main.ts:2: alpha();',
    ]);
    expect(run.hits(2)).toBe('alphaalpha');
    expect(rows[23]).toMatch(/^3 lines +Enter choose {2}Tab search for paths {2}Esc leave$/u);
    run.type(`${keys.down}${keys.down}`);
    await run.until(
      (seen) =>
        (selected(seen) ?? '').startsWith('src/main.ts:2:') &&
        seen.some((row) => row.includes('main.ts: lines 1-2 of 2')),
      'the third line',
    );
    run.type(keys.tab);
    await run.until((seen) => seen[0] === 'find> alpha' && isSelected('src/alpha.ts')(seen), 'paths again');
    run.type(`${keys.tab}${keys.enter}`);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'src/alpha.ts:1\n' });
  });

  test('shows that a pattern is incomplete, and that a pattern matches nothing', async () => {
    const run = await pickIn(tree, ['--grep']);
    expect(run.rows().at(-1)).toContain('type to search in files');
    run.type('alpha(');
    await run.until(
      (rows) => /3 lines, searched as plain text|lines/u.test(rows.at(-1) ?? ''),
      'an answer to an open group',
    );
    run.type('zzz');
    await run.until((rows) => rows.at(-1)?.startsWith('0 lines') === true, 'no line');
    run.type(keys.enter + keys.escape);
    expect(await run.end).toEqual({ exitCode: 1, stdout: '' });
  });

  test('shows that a search for lines skips node_modules, if there is one that no rule ignores', async () => {
    for (const [files, end] of [
      [{ a: 'alpha', node_modules: { b: 'alpha' } }, /^1 line, node_modules not searched/u],
      [{ a: 'alpha', '.gitignore': 'node_modules/', node_modules: { b: 'alpha' } }, /^1 line +Enter/u],
    ] as const) {
      const run = await pickIn(files, ['--grep', 'alpha']);
      await run.until((rows) => end.test(rows.at(-1) ?? ''), 'the line');
      run.type(keys.escape);
      expect((await run.end).exitCode).toBe(1);
    }
  });

  test('Esc leaves with status 1, Ctrl-C with 130, both without a choice', async () => {
    for (const [key, exitCode] of [
      [keys.escape, 1],
      [keys.interrupt, 130],
    ] as const) {
      const run = await pickIn(tree);
      run.type(key);
      expect(await run.end).toEqual({ exitCode, stdout: '' });
      expect(run.isOnOtherScreen()).toBe(false);
    }
  });

  test('Enter that comes before the answer chooses its first item', async () => {
    const run = runInTerminal(['pick'], { cwd: createTree(tree) });
    await run.until((rows) => rows[0] === 'find>', 'the prompt');
    run.type(`beta${keys.enter}`);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'src/beta.ts\n' });
  });

  test('pasted text is one query, its line ends choose nothing', async () => {
    const run = await pickIn(tree);
    run.type('\u001b[200~src\nbeta\r\n\u001b[201~');
    await run.until((rows) => rows[0] === 'find> src beta' && isSelected('src/beta.ts')(rows), 'the pasted query');
  });

  test('a whole file may be pasted: its end is shown, and it can be erased', async () => {
    const run = await pickIn(tree);
    run.type(`\u001b[200~${'pasted é text '.repeat(1000)}end\u001b[201~`);
    const rows = await run.until((seen) => seen[0]?.endsWith('text end') === true, 'the end of the query');
    expect(rows[0]?.length).toBeLessThanOrEqual(80);
    run.type(keys.eraseAll);
    await run.until((seen) => seen[0] === 'find>' && isSelected('docs/')(seen), 'all erased');
  });

  test('names and contents cannot act on the terminal', async () => {
    const run = await pickIn({ 'bad\u001b[2J\n.txt': 'hidden \u001b]0;title\u0007 text\r\n' });
    const rows = await run.until((seen) => seen.some((row) => row.includes('text')), 'the preview');
    expect(selected(rows)).toBe('bad\\u001b[2J\\n.txt');
    expect(rows.join('\n')).toContain('hidden \\u001b]0;title\\u0007 text');
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'bad\u001b[2J\n.txt\n' });
  });

  test('a name that is chosen cannot act on the terminal it is printed on', async () => {
    const run = runInTerminal(['pick'], {
      cwd: createTree({ 'bad\u001b[2J\u009b1mname.txt': '' }),
      script: 'exec "$NODE" "$CAIRN" "$@"',
    });
    await run.until(isSelected('bad\\u001b[2J\\u009b1mname.txt'), 'the name');
    run.type(keys.enter);
    expect((await run.end).exitCode).toBe(0);
    expect(run.isOnOtherScreen()).toBe(false);
    expect(run.rows()[0]).toBe('"bad\\u001b[2J\\u009b1mname.txt"');
  });

  test('binary files, images and huge lines have a preview that fits', async () => {
    const run = await pickIn({ 'a.bin': Buffer.alloc(100), 'b.txt': `${'x'.repeat(100_000)}\n`, ...tree });
    run.type('a.bin');
    await run.until(
      (rows) => rows.some((row) => row.includes('a.bin is not a text file: binary data')),
      'what a binary file is',
    );
    run.type(`${keys.eraseAll}b.txt`);
    const rows = await run.until((seen) => seen.some((row) => row.includes('1 xxxx')), 'the long line');
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
    run.type(`${keys.eraseAll}image`);
    await run.until((seen) => seen.some((row) => row.startsWith('── image.png')), 'what the image is');
  });

  test('long paths and wide characters stay in their rows', async () => {
    const run = await pickIn({ [`${'very-long-directory/'.repeat(8)}target.ts`]: '', [`${'日本'.repeat(40)}.ts`]: '' });
    run.type('target');
    await run.until((rows) => (selected(rows) ?? '').includes('target.ts'), 'the end of the long path');
    run.type(`${keys.eraseAll}日`);
    const rows = await run.until((seen) => (selected(seen) ?? '').startsWith('日本'), 'the wide name');
    expect(rows[23]).toContain('Enter choose');
  });

  test('a long matched line has its path, its number and the match in one row', async () => {
    const run = await pickIn({ 'src/long.txt': `first\n${'x '.repeat(500)}needle${' y'.repeat(500)}\n` }, [
      '--grep',
      'needle',
    ]);
    const row = selected(run.rows()) ?? '';
    expect(row).toMatch(/^src\/long\.txt:2: … [x ]+needle[ y]+…$/u);
    expect(run.hits(1).replace('>', '')).toBe('needle');
  });

  test('a change of size draws everything again, down to a few rows', async () => {
    const run = await pickIn(tree);
    run.type('a');
    await run.until((rows) => rows[0] === 'find> a' && rows.some((row) => row.startsWith('──')), 'the whole picture');
    run.resize(40, 8);
    const small = await run.until(
      (rows) =>
        rows.length === 8 &&
        !rows.some((row) => row.startsWith('──')) &&
        /^\d+ paths? +Tab lines {2}Esc leave$/u.test(rows[7] ?? ''),
      'no preview, and fewer words about the keys',
    );
    expect(small[0]).toBe('find> a');
    run.resize(100, 30);
    await run.until(
      (rows) =>
        rows.length === 30 && (rows[29] ?? '').includes('Esc leave') && rows.some((row) => row.startsWith('──')),
      'all of it',
    );
    run.resize(12, 2);
    await run.until((rows) => rows.length === 2 && rows[0] === 'find> a', 'the prompt');
    run.type(keys.enter);
    expect((await run.end).exitCode).toBe(0);
  });

  test('what tools of the shell see: standard output alone has the choice', async () => {
    const cwd = createTree(tree);
    const script = 'choice="$("$NODE" "$CAIRN" "$@")"; echo "status $? choice $choice" > "$OUT"';
    const run = runInTerminal(['pick', 'read me', '--path', 'docs'], { cwd, script });
    await run.until(isSelected('read me.md'), 'the file');
    run.type(keys.enter);
    expect((await run.end).stdout).toBe('status 0 choice docs/read me.md\n');
  });

  test('several directories share one list, with rows that begin with the directory', async () => {
    const run = await pickIn({ ...tree, 'lib/alpha.ts': 'alpha\n', 'skipped/alpha.ts': 'alpha\n' }, [
      'alpha',
      'src',
      '--path',
      './lib/',
    ]);
    expect(run.rows().slice(1, 4)).toEqual(['> lib/alpha.ts', '  src/alpha.ts', '']);
    expect(run.hits(2)).toBe('alpha');
    run.type(keys.tab);
    await run.until((rows) => rows[0] === 'grep> alpha' && selected(rows) === 'lib/alpha.ts:1: alpha', 'lines');
    expect(
      run
        .rows()
        .slice(1, 5)
        .map((row) => row.slice(2, 15)),
    ).toEqual(['lib/alpha.ts:', 'src/alpha.ts:', 'src/main.ts:1', 'src/main.ts:2']);
    run.type(keys.down);
    await run.until((rows) => rows.some((row) => row.startsWith('── src/alpha.ts: lines 1-3 of 3')), 'the preview');
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'src/alpha.ts:1\n' });
  });

  test('a directory that cannot be searched is reported next to the matches of the others', async () => {
    const run = await pickIn(tree, ['alpha', 'missing', 'src']);
    expect(run.rows()[1]).toBe('> src/alpha.ts');
    expect(run.rows().at(-1)).toMatch(/^1 path, cannot find [^ ]*/u);
  });

  test('-0 ends the choice with a NUL', async () => {
    const run = await pickIn(tree, ['beta', '-0']);
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'src/beta.ts\0' });
  });

  test('names on standard input are the list, with previews, and keys come from the terminal', async () => {
    const run = runInTerminal(['pick'], {
      cwd: createTree(tree),
      script: String.raw`printf 'src/beta.ts\nnot a file\nsrc/main.ts\n' | "$NODE" "$CAIRN" "$@" > "$OUT"`,
    });
    const rows = await run.until((seen) => (seen.at(-1) ?? '').startsWith('3 paths  '), 'the whole list');
    expect(rows.at(-1)).toMatch(/^3 paths +Enter choose {2}Esc leave$/u);
    run.type(`${keys.tab}beta`);
    await run.until(
      (seen) =>
        seen[0] === 'find> beta' && isSelected('src/beta.ts')(seen) && seen.join('\n').includes('export const beta'),
      'the file and its preview',
    );
    run.type(`${keys.eraseAll}not`);
    const text = await run.until(
      (seen) => isSelected('not a file')(seen) && seen.some((row) => row.startsWith('── not a file ──')),
      'a name without a file',
    );
    const title = text.findIndex((row) => row.startsWith('──'));
    expect(text.slice(title + 1, -1).join('')).toBe('');
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'not a file\n' });
  });

  test('names are shown while they arrive, and the selection stays with its name', async () => {
    const cwd = createTree({ 'more.fifo': fifo() });
    const run = runInTerminal(['pick', 'ts'], {
      cwd,
      script: String.raw`{ printf 'b.ts\nd.ts\n'; cat more.fifo; } | "$NODE" "$CAIRN" "$@" > "$OUT"`,
    });
    const rows = await run.until((seen) => (seen.at(-1) ?? '').startsWith('2 paths, reading'), 'the first names');
    expect(rows.slice(1, 4)).toEqual(['> b.ts', '  d.ts', '']);
    run.type(keys.down);
    await run.until(isSelected('d.ts'), 'the second name selected');
    writeFileSync(join(cwd, 'more.fifo'), 'a.ts\nc.ts\nother\n');
    const all = await run.until((seen) => (seen.at(-1) ?? '').startsWith('4 paths  '), 'the end of the list');
    expect(all.slice(1, 6)).toEqual(['  a.ts', '  b.ts', '  c.ts', '> d.ts', '']);
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'd.ts\n' });
  });

  test('Enter before the first name waits for it', async () => {
    const cwd = createTree({ 'more.fifo': fifo() });
    const run = runInTerminal(['pick'], { cwd, script: 'cat more.fifo | "$NODE" "$CAIRN" "$@" > "$OUT"' });
    await run.until((seen) => (seen.at(-1) ?? '').startsWith('0 paths, reading standard input …'), 'the empty list');
    run.type(keys.enter);
    writeFileSync(join(cwd, 'more.fifo'), 'first.ts\nsecond.ts\n');
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'first.ts\n' });
  });

  test('Esc ends the picker while names arrive', async () => {
    const run = runInTerminal(['pick'], {
      cwd: createTree({}),
      script: 'yes name.ts | "$NODE" "$CAIRN" "$@" > "$OUT"',
    });
    await run.until((seen) => (seen.at(-1) ?? '').includes('reading standard input'), 'the list grows');
    run.type(keys.escape);
    expect(await run.end).toEqual({ exitCode: 1, stdout: '' });
  });

  test('an empty list is shown as such', async () => {
    const run = runInTerminal(['pick'], { cwd: createTree(tree), script: ': | "$NODE" "$CAIRN" "$@" > "$OUT"' });
    await run.until((seen) => (seen.at(-1) ?? '').startsWith('0 paths  '), 'no name');
    run.type(keys.enter + keys.escape);
    expect(await run.end).toEqual({ exitCode: 1, stdout: '' });
  });

  test('a path, --grep or /dev/null on standard input search files', async () => {
    const cwd = createTree(tree);
    for (const [args, input] of [
      [['alpha', 'src'], 'echo piped |'],
      [['--grep', 'alpha'], 'echo piped |'],
      [['alpha'], '< /dev/null'],
    ] as const) {
      const script = input.endsWith('|')
        ? `${input} "$NODE" "$CAIRN" "$@" > "$OUT"`
        : `"$NODE" "$CAIRN" "$@" ${input} > "$OUT"`;
      const run = runInTerminal(['pick', ...args], { cwd, script });
      await run.until((rows) => (selected(rows) ?? '').includes('alpha.ts'), 'the file');
      run.type(keys.enter);
      expect((await run.end).stdout).toMatch(/^src\/alpha\.ts/u);
    }
  });

  test.each([
    [['x', '-', 'src'], '- excludes --grep, --watch and other paths'],
    [['--grep', '--path', '-'], '- excludes --grep, --watch and other paths'],
    [['x', '-', '--watch'], '- excludes --grep, --watch and other paths'],
    [['--grep', '-t', 'd'], '--grep and --type d exclude each other'],
    [['x', '-'], 'standard input is a terminal'],
  ])('%j are rejected, and the terminal is as before', async (args, message) => {
    const run = runInTerminal(['pick', ...args], { cwd: createTree(tree) });
    expect((await run.end).exitCode).toBe(2);
    expect(run.rows()[0]).toContain(message);
    expect(run.isOnOtherScreen()).toBe(false);
  });

  test('-t and -e keep kinds and extensions, even when lines are searched', async () => {
    const run = await pickIn({ ...tree, 'docs/alpha.md': 'alpha\n' }, ['alpha', '-e', 'md', '-t', 'f']);
    expect(run.rows().slice(1, 3)).toEqual(['> docs/alpha.md', '']);
    run.type(keys.tab);
    await run.until((rows) => rows[0] === 'grep> alpha' && (rows.at(-1) ?? '').startsWith('1 line '), 'its line');
    const directories = await pickIn(tree, ['-t', 'd']);
    expect(directories.rows().slice(1, 4)).toEqual(['> docs/', '  src/', '']);
    directories.type(keys.tab);
    await directories.until((rows) => (rows.at(-1) ?? '').startsWith('directories have no lines'), 'no lines');
  });

  test('the operators of fzf count while typing', async () => {
    const run = await pickIn({ 'a.ts': '', 'a.test.ts': '', 'a.md': '' });
    run.type('a !test');
    await run.until((rows) => rows[0] === 'find> a !test' && rows.slice(1, 4).join() === '> a.ts,  a.md,', 'no test');
    run.type(' ts$');
    await run.until((rows) => rows[0] === 'find> a !test ts$' && rows.slice(1, 3).join() === '> a.ts,', 'one file');
    expect(run.hits(1).replace('>', '')).toBe('ats');
  });

  test('standard error may be a file: it is drawn on the terminal', async () => {
    const run = runInTerminal(['pick', 'beta'], {
      cwd: createTree(tree),
      script: '"$NODE" "$CAIRN" "$@" > "$OUT" 2> "$OUT.err"',
    });
    await run.until(isSelected('src/beta.ts'), 'the file');
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'src/beta.ts\n' });
  });

  test('SIGTERM gives the terminal back', async () => {
    const run = await pickIn(tree);
    run.kill('SIGTERM');
    expect(await run.end).toEqual({ exitCode: 143, stdout: '' });
    expect(run.isOnOtherScreen()).toBe(false);
  });

  test('an unexpected failure restores the terminal before it is reported', async () => {
    const preload = 'process.on("SIGUSR2", () => { throw new Error("out of the blue"); });';
    const run = runInTerminal(['pick'], {
      cwd: createTree(tree),
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` },
    });
    await run.until(isSelected('docs/'), 'the first answer');
    run.kill('SIGUSR2');
    expect(await run.end).toEqual({ exitCode: 2, stdout: '' });
    expect(run.isOnOtherScreen()).toBe(false);
    expect(run.rows()[0]).toContain('out of the blue');
  });

  test('NO_COLOR is respected', async () => {
    const run = runInTerminal(['pick', 'alp'], { cwd: createTree(tree), env: { NO_COLOR: '1' } });
    await run.until(isSelected('src/alpha.ts'), 'the file');
    expect(run.hits(1)).toBe('');
  });

  test('a missing directory is reported', async () => {
    const run = runInTerminal(['pick', '--path', 'missing'], { cwd: createTree(tree) });
    await run.until((rows) => (rows.at(-1) ?? '').includes('missing'), 'the error');
    run.type(keys.escape);
    expect((await run.end).exitCode).toBe(1);
  });

  test('a hundred thousand files: typing finds one at once', async () => {
    const cwd = temporaryDirectory();
    const make = `for d in $(seq 1 100); do mkdir -p "dir$d" && (cd "dir$d" && seq -f 'file%04.0f.txt' 1 1000 | xargs touch); done`;
    const made = spawn('/bin/sh', ['-c', make], { cwd, stdio: 'ignore' });
    expect((await finished(made)).exitCode).toBe(0);
    writeFileSync(join(cwd, 'dir57/needle.ts'), 'found it\n');
    const run = runInTerminal(['pick'], { cwd });
    await run.until((rows) => (rows.at(-1) ?? '').startsWith('500 of 100,101 paths'), 'all paths counted');
    for (const letter of 'needle') run.type(letter);
    await run.until(
      (rows) => isSelected('dir57/needle.ts')(rows) && rows.some((row) => row.includes('found it')),
      'the needle',
    );
    run.type(`${keys.eraseAll}found it${keys.tab}`);
    await run.until((rows) => (selected(rows) ?? '').startsWith('dir57/needle.ts:1:'), 'the line');
    run.type(keys.enter);
    expect(await run.end).toEqual({ exitCode: 0, stdout: 'dir57/needle.ts:1\n' });
  });
});

test('without a terminal it names the command to use instead', async () => {
  // A session of its own has no terminal that could be opened.
  const child = spawn(process.execPath, [cairnEntry, 'pick'], {
    cwd: createTree(tree),
    env: cleanEnv(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(await finished(child)).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: "cairn: 'cairn pick' needs a terminal; use 'cairn find' or 'cairn grep' instead\n",
  });
});

test.skipIf(!hasTerminal)('a terminal that cannot be drawn on counts as none', async () => {
  const run = runInTerminal(['pick'], { cwd: createTree(tree), env: { TERM: 'dumb' } });
  await run.until((rows) => rows.some((row) => row.includes('needs a terminal')), 'the message');
  expect((await run.end).exitCode).toBe(2);
});

test('the help names every key', async () => {
  const { stdout } = await cairn(['pick', '--help']);
  for (const key of ['Up', 'Down', 'PgUp', 'PgDn', 'Enter', 'Tab', 'Esc']) expect(stdout).toContain(key);
});
