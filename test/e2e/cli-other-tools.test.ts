/**
 * Command lines as the guides of ripgrep, fd and fzf show them, typed with `cairn`. Each does what the other tool does, or is
 * rejected with what to type instead: a line for each way to reject it. `foreign-options.test.ts` of the package has every option.
 */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { ripgrepFlags } from '../support/ripgrep-lines.ts';
import { ripgrep } from '../support/tools.ts';
import { createTree, file, symlink } from '../support/tree.ts';

/** Splits a line into words as a shell does that expands nothing. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/gu)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/gu, (_, one?: string, other?: string) => one ?? other ?? ''),
  );
}

/** What a line prints on standard output, and a part of standard error. */
interface Expected {
  readonly prints: string;
  readonly says?: string;
  readonly exitCode?: number;
  readonly input?: string;
}

/** The line is rejected, and the error states what to type instead. */
function refused(instead: string): Expected {
  return { prints: '', says: instead, exitCode: 2 };
}

async function check(line: string, expected: Expected, cwd: string): Promise<void> {
  const { prints, says = '', exitCode = 0, input } = expected;
  const ran = await cairn(wordsOf(line), { cwd, input });
  expect({ stdout: ran.stdout, exitCode: ran.exitCode }, line).toEqual({ stdout: prints, exitCode });
  expect(ran.stderr, line).toContain(says);
}

