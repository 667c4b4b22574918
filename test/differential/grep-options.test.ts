import { join } from 'node:path';
import { grep } from '@cairn/natives';
import type { GrepOptions } from '@cairn/natives';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { difference, noDifference, useNeutralHome } from '../support/difference.ts';
import { describeLines, ourLines, ripgrepFlags, ripgrepLinesAndContext } from '../support/ripgrep-lines.ts';
import { ripgrep } from '../support/tools.ts';
import { newDirectory, removeTree, symlink, writeTree } from '../support/tree.ts';

/** The options that decide what matches, and ripgrep's flags for them. */
type Options = Partial<GrepOptions>;
type Case = readonly [reason: string, options: Options, flags: readonly string[]];

const late = `needle early\n${'filler text\n'.repeat(30_000)}\0\nneedle late\n`;

const files = {
  'a.txt': 'needle\nNeedle one\nneedles two\nfoo(needle)\nthe end\n',
  'b.md': 'one needle two\n\nNEEDLE\na needle\r\nthe (a)(a) end\n',
  'README.md': 'needle in the README\nfoo foo bar\n',
  'src/c.ts': 'const needle = 1;\nneedle\nconst other = needle + needle;\n',
  'src/c.test.ts': 'test needle\nmore\n',
  'src/deep/d.rs': 'fn needle() {}\nlet two = (1, 2);\n',
  'src/deep/e.py': 'def needle():\n    return "needle"\n',
  'docs/f.md': 'needle\ndocs\n',
  'docs/keep/g.md': 'needle\nkept\n',
  '.hidden.txt': 'a hidden needle\n',
  'binary.bin': 'needle\n\0\nneedle\n',
  'binary-late.bin': late,
  'binary-line.bin': 'x\0needle\0x\n',
  'empty.txt': '',
};

describe('the options of grep, as those of ripgrep', () => {
  let directory = '';
  let root = '';
  beforeAll(() => {
    useNeutralHome();
    directory = newDirectory();
    root = join(directory, 'root');
    writeTree(join(directory, 'outside'), { 'h.txt': 'needle outside\n', 'sub/i.txt': 'needle below\n' });
    writeTree(root, { ...files, 'link-to-a': symlink('a.txt'), out: symlink('../outside') });
  });
  afterAll(() => {
    removeTree(directory);
  });

  const compare = async (options: Options, flags: readonly string[]) => {
    const { pattern, ...rest } = { pattern: 'needle', ...options };
    const given = typeof pattern === 'string' ? [pattern] : pattern;
    const flagsOfAll = [...given.slice(0, -1).flatMap((one) => ['-e', one]), ...flags];
    const theirs = ripgrepLinesAndContext(root, given.at(-1) ?? '', ['--hidden', ...flagsOfAll]);
    const result = await grep({ ...rest, pattern, path: root });
    // The JSON of ripgrep goes on after a NUL, and its text does not.
    const isCompared = ({ path }: { path: string }): boolean => options.binary === 'text' || !path.startsWith('binary');
    const ours = ourLines(result.matches.filter(isCompared));
    const lines = (theirs?.lines ?? []).filter(isCompared);
    expect(theirs).toBeDefined();
    return difference(describeLines(ours), describeLines(lines));
  };

  const cases: readonly Case[] = [
    ['several patterns', { pattern: ['needle', 'foo', '^the'] }, []],
    ['patterns, one of them matches in the other', { pattern: ['need', 'needle', 'needles'] }, []],
    ['several literals', { pattern: ['foo(', '(a)', 'x'], literal: true }, ['--fixed-strings']],
    ['literals in any case', { pattern: ['NEEDLE', 'foo('], literal: true, ignoreCase: true }, ['-F', '-i']],
    ['smart case', { smartCase: true }, ['--smart-case']],
    ['smart case with an upper-case letter', { pattern: 'Needle', smartCase: true }, ['--smart-case']],
    ['smart case over all patterns', { pattern: ['needle', 'README'], smartCase: true }, ['--smart-case']],
    ['smart case of a class', { pattern: String.raw`\Seedle`, smartCase: true }, ['--smart-case']],
    ['whole words', { wholeWord: true }, ['--word-regexp']],
    ['whole words of signs', { pattern: String.raw`\(needle\)`, wholeWord: true }, ['--word-regexp']],
    ['whole words among several patterns', { pattern: ['foo|bar', 'one'], wholeWord: true }, ['--word-regexp']],
    ['whole lines', { wholeLine: true }, ['--line-regexp']],
    ['whole lines among several patterns', { pattern: ['needle', 'more|docs'], wholeLine: true }, ['--line-regexp']],
    ['whole lines with CRLF', { pattern: 'a needle', wholeLine: true, crlf: true }, ['--line-regexp', '--crlf']],
    ['lines without a match', { invert: true }, ['--invert-match']],
    ['lines without a word', { invert: true, wholeWord: true, ignoreCase: true }, ['-v', '-w', '-i']],
    ['lines without a match over lines', { pattern: 'needle\\s+needle', invert: true, multiline: true }, ['-v', '-U']],
    ['lines without any of several', { pattern: ['needle', 'the', ''], invert: true }, ['-v']],
    ['PCRE2', { pattern: '(?<=a )needle', pcre2: true }, ['--pcre2']],
    ['PCRE2 with several patterns', { pattern: ['(?<=a )needle', 'foo(?! )'], pcre2: true }, ['--pcre2']],
    ['whole words of PCRE2', { pattern: 'need(?:le)(?!s)', pcre2: true, wholeWord: true }, ['-P', '-w']],
    ['whole lines of PCRE2', { pattern: '(?=n)needle|docs', pcre2: true, wholeLine: true }, ['-P', '-x']],
    ['lines without a match of PCRE2', { pattern: '(?<!a )needle', pcre2: true, invert: true }, ['-P', '-v']],
    ['smart case of PCRE2', { pattern: '(?=N)needle', pcre2: true, smartCase: true }, ['-P', '-S']],
    ['a glob', { glob: ['*.md'] }, ['-g*.md']],
    ['globs, one of them excludes', { glob: ['*.md', '!README.md'] }, ['-g*.md', '-g!README.md']],
    ['globs in the other order', { glob: ['!README.md', '*.md'] }, ['-g!README.md', '-g*.md']],
    ['a glob that only excludes', { glob: ['!*.md'] }, ['-g!*.md']],
    ['a directory that is excluded', { glob: ['!docs'] }, ['-g!docs']],
    ['a file below an excluded directory', { glob: ['!docs', '*.md'] }, ['-g!docs', '-g*.md']],
    ['a directory that is selected again', { glob: ['!docs', 'docs', '*.md'] }, ['-g!docs', '-gdocs', '-g*.md']],
    ['tests that are excluded', { glob: ['*.ts', '!*.test.*'] }, ['-g*.ts', '-g!*.test.*']],
    ['a path', { glob: ['src/*.ts'] }, ['-gsrc/*.ts']],
    ['types', { type: ['rust', 'py'] }, ['-trust', '-tpy']],
    ['types that are excluded', { typeNot: ['md', 'ts'] }, ['-Tmd', '-Tts']],
    ['a type and a glob', { type: 'ts', glob: ['!*.test.ts'] }, ['-tts', '-g!*.test.ts']],
    ['a depth of one', { maxDepth: 1 }, ['--max-depth=1']],
    ['a depth of two', { maxDepth: 2 }, ['--max-depth=2']],
    ['links', { followLinks: true }, ['--follow']],
    ['a NUL as a line end', { binary: 'search' }, ['--binary']],
    ['a NUL as a character', { binary: 'text' }, ['--text']],
    ['a NUL as a character, at the end of a line', { pattern: 'needle.x$', binary: 'text' }, ['--text']],
    ['lines without a match, with a NUL', { invert: true, binary: 'text' }, ['--text', '-v']],
  ];
  test.for(cases)('%s', async ([, options, flags]) => {
    expect(await compare(options, flags)).toEqual(noDifference);
  });

  const names = (options: readonly string[]): string[] =>
    ripgrep([...ripgrepFlags, '--hidden', '--null', '-l', ...options], root)
      .stdout.toString()
      .split('\0')
      .slice(0, -1)
      .toSorted();
  test.for(cases)('the files: %s', async ([, options, flags]) => {
    const { pattern, ...rest } = { pattern: 'needle', ...options };
    const given = typeof pattern === 'string' ? [pattern] : pattern;
    const result = await grep({ ...rest, pattern, path: root, mode: 'filesWithMatches' });
    const theirs = names([...flags, ...given.flatMap((one) => ['-e', one])]);
    const isText = (path: string): boolean => options.binary !== undefined || !path.startsWith('binary');
    expect(result.matches.map(({ path }) => path).filter(isText)).toEqual(theirs.filter(isText));
  });

  const replacements: readonly Case[] = [
    ['a group', { pattern: String.raw`(\w+) needle`, replacement: '<$1>' }, []],
    ['a name', { pattern: '(?<first>n)(eedle)', replacement: '${first}-$2-$0' }, []],
    ['a name with the text after it', { pattern: '(n)eedle', replacement: '$1x' }, []],
    ['dollars', { replacement: '$$1 $' }, []],
    ['nothing', { replacement: '' }, []],
    ['several matches of a line', { pattern: 'n|(d)', replacement: '[$1]' }, []],
    ['empty matches', { pattern: 'x*', replacement: '-' }, []],
    ['several patterns', { pattern: ['(nee)', '(dle)'], replacement: '$1/$2' }, []],
    ['literals', { pattern: ['(a)', 'needle'], literal: true, replacement: '$0$1' }, ['-F']],
    ['words', { pattern: 'ne(\\w)dle', wholeWord: true, replacement: '$1' }, ['-w']],
    ['PCRE2', { pattern: '(?<=a )n(?<rest>eedle)', pcre2: true, replacement: '$rest$1' }, ['-P']],
    [
      'PCRE2, a match that begins later',
      { pattern: String.raw`(a) \Kneedle`, pcre2: true, replacement: '$0$1' },
      ['-P'],
    ],
    ['lines without a match', { invert: true, replacement: 'x' }, ['-v']],
  ];
  test.for(replacements)('replaced by %s', async ([, options, flags]) => {
    const { pattern, ...rest } = { pattern: 'needle', ...options };
    const { matches } = await grep({ ...rest, pattern, path: root, glob: '*.{md,ts,txt}' });
    const ours = matches.map(({ path, lineNumber, line, submatches = [] }) => {
      let done = 0;
      let shown = '';
      for (const { start, end, replacement } of submatches) {
        shown += line.slice(done, start) + replacement;
        done = end;
      }
      return `${path}:${lineNumber}:${shown}${line.slice(done)}`;
    });
    const patterns = (typeof pattern === 'string' ? [pattern] : pattern).flatMap((one) => ['-e', one]);
    const all = [
      '--hidden',
      '--line-number',
      '--sort=path',
      '--glob=*.{md,ts,txt}',
      `--replace=${options.replacement}`,
    ];
    const theirs = ripgrep([...ripgrepFlags, ...all, ...flags, ...patterns], root).stdout.toString();
    expect(ours.toSorted()).toEqual(theirs.split('\n').slice(0, -1).toSorted());
  });

  test('no pattern matches nothing, and every line is one without a match', async () => {
    const search = (invert: boolean) => grep({ pattern: [], path: root, invert, glob: 'a.txt' });
    expect((await search(false)).totalMatches).toBe(0);
    expect((await search(true)).totalMatches).toBe(5);
    expect(ripgrep(['--file=/dev/null', 'a.txt'], root).exitCode).toBe(1);
  });

  test('the matches of a binary file are one without a line, as the message of ripgrep', async () => {
    const { matches, skipped } = await grep({ pattern: 'needle', path: root, binary: 'search', glob: '*.bin' });
    const shown = matches.map(({ path, line, binary }) =>
      binary ? `${path}: binary file matches` : `${path}:${line}`,
    );
    const theirs = ripgrep([...ripgrepFlags, '--binary', '--glob=*.bin', '--no-line-number', 'needle'], root);
    const message = / \(found .*$/u;
    const lines = theirs.stdout.toString().split('\n').slice(0, -1);
    expect(shown.toSorted()).toEqual(lines.map((line) => line.replace(message, '')).toSorted());
    expect(skipped.binary).toBe(0);
  });
});