describe('ripgrep', () => {
  const tree = {
    'README.md': [
      '# ripgrep',
      '',
      'ripgrep is fast, and faster than others.',
      'It is a fast tool with the fastest search; fast it is.',
      'clap parses arguments. A foo(bar) too.',
      '',
    ].join('\n'),
    'Cargo.toml': '[dependencies]\nclap = "4"\n',
    'patterns.txt': 'fast\nclap\n',
    src: {
      'lib.rs': 'pub fn write(clap: u8) {}\n  fn run() { clap(); }\n// TODO: Fast path\n',
      'main.rs': 'fn main() {\n    run();\n}\n\nfn write() {}\n',
      'app.js': "function run() { return 'clap'; }\n",
      'page.html': '<title>A page of clap</title>\n',
      deep: { 'more.h': '#define FAST 1\n', 'more.c': '#include "more.h"\nint fast = FAST;\n' },
    },
    '.gitignore': '*.log\n',
    'ignored.log': 'clap is ignored\n',
    '.hidden': { config: 'clap = hidden\n' },
    'dos.txt': 'one clap\r\ntwo\r\n',
    'wide.txt': Buffer.from('\ufeffclap in UTF-16\n', 'utf16le'),
  };

  /** What cairn does anyway. */
  const ourDefaults = [...ripgrepFlags, '--sort=path', '--line-number', '--hidden'];

  /** The same as ripgrep prints, which runs next to it. */
  const same: readonly (string | readonly [line: string, input: string])[] = [
    'fast README.md',
    "'fast\\w+' README.md",
    "'fast\\w*' README.md",
    "'fn write\\('",
    "'fn write\\(' src",
    'fast README.md src',
    "clap -g '*.toml'",
    "clap -g '!*.toml'",
    "clap -g '*.{rs,js}' -g '!main*'",
    "clap -g '!*.rs' -g 'lib.rs'",
    "'fn run' --type rust",
    "'fn run' -trust",
    'run -t js -t rust',
    'clap -Tjs',
    'clap --type-not rust -T js',
    'clap --no-ignore',
    'clap --hidden',
    'clap -.',
    'clap -u',
    'clap -uu',
    'clap --no-config',
    'clap -j 1',
    'clap --threads=4',
    'clap --mmap',
    'clap --line-buffered',
    'clap --sort path',
    'clap -E auto',
    'fast -i',
    'FAST -S',
    'fast -S',
    'fast --smart-case --case-sensitive',
    "-F 'foo(bar)'",
    "--fixed-strings 'foo(bar)'",
    '-w fast',
    '--word-regexp fast -c',
    '-v clap Cargo.toml',
    '--invert-match fast README.md',
    '-x \'clap = "4"\'',
    '-e fast -e clap',
    '-e fast src',
    '-e=fast src',
    "-g='*.toml' clap",
    '-t=rust -A=1 TODO',
    '-r= fast README.md',
    '--column --no-column fast',
    '--no-column --column fast',
    '-v --no-invert-match fast README.md',
    '--no-ignore --ignore clap',
    '-a --no-text clap',
    '-U --no-multiline fast',
    '--json --no-json fast',
    '-L --no-follow clap',
    '--no-trim clap',
    '--unicode fast README.md',
    '-f patterns.txt',
    '-f patterns.txt README.md src/lib.rs',
    '-- -v',
    '-e -v',
    '-o fast README.md',
    '--only-matching fast',
    '-n fast README.md',
    '-N fast README.md',
    '-I fast README.md',
    '-c fast',
    '-c fast README.md',
    '--count-matches fast',
    '-co fast README.md',
    '--count clap',
    '-l clap',
    '--files-with-matches fast src',
    '-m 1 fast',
    '--max-count=1 fast README.md',
    '-A 1 TODO',
    '-B 1 TODO',
    '-C 1 main',
    '-C2 run src/main.rs',
    '-U "run\\(\\);\\n\\}" src',
    "--multiline 'fn main(?s:.)*?\\}'",
    "-P 'fast(?= it)'",
    "--pcre2 '(?<=a )fast'",
    '--column fast README.md',
    '--vimgrep fast',
    '--heading fast src',
    '--no-heading fast src',
    '-0 -l fast',
    '--max-depth 1 clap',
    '-d 2 fast',
    '-q fast',
    '-q absent',
    'absent',
    '--files',
    '--files src',
    "--files -g '*.rs'",
    '--files -t rust',
    "'\\w(?-u:\\w)\\w' README.md",
    'Fast src/lib.rs -M 500',
    'fast README.md --replace FAST',
    'fast README.md -r FAST',
    "'^.*fast.*$' README.md --replace FAST",
    "'fast\\s+(\\w+)' README.md -r 'fast-$1'",
    "'fast\\s+(?P<word>\\w+)' README.md -r 'fast-$word'",
    "-o '(\\w+)\\(' -r '$1' src",
    // Groups of short options, and values in the same word.
    '-inw fast README.md',
    '-iw FAST',
    '-vc clap README.md',
    '-lv clap src',
    '-xvn fast patterns.txt',
    '-onm1 fast',
    '-A1B1 TODO',
    '-nC1e TODO',
    '-nefast README.md',
    '-trust -g!main.rs write',
    // Of two options that exclude each other, the last one.
    '-N -n fast README.md',
    '-n -N fast README.md',
    '-H -I fast README.md',
    '-I -H fast README.md',
    '-s -i FAST README.md',
    '-i -s FAST README.md',
    '-S -i Fast README.md',
    '-w -x fast patterns.txt',
    '-x -w fast README.md',
    '--heading --no-heading fast src',
    '--no-hidden --hidden clap',
    '-C1 -A2 run src',
    '-A2 -C1 run src',
    '-m1 -m2 fast',
    // A path that is named is searched, whatever excludes it.
    'clap ignored.log',
    'clap .hidden',
    'clap .hidden/config',
    'clap dos.txt ignored.log src',
    "clap src/app.js -g '*.rs'",
    'clap -trust src/app.js',
    'clap src src',
    'clap nowhere',
    'clap nowhere src',
    '-q clap nowhere src',
    '-q absent nowhere',
    // Globs.
    "clap -g 'src/**'",
    "clap -g '!src'",
    "clap -g '!src/'",
    "clap -g '!src/**' -g '!*.txt'",
    "clap -g '[A-C]*'",
    "clap -g 'src/*.rs' src",
    "clap -g '!src/*.rs' src README.md",
    "fast -g '**/deep/*'",
    // Patterns.
    "'^$' README.md",
    "'' Cargo.toml",
    "-c '' src",
    "'fast|clap' src",
    "'\\bfast\\b' -c",
    "'[[:upper:]]\\w+' README.md -o",
    "'(?i)FAST' README.md",
    "'fast(er|est)' README.md -o",
    '-e fast -e clap -e run -c',
    "-F -e 'foo(' -e '{}'",
    "-F 'a.b'",
    "-r '${1}x' '(\\w+)\\(' src",
    "-r '$$' fast README.md",
    '-c -r X fast',
    "-U -o 'main\\(\\) \\{\\n' src",
    "-P '(\\w)\\1' README.md",
    "-iP 'FAST(?!er)' README.md",
    '-m0 fast',
    '-c -v clap',
    "-w 'fast|clap' README.md",
    ['fast', 'one\nfast two\n'],
    ['-in FAST', 'one\nfast two\n'],
    ['-A1 -e one', 'one\nfast two\n'],
    ['-r X fast', 'one\nfast two\n'],
    ['-nH fast -', 'one\nfast two\n'],
    ['-cv fast', 'one\nfast two\n'],
    ['-m1 -e .', 'one\nfast two\n'],
    ['-q fast', 'one\nfast two\n'],
    ['-l fast -', 'one\nfast two\n'],
    ['--vimgrep fast', 'one\nfast two\n'],
    ['--column fast', 'one\nfast two\n'],
    ['fast -', 'one\nfast two\n'],
    ['-n fast', 'one\nfast two\n'],
    ['-H fast', 'one\nfast two\n'],
    ['-c fast', 'fast\nfast two\n'],
    ['-v fast', 'one\nfast two\n'],
    ['-f - README.md', 'fast\n'],
    ['-o "t\\w+"', 'one\nfast two\n'],
  ];

  test.each(same.map((row) => (typeof row === 'string' ? ([row, undefined] as const) : row)))(
    '`cairn grep %s` answers as `rg`',
    async (line, input) => {
      const cwd = createTree(tree);
      const bytes = input === undefined ? undefined : Buffer.from(input);
      // Lines of standard input have neither a name nor a number.
      const isOfInput = input !== undefined && !line.startsWith('-f -');
      const defaults = isOfInput ? ripgrepFlags : ourDefaults;
      const theirs = ripgrep([...defaults, ...wordsOf(line)], cwd, { input: bytes });
      const { stdout, exitCode } = await cairn(['grep', ...wordsOf(line)], { cwd, input });
      expect({ stdout, exitCode }).toEqual({ stdout: theirs.stdout.toString(), exitCode: theirs.exitCode });
    },
  );

  const others: readonly (readonly [line: string, expected: Expected])[] = [
    ['grep clap -z', refused('zcat FILE.gz | cairn grep PATTERN')],
    ['grep two --crlf', { prints: 'dos.txt:2:two\r\n' }],
    ['grep clap -t nosuch', refused('nosuch')],
    ['grep -2 clap', refused('use -C 2')],
    ['grep -n12 clap', refused('use -C 12')],
    ['grep -lZ clap', refused('use -0')],
    ['grep -hn clap', refused('use -I')],
    ['grep --untracked -l write\\(clap', { prints: 'src/lib.rs\n' }],
    ['rg clap', refused('did you mean "grep"?')],
    ['search clap', refused('did you mean "grep"?')],
    ['fd clap', refused('did you mean "find"?')],
    ['agents rg clap', refused('use one of')],
    ['grep --version', refused("use 'cairn --version'")],
    ['grep clap --json', { prints: expect.stringMatching(/^\{"matches":\[\{"path":".hidden\/config"/u) }],
    ['grep --type-list', { prints: expect.stringMatching(/^rust: \*\.rs$/mu) }],
    ['grep clap -g {*.toml', refused('{*.toml')],
  ];

  test.each(others)('`cairn %s`', async (line, expected) => {
    await check(line, expected, createTree(tree));
  });

  test.skipIf(process.platform === 'win32').each([
    ['--passthru -IN fast', "cairn grep -IN -e fast -e '^'"],
    ['--files-without-match clap', "LC_ALL=C comm -23 <(cairn grep -l '') <(cairn grep -l clap)"],
    ['-U --multiline-dotall run.*write src', "cairn grep -U '(?s)run.*write' src"],
    ["--no-unicode '^\\w+' README.md", "cairn grep '(?-u)^\\w+' README.md"],
    ["--iglob 'readme*' fast", "cairn grep fast -g '[rR][eE][aA][dD][mM][eE]*'"],
    ['-E latin1 -IN clap latin1.txt', 'iconv -f latin1 -t UTF-8 latin1.txt | cairn grep clap'],
    ['--null-data -IN clap names', "tr '\\0' '\\n' < names | cairn grep clap"],
    ['-z -IN clap a.gz', 'zcat a.gz | cairn grep clap'],
    ['--engine pcre2 fast(?=er)', "cairn grep -P 'fast(?=er)'"],
  ])('what to type instead of `rg %s` finds the same: `%s`', (theirs, ours) => {
    const cwd = createTree({
      ...tree,
      'latin1.txt': Buffer.from('na\u00efve clap\n', 'latin1'),
      names: 'one clap\0two\0',
      'a.gz': gzipSync('one\nclap\n'),
    });
    const expected = ripgrep([...ourDefaults, ...wordsOf(theirs)], cwd).stdout.toString();
    const env = { ...cleanEnv(), NODE: process.execPath, CAIRN: cairnEntry };
    const line = `cairn() { "$NODE" "$CAIRN" "$@"; }; ${ours}`;
    const shown = execFileSync('bash', ['-c', line], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    expect(shown.replaceAll('\0', '\n')).toBe(expected.replaceAll('\0', '\n'));
    expect(shown).not.toBe('');
  });

  test('every option that a shell completes for ripgrep is known', async () => {
    const cwd = createTree(tree);
    const script = ripgrep(['--generate', 'complete-bash'], cwd).stdout.toString();
    const [, words = ''] = /\bopts="(?<words>[^"]+)"/u.exec(script) ?? [];
    const flags = words.split(' ').filter((word) => word.startsWith('-'));
    expect(flags.length).toBeGreaterThan(180);
    const unknown: string[] = [];
    for (const flag of flags) {
      const { stderr } = await cairn(['grep', flag], { cwd });
      if (stderr.includes('unknown option') && !stderr.includes("use 'cairn --version'")) unknown.push(flag);
    }
    expect(unknown).toEqual([]);
  });

  test('-uuu and --binary search binary files, and -a prints their lines', async () => {
    const cwd = createTree({ 'data.bin': Buffer.from('clap\0clap\nmore clap\n') });
    expect(await cairn(['grep', '-a', 'more clap'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: ripgrep([...ourDefaults, '-a', 'more clap'], cwd).stdout.toString(),
    });
    for (const flag of ['-uuu', '--binary']) {
      expect(await cairn(['grep', flag, 'more clap', '-l'], { cwd }), flag).toMatchObject({
        exitCode: 0,
        stdout: 'data.bin\n',
      });
    }
    const { exitCode, stdout, stderr } = await cairn(['grep', 'more clap'], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('skipped 1 binary file');
  });

  test('-L follows links', async () => {
    const cwd = createTree({ 'real/a.txt': 'clap\n', 'root/link': symlink('../real') });
    expect(await cairn(['grep', 'clap', 'root'], { cwd })).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await cairn(['grep', '-L', 'clap', 'root'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: ripgrep([...ourDefaults, '-L', 'clap', 'root'], cwd).stdout.toString(),
    });
  });
});

describe('fd', () => {
  const tree = {
    'README.md': '',
    'netfilter.txt': '',
    src: {
      'main.rs': '',
      'mod.rs': '',
      'walk.h': '',
      'walk.cpp': '',
      link: symlink('main.rs'),
      run: file('', { mode: 0o755 }),
    },
    docs: { 'guide.md': '', 'libc.so': '' },
    '.gitignore': 'target/\n',
    target: { 'num_cpu.rs': '' },
    '.hidden': { 'pre-commit': '' },
  };

  const lines: readonly (readonly [line: string, expected: Expected])[] = [
    ['find netfl', { prints: 'netfilter.txt\n' }],
    ['find guide docs', { prints: 'docs/guide.md\n' }],
    ['find walk src docs', { prints: 'src/walk.cpp\nsrc/walk.h\n' }],
    ["find ''", { prints: expect.stringMatching(/^README\.md$/mu) }],
    ['find -e md', { prints: 'README.md\ndocs/guide.md\n' }],
    ['find -e rs mod', { prints: 'src/mod.rs\n' }],
    ['find -e h -e cpp walk', { prints: 'src/walk.cpp\nsrc/walk.h\n' }],
    ['find -t d src', { prints: 'src/\n' }],
    ['find --type f main', { prints: 'src/main.rs\n' }],
    ['find -tf main', { prints: 'src/main.rs\n' }],
    ['find -H precommit', { prints: '.hidden/pre-commit\n' }],
    ['find -I numcpu', { prints: 'target/num_cpu.rs\n' }],
    ['find -u numcpu', { prints: 'target/num_cpu.rs\n' }],
    ['find -0 guide', { prints: 'docs/guide.md\0' }],
    ['find --print0 guide', { prints: 'docs/guide.md\0' }],
    ['find -p srcmain', { prints: 'src/main.rs\n' }],
    ['find -i README', { prints: 'README.md\n' }],
    ['find -j 4 guide', { prints: 'docs/guide.md\n' }],
    ['find --show-errors guide', { prints: 'docs/guide.md\n' }],
    ['find --strip-cwd-prefix guide', { prints: 'docs/guide.md\n' }],
    ['find -e md docs/', { prints: 'docs/guide.md\n' }],
    ['find . -mtime -1 -type f -name guide*', refused("use a glob: cairn glob 'PATTERN', with -t f for -type f")],
    ['find -1 walk', { prints: 'src/walk.cpp\n' }],
    ['find -e zip -x unzip', refused('cairn find QUERY -0 | xargs -0 -n 1 COMMAND')],
    ["find '^x.*rc$'", { prints: '', exitCode: 1, says: "use cairn glob '*' | cairn grep '(^|/)x.*rc$'" }],
    [
      "find '*.md'",
      { prints: expect.stringMatching(/^README\.md\ndocs\/guide\.md\n/u), says: "use cairn glob '*.md'" },
    ],
    ['find . docs -e md', { prints: 'docs/guide.md\n', says: "use '' to list every path" }],
    ['find -L guide', { prints: 'docs/guide.md\n' }],
    ['find -H -E .git precommit', { prints: '.hidden/pre-commit\n' }],
    [
      "glob '*/**'",
      { prints: 'docs/guide.md\ndocs/libc.so\nsrc/link\nsrc/main.rs\nsrc/mod.rs\nsrc/run\nsrc/walk.cpp\nsrc/walk.h\n' },
    ],
    ['find -e md -- -name', { prints: '', exitCode: 1 }],
    ['find -e md,rs', refused('repeat -e for several')],
    ["find -e '*.md'", refused("such as 'ts' or 'tar.gz'")],
    ["glob '*.md'", { prints: 'README.md\ndocs/guide.md\n' }],
    ["glob '*.h' '*.cpp'", { prints: 'src/walk.cpp\nsrc/walk.h\n' }],
    ["glob '*.rs' '!mod*'", { prints: 'src/main.rs\n' }],
    ["glob -g '*.so'", { prints: 'docs/libc.so\n' }],
    ["glob '*' --type dir", { prints: 'docs\nsrc\n' }],
    ["glob -d 1 '*.md'", { prints: 'README.md\n' }],
    ["glob --max-depth=2 '*.md'", { prints: 'README.md\ndocs/guide.md\n' }],
    ["glob -L 'r*'", { prints: 'src/run\n' }],
    ['glob pre-commit -H --no-follow', { prints: '.hidden/pre-commit\n' }],
    ['find -t x', refused('find . -type f -perm -u+x')],
    ['find -t l', refused("'cairn glob' with -t l")],
    ["glob -t empty '*'", refused('find . -empty')],
    ['glob .hidden', { prints: '', exitCode: 1, says: 'left out without --hidden' }],
    ["glob '*' -d 0", { prints: '', exitCode: 1, says: '--max-depth 0 leaves out every entry' }],
    ["glob '*.md' '!*.md'", { prints: '', exitCode: 1, says: 'the globs exclude every match' }],
    ['glob libc.so /usr', refused('use --path /usr')],
    ["glob '*.md' -x wc -l", refused('cairn glob GLOB -0 | xargs -0 -n 1 COMMAND')],
    ["glob '{a'", refused('{a')],
  ];

  test.each(lines)('`cairn %s`', async (line, expected) => {
    await check(line, expected, createTree(tree));
  });
});

describe('fzf', () => {
  const input = [
    'src/core/music.rb',
    'src/core/main.go',
    'music/fire.mp3',
    'wild/!odd.txt',
    'lib/subtrakt.py',
    '',
  ].join('\n');
  const prints = (...paths: readonly string[]): Expected => ({
    prints: paths.map((path) => `${path}\n`).join(''),
    input,
  });
  const lines: readonly (readonly [line: string, expected: Expected])[] = [
    ['find sbtrkt', prints('lib/subtrakt.py')],
    ['find "\'music"', { ...prints('src/core/music.rb', 'music/fire.mp3') }],
    ["find '^music'", prints('music/fire.mp3')],
    ["find '.mp3$'", prints('music/fire.mp3')],
    ["find 'music !fire'", prints('src/core/music.rb')],
    ["find 'core !^music'", { prints: expect.stringMatching(/^src\/core\/.*\nsrc\/core\/.*\n$/u), input }],
    ["find '^src go$ | rb$ | py$'", { prints: expect.stringMatching(/^src\/core\/.*\nsrc\/core\/.*\n$/u), input }],
    ["find '!odd'", { prints: expect.stringMatching(/^wild\/!odd\.txt\n/u), input }],
    ['find -0 sbtrkt', { prints: 'lib/subtrakt.py\0', input }],
    ['find absent', { prints: '', exitCode: 1, input }],
    ['find -f core', refused('git ls-files | cairn find QUERY')],
    ['pick --ghost text', refused('the picker has its own screen')],
    ['pick', refused("'cairn pick' needs a terminal")],
  ];

  test.each(lines)('`cairn %s`', async (line, expected) => {
    await check(line, expected, createTree({ 'a.txt': '' }));
  });
});
