import { ToolError } from '@cairn/tool';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodingFor } from '../edit/encoding.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FilePatch } from './file-patch.ts';
import { parsePatch } from './parse.ts';

function only(text: string): FilePatch {
  const [patch, ...others] = parsePatch(text);
  expect(others).toEqual([]);
  if (!patch) throw new Error('no patch');
  return patch;
}

function patched(content: string, text: string): string {
  const patch = only(text);
  if (patch.kind === 'add') throw new Error('it adds a file');
  const bytes = Buffer.from(content);
  return Buffer.concat(applyHunks({ bytes, encoding: encodingFor(bytes) }, patch.hunks ?? [], 'file').parts).toString();
}

const v4a = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const update = (...lines: string[]): string => v4a('*** Update File: file', ...lines);
const unified = (...lines: string[]): string => ['--- a/file', '+++ b/file', ...lines, ''].join('\n');

const applied: readonly (readonly [reason: string, content: string, patch: string, expected: string])[] = [
  ['a line is replaced', 'a\nb\nc\n', update('@@', ' a', '-b', '+B', ' c'), 'a\nB\nc\n'],
  ['the first @@ may be missing', 'a\nb\n', update('-b', '+B'), 'a\nB\n'],
  ['a line is removed with its end', 'a\nb\nc\n', update('@@', '-b'), 'a\nc\n'],
  ['all lines are removed', 'a\nb\n', update('@@', '-a', '-b'), ''],
  ['CRLF stays and new lines take it', 'a\r\nb\r\n', update('@@', ' a', '+x', ' b'), 'a\r\nx\r\nb\r\n'],
  ['a missing final line end stays missing', 'a\nb', update('@@', ' a', '-b', '+B'), 'a\nB'],
  ['an anchor tells two places apart', 'f\n x\ng\n x\n', update('@@ g', '- x', '+ y'), 'f\n x\ng\n y\n'],
  [
    'an anchor may be the beginning of a line',
    'def f(a):\n x\ndef g(b):\n x\n',
    update('@@ def g', '- x', '+ y'),
    'def f(a):\n x\ndef g(b):\n y\n',
  ],
  ['an anchor may be repeated as context', 'f\nx\n', update('@@ f', ' f', '-x', '+y'), 'f\ny\n'],
  ['two anchors are two steps', 'A\nm\nx\nB\nm\nx\n', update('@@ B', '@@ m', '-x', '+y'), 'A\nm\nx\nB\nm\ny\n'],
  [
    'the last of two anchors may be repeated as context',
    'A\nm\nx\nB\nm\nx\nC\nm\nx\n',
    update('@@ B', '@@ m', ' m', '-x', '+y'),
    'A\nm\nx\nB\nm\ny\nC\nm\nx\n',
  ],
  ['the order of hunks tells places apart', 'x\na\nx\n', update('@@', ' a', '+b', '@@', '-x', '+y'), 'x\na\nb\ny\n'],
  ['the end of the file is named', 'x\na\nx\n', update('@@', '-x', '+y', '*** End of File'), 'x\na\ny\n'],
  ['added lines alone go after the anchor', 'a\nb\n', update('@@ a', '+x'), 'a\nx\nb\n'],
  ['only added lines without an anchor go to the end', 'a\nb\n', update('@@', '+x'), 'a\nb\nx\n'],
  ['lines added to a file without final line end', 'a\nb', update('@@', '+x'), 'a\nb\nx'],
  ['an empty line of context may have lost its space', 'a\n\nb\n', update('@@', ' a', '', '-b', '+c'), 'a\n\nc\n'],
  ['spaces of a removed line are not put before the next', ' \na\n\tb\n', update('-', '-a', '+c', ' \tb'), 'c\n\tb\n'],
  ['the same without a line after it', ' \na\n\tb\n', unified('@@ -1,2 +1 @@', '-', '-a', '+c'), 'c\n\tb\n'],
  ['an empty line of context is a place', 'a\n\nb\n', update('@@', '+x', ' '), 'a\nx\n\nb\n'],
  ['trailing whitespace are forgiven, and kept', 'a  \nb\n', update('@@', ' a', '-b', '+c'), 'a  \nc\n'],
  ['a hunk matches whole lines, not parts', 'ab\nb\n', update('@@', '-b', '+c'), 'ab\nc\n'],
  ['unified', 'a\nb\nc\n', unified('@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c'), 'a\nB\nc\n'],
  ['a line number tells two places apart', 'x\na\nx\n', unified('@@ -3 +3 @@', '-x', '+y'), 'x\na\ny\n'],
  ['a wrong line number is forgiven when there is one place', 'a\nb\n', unified('@@ -9 +9 @@', '-b', '+c'), 'a\nc\n'],
  ['lines are added after a line number', 'a\nb\n', unified('@@ -1,0 +2 @@', '+x'), 'a\nx\nb\n'],
  ['lines are added at the beginning', 'a\n', unified('@@ -0,0 +1 @@', '+x'), 'x\na\n'],
  [
    'a removed line that looks like a header',
    'a\n-- b\nc\n',
    unified('@@ -1,3 +1,2 @@', ' a', '--- b', ' c'),
    'a\nc\n',
  ],
  ['a final line end is added', 'a', unified('@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a', '+'), 'a\n\n'],
  [
    'a final line end is removed',
    'a\nb\n',
    unified('@@ -1,2 +1,2 @@', ' a', '-b', '+c', '\\ No newline at end of file'),
    'a\nc',
  ],
  [
    'counts that are too small are forgiven',
    'a\nb\nc\n',
    unified('@@ -1,1 +1,1 @@', ' a', '-b', '+B', ' c'),
    'a\nB\nc\n',
  ],
];

test.each(applied)('%s', (_reason, content, patch, expected) => {
  expect(patched(content, patch)).toBe(expected);
});

const refused: readonly (readonly [reason: string, content: string, patch: string, code: string, says: RegExp])[] = [
  ['no place', 'a\n', update('@@', '-b', '+c'), 'NO_MATCH', /hunk 1 was not found/u],
  ['a part of a line', 'ab\n', update('@@', '-b', '+c'), 'NO_MATCH', /hunk 1 was not found/u],
  ['an unknown anchor', 'a\n', update('@@ nowhere', '-a', '+c'), 'NO_MATCH', /'@@ nowhere' was not found/u],
  ['two places', 'x\nx\n', update('@@', '-x', '+y'), 'AMBIGUOUS', /2 times/u],
  ['two places and a wrong line number', 'x\na\nx\n', unified('@@ -2 +2 @@', '-x', '+y'), 'AMBIGUOUS', /2 times/u],
  [
    'hunks that overlap',
    'a\nb\nc\n',
    update('@@', ' a', '-b', '+B', '@@', '-b', '+x', ' c'),
    'OVERLAP',
    /hunk 1 and hunk 2/u,
  ],
  [
    'two places below an anchor that is repeated, too',
    'A\nm\nx\nB\nm\nx\n',
    update('@@ m', '-x', '+y'),
    'AMBIGUOUS',
    /2 times/u,
  ],
  ['a line number after the end', 'a\n', unified('@@ -3,0 +4 @@', '+x'), 'NO_MATCH', /file has 1 line, so nothing/u],
  ['two places that begin with the anchor', 'm\nx\nm\nx\n', update('@@ m', ' m', '-x', '+y'), 'AMBIGUOUS', /2 times/u],
  ['added lines below a repeated anchor', 'A\nm\nB\nm\n', update('@@ m', '+x'), 'AMBIGUOUS', /'@@ m' occurs more/u],
  ['an empty line after the last one', 'a\nb\n', update('@@', ' b', '', '+c'), 'NO_MATCH', /hunk 1 was not found/u],
  ['the same in a diff', 'a\nb\n', unified('@@ -2,2 +2,3 @@', ' b', '', '+c'), 'NO_MATCH', /hunk 1 was not found/u],
  ['the same with spaces before', '  a\n', update('@@', '-a', '', '+c'), 'NO_MATCH', /hunk 1 was not found/u],
];

test.each(refused)('is rejected: %s', (_reason, content, patch, code, says) => {
  const failure = (() => {
    try {
      return patched(content, patch);
    } catch (error) {
      return error;
    }
  })();
  expect(ToolError.isInstance(failure) && failure.code).toBe(code);
  expect(String(failure)).toMatch(says);
});

describe('reading', () => {
  test('several sections, adding, moving and deleting', () => {
    const patches = parsePatch(
      v4a(
        '*** Add File: new',
        '+a',
        '+',
        '*** Update File: old',
        '*** Move to: moved',
        '@@',
        '-x',
        '+y',
        '',
        '*** Delete File: gone',
      ),
    );
    expect(patches.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['add new', 'update old', 'delete gone']);
    expect(patches[0]).toMatchObject({ content: 'a\n\n' });
    expect(patches[1]).toMatchObject({ to: 'moved', hunks: [{ lines: [{ kind: '-' }, { kind: '+' }] }] });
  });

  test('a diff of git with new, deleted and renamed files', () => {
    const text = [
      'diff --git a/new b/new',
      'new file mode 100755',
      'index 0000000..e69de29',
      '--- /dev/null',
      '+++ b/new',
      '@@ -0,0 +1,2 @@',
      '+a',
      '+b',
      '\\ No newline at end of file',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
      'diff --git a/from here b/to there',
      'similarity index 100%',
      'rename from from here',
      'rename to to there',
      'diff --git "a/\\303\\251" "b/\\303\\251"',
      '--- "a/\\303\\251"',
      '+++ "b/\\303\\251"',
      '@@ -1 +1 @@',
      '-1',
      '+2',
      'diff --git a/empty b/empty',
      'new file mode 100644',
      '',
    ].join('\n');
    expect(parsePatch(text)).toMatchObject([
      { kind: 'add', path: 'new', content: 'a\nb', permissions: 0o755 },
      { kind: 'delete', path: 'gone' },
      { kind: 'update', path: 'from here', to: 'to there', hunks: [] },
      { kind: 'update', path: '\u00e9' },
      { kind: 'add', path: 'empty', content: '' },
    ]);
  });

  test('a plain diff has unprefixed paths, followed by times', () => {
    const text = ['--- src/a.c\t2024-01-01 10:00:00', '+++ src/a.c\t2024-01-02', '@@ -1 +1 @@', '-a', '+b'].join('\n');
    expect(only(text)).toMatchObject({ kind: 'update', path: 'src/a.c' });
  });

  test('a Markdown fence is not part of the patch', () => {
    expect(patched('a\n', `\`\`\`diff\n${unified('@@ -1 +1 @@', '-a', '+b')}\`\`\``)).toBe('b\n');
  });

  test('the signature of a mailed patch is not a line of it', () => {
    expect(patched('a\n- \n', `${unified('@@ -1 +1 @@', '-a', '+b')}-- \n2.43.0\n\n`)).toBe('b\n- \n');
  });

  test('text around the patch, and a here-document, are not part of it', () => {
    const text = `This is it:\napply_patch <<'EOF'\n${update('@@', '-a', '+b')}EOF\nIt changes one line.\n`;
    expect(patched('a\n', text)).toBe('b\n');
  });

  const unreadable: readonly (readonly [reason: string, patch: string, says: RegExp])[] = [
    ['no file at all', 'hello', /changes no file/u],
    ['cut off', '*** Begin Patch\n*** Update File: a\n@@\n-x', /cut off/u],
    ['a hunk that is cut off', unified('@@ -1,3 +1,3 @@', ' a', '-b').trimEnd(), /cut off/u],
    ['a new file without +', v4a('*** Add File: a', 'x'), /line 3|Line 3/u],
    ['a line without a sign', update('@@', 'x'), /starts with 'x'/u],
    ['nothing is changed', update('@@', ' x'), /changes nothing/u],
    ['an unknown section', v4a('*** Rename File: a'), /does not start a section/u],
    [
      'a second patch after the end',
      v4a('*** Delete File: a') + v4a('*** Delete File: b'),
      /Line 4 .*continues after/u,
    ],
    ['changes after the end', `${update('@@', '-x', '+y')}\n@@\n-z\n+w\n`, /continues after/u],
    ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b\n', /without '---'/u],
    ['a binary file', 'diff --git a/x b/x\nGIT binary patch\n', /binary/u],
    ['permissions', 'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n', /permissions/u],
    ['a link', 'diff --git a/x b/x\nnew file mode 120000\n', /link/u],
  ];

  test.each(unreadable)('is rejected: %s', (_reason, patch, says) => {
    expect(() => parsePatch(patch)).toThrow(says);
  });
});

test('a place above the anchor is not meant, even when it is the only one', () => {
  const patch = update('@@ class B', '-x', '+y');
  expect(() => patched('class A\nx\nclass B\nz\n', patch)).toThrow(/hunk 1 was not found/u);
});

test.each([
  ['CRLF where the lines of the diff end with LF', '\n', '+a\r\n+b\r\n', 'a\r\nb\r\n'],
  ['both line ends, each line its own', '\n', '+a\r\n+b\n', 'a\r\nb\n'],
  ['CRLF without a final line end', '\n', '+a\r\n+b\n\\ No newline at end of file\n', 'a\r\nb'],
  ['LF where the whole diff has CRLF', '\r\n', '+a\r\n+b\r\n', 'a\nb\n'],
])('a file that a unified diff adds has %s', (_reason, end, added, expected) => {
  const header = ['diff --git a/f b/f', 'new file mode 100644', '--- /dev/null', '+++ b/f', '@@ -0,0 +1,2 @@', ''];
  expect(only(header.join(end) + added)).toMatchObject({ kind: 'add', path: 'f', content: expected });
});

describe('the lines of a hunk are taken by their signs, and its numbers are hints', () => {
  const many = 'a\nb\nc\nd\ne\nf\n';
  const rows: readonly (readonly [reason: string, patch: string, expected: string])[] = [
    ['counts that are too small', unified('@@ -1,2 +1,2 @@', ' a', '-b', '+B', ' c', '-d', '+D'), 'a\nB\nc\nD\ne\nf\n'],
    [
      'counts that are too large, before another hunk',
      unified('@@ -1,9 +1,9 @@', ' a', '-b', '+B', '@@ -4,2 +4,2 @@', ' d', '-e', '+E'),
      'a\nB\nc\nd\nE\nf\n',
    ],
    ['no numbers', unified('@@', ' a', '-b', '+B', '@@', ' d', '-e', '+E'), 'a\nB\nc\nd\nE\nf\n'],
    ['dots for numbers', unified('@@ ... @@', ' a', '-b', '+B'), 'a\nB\nc\nd\ne\nf\n'],
    ['a line for numbers', unified('@@ d @@', '-e', '+E'), 'a\nb\nc\nd\nE\nf\n'],
    ['numbers without an end', unified('@@ -1,3 +1,3', ' a', '-b', '+B', ' c'), 'a\nB\nc\nd\ne\nf\n'],
    ['a line of the file after the numbers', unified('@@ -4,2 +4,2 @@ zero', ' d', '-e', '+E'), 'a\nb\nc\nd\nE\nf\n'],
    ['an empty line before the end', unified('@@ -1,2 +1,2 @@', ' a', '-b', '+B', '', ''), 'a\nB\nc\nd\ne\nf\n'],
  ];
  test.each(rows)('%s', (_reason, patch, expected) => {
    expect(patched(many, patch)).toBe(expected);
  });

  test.each([
    ['counts that are too large', '@@ -1,3 +1,4 @@'],
    ['counts that are too small', '@@ -1 +1 @@'],
    ['no counts', '@@'],
  ])('another file follows a hunk with %s', (_reason, start) => {
    const text = unified(start, ' a', '-b', '+B') + unified('@@ -1 +1,2 @@', ' x', '+Y').replaceAll('file', 'other');
    for (const patch of [text, text.replace('+B\n', '+B\n\n')]) {
      expect(parsePatch(patch)).toMatchObject([
        { path: 'file', hunks: [{ lines: [{ text: 'a' }, { text: 'b' }, { text: 'B' }] }] },
        { path: 'other', hunks: [{ lines: [{ text: 'x' }, { text: 'Y' }] }] },
      ]);
    }
  });

  test('an added file has all its lines, whatever its counts', () => {
    const text = ['--- /dev/null', '+++ b/f', '@@ -0,0 +1,2 @@', '+a', '+b', '+c', ''].join('\n');
    expect(only(text)).toEqual({ kind: 'add', path: 'f', content: 'a\nb\nc\n', permissions: undefined });
  });
});

describe('what looks like a line of the format is a line of the file where it has a sign', () => {
  const rows: readonly (readonly [reason: string, content: string, patch: string, expected: string])[] = [
    ['the names of a file', 'a\n-- x\nb\n', unified('@@ -1,3 +1,3 @@', ' a', '--- x', '+++ y', ' b'), 'a\n++ y\nb\n'],
    [
      'the names of a file before another hunk without context',
      '-- x\na\nb\n',
      unified('@@ -1 +1 @@', '--- x', '+++ y', '@@ -3 +3 @@', '-b', '+B'),
      '++ y\na\nB\n',
    ],
    ['a signature', 'a\n- \nb\n', unified('@@ -1,3 +1,2 @@', ' a', '-- ', ' b'), 'a\nb\n'],
    ['a signature at the end', 'a\n- \n', unified('@@ -1,2 +1 @@', ' a', '-- '), 'a\n'],
    [
      'the start of a patch',
      '*** Begin Patch\nb\n',
      unified('@@ -1,2 +1,2 @@', ' *** Begin Patch', '-b', '+B'),
      '*** Begin Patch\nB\n',
    ],
    ['the end of a patch', '*** End Patch\nb\n', update('@@', ' *** End Patch', '-b', '+B'), '*** End Patch\nB\n'],
    ['a section', 'a\n', update('@@', '-a', '+*** Update File: x'), '*** Update File: x\n'],
    ['a hunk', '@@ -1 +1 @@\nb\n', unified('@@ -1,2 +1,2 @@', ' @@ -1 +1 @@', '-b', '+B'), '@@ -1 +1 @@\nB\n'],
    [
      'the mark of a missing line end',
      'a\n',
      unified('@@ -1 +1 @@', '-a', '+\\ No newline at end of file'),
      '\\ No newline at end of file\n',
    ],
    ['a fence', '```\nb\n', `\`\`\`diff\n${unified('@@ -1,2 +1,2 @@', ' ```', '-b', '+B')}\`\`\`\n`, '```\nB\n'],
  ];
  test.each(rows)('%s', (_reason, content, patch, expected) => {
    expect(patched(content, patch)).toBe(expected);
  });
});

describe('what no part of a change accounts for is rejected with its number', () => {
  const hunk = ['@@ -1 +1 @@', '-a', '+b'];
  const git = (...lines: string[]): string => ['diff --git a/f b/f', ...lines, ''].join('\n');
  const names = ['--- a/f', '+++ b/f'];
  const rows: readonly (readonly [reason: string, patch: string, says: RegExp])[] = [
    ['a line of context without its space', unified('@@ -1,2 +1,2 @@', 'a', '-b', '+c'), /Line 4 .*'a'/u],
    ['the same between others', unified('@@ -1,3 +1,3 @@', ' a', 'b', '-c', '+d'), /Line 5 .*'b'/u],
    ['the same after the counted lines', unified(...hunk, 'c', '+d'), /Line 6 .*'c'/u],
    [
      'a removed line before one that lost its space, as in a signature',
      unified('@@ -1,2 +1,2 @@', '-a', '+b', '-- ', '1.2', ' z'),
      /Line 7 .*'1\.2'/u,
    ],
    ['the same at the end', unified('@@ -1,3 +1,2 @@', '-a', '+b', '-- ', '1.2'), /Line 7 .*'1\.2'/u],
    [
      'a change below the first line of a commit',
      `commit ${'0'.repeat(40)}\n-x\n${unified(...hunk)}`,
      /Line 2 .*'-x'/u,
    ],
    ['a file in a mail that lacks one name', `Subject: x\n\n--- a/g\n-x\n${unified(...hunk)}`, /Line 3 .*'--- a\/g'/u],
    ['the other name in a mail', `Subject: x\n\n+++ b/g\n-x\n${unified(...hunk)}`, /Line 3 .*'\+\+\+ b\/g'/u],
    ['a hunk without numbers in a mail', `Subject: x\n\n@@\n-x\n${unified(...hunk)}`, /Line 3 .*without '---'/u],
    ['text after the last hunk', unified(...hunk, 'Done.'), /Line 6 .*'Done\.'/u],
    [
      'another hunk without a name after text',
      `${unified(...hunk)}Index: g\n@@ -1 +1 @@\n-x\n+y\n`,
      /Line 7 .*without '---'/u,
    ],
    ['a change before the first file', `-x\n+y\n${unified(...hunk)}`, /Line 1 .*'-x'/u],
    ['a change after a fence', `\`\`\`\n${unified(...hunk)}\`\`\`\n+y\n`, /Line 8 .*'\+y'/u],
    ['a fence that is not closed', `Here:\n\`\`\`diff\n${unified(...hunk)}`, /Line 2 .*cut off/u],
    ['a hunk without lines', unified('@@ -1 +1 @@', ...hunk), /Line 3 .*changes nothing/u],
    ['a hunk of context', unified('@@ -1 +1 @@', ' a', ...hunk), /Line 3 .*changes nothing/u],
    ['a place that is not shown', unified('@@ -3,4 +3,5 @@', '+x', ...hunk), /Line 3 .*shows no old line/u],
    ['no place', unified('@@', '+x'), /Line 3 .*shows no old line/u],
    [
      'a line after the last',
      unified('@@ -1,2 +1,2 @@', '-a', '\\ No newline at end of file', '-b', '+c'),
      /Line 6 .*No newline/u,
    ],
    [
      'the mark of a missing line end, alone',
      unified('@@ -1 +1 @@', '\\ No newline at end of file', '-a', '+b'),
      /Line 4 .*follows no line/u,
    ],
    ['two names', ['--- a/f', '+++ b/g', ...hunk, ''].join('\n'), /Line 1 .*'f' and 'g'/u],
    [
      'two names below git',
      ['diff --git a/f b/g', '--- a/f', '+++ b/g', ...hunk, ''].join('\n'),
      /Line 1 .*'f' and 'g'/u,
    ],
    ['other names than those of git', git('--- a/g', '+++ b/g', ...hunk), /Line 1 .*other files/u],
    [
      'other names than those of the move',
      git('rename from g', 'rename to h', ...names, ...hunk),
      /Line 1 .*other files/u,
    ],
    ['half a move', git('rename from f', ...names, ...hunk), /Line 1 .*only one of/u],
    ['a new file with an old name', git('new file mode 100644', ...names, ...hunk), /Line 1 .*'\/dev\/null'/u],
    [
      'a new file with old lines',
      ['--- /dev/null', '+++ b/f', '@@ -0,0 +1,2 @@', '+a', '', '+b', ''].join('\n'),
      /Line 1 .*starts with '\+'/u,
    ],
    [
      'a new file of two hunks',
      ['--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+a', '@@ -0,0 +9 @@', '+b', ''].join('\n'),
      /Line 1 .*one hunk/u,
    ],
    [
      'a deleted file with new lines',
      ['--- a/f', '+++ /dev/null', '@@ -1 +0,0 @@', '-a', '+b', ''].join('\n'),
      /Line 1 .*starts with '-'/u,
    ],
    ['no file', ['--- /dev/null', '+++ /dev/null', '@@ -0,0 +1 @@', '+b', ''].join('\n'), /Line 1 .*both/u],
    ['names without a hunk', `${unified(...hunk)}--- a/g\n+++ b/g\n`, /Line 6|no hunk|not found/u],
    ['one name', `${git('--- a/f', ...hunk)}`, /Line 2 .*'\+\+\+ '/u],
    ['a line of git that is not known', git('moved from g', ...names, ...hunk), /Line 2 .*'moved from g'/u],
    ['a copy', git('similarity index 100%', 'copy from f', 'copy to g'), /Line 3 .*copies/u],
    ['permissions', git('new mode 100755'), /Line 2 .*permissions/u],
    ['a binary file of diff', `${unified(...hunk)}Binary files a/x and b/x differ\n`, /Line 6 .*binary/u],
    ['a file that diff leaves out', `Only in b: x\n${unified(...hunk)}`, /Line 1 .*leaves out/u],
    ['a submodule', `${unified(...hunk)}Submodule x 1234..5678:\n  > Fix it\n`, /Line 6 .*submodule/u],
    ['the diff of a merge', 'diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n', /Line 1 .*merge/u],
    ['the hunk of a merge', unified('@@@ -1,1 -1,1 +1,1 @@@', '--a', '++b'), /Line 3 .*merge/u],
    ['an escape that git does not have', git('--- "a/\\q"', '+++ "b/\\q"', ...hunk), /Line 2 .*quotes/u],
    ['an empty name', ['--- a/', '+++ b/', ...hunk, ''].join('\n'), /Line 1 .*empty/u],
    [
      'the other format without its first line',
      '*** Update File: a\n@@\n-x\n+y\n*** End Patch\n',
      /Line 1 .*'\*\*\* Update File: a'/u,
    ],
    [
      'sections before the first line of the format',
      `*** Add File: a\n+x\n${update('@@', '-x', '+y')}`,
      /Line 1 .*before/u,
    ],
    ['an anchor without a change', update('@@', '-x', '+y', '@@ z'), /Line 6 .*changes nothing/u],
    ['lines after the end of the file', update('@@', '-x', '+y', '*** End of File', '+z'), /Line 7 .*follow/u],
    ['an empty line without its space as the only context', update('@@', '+x', ''), /Line 3 .*place .* unknown/u],
    ['a section without a path', v4a('*** Delete File:'), /Line 2 .*names no file/u],
    [
      'a diff after the end',
      `${update('@@', '-x', '+y')}diff --git a/f b/g\nrename from f\nrename to g\n`,
      /Line 7 .*after/u,
    ],
  ];
  test.each(rows)('%s', (_reason, patch, says) => {
    expect(() => patched('a\n', patch)).toThrow(says);
  });
});

describe('names', () => {
  const rows: readonly (readonly [reason: string, lines: string[], path: string])[] = [
    [
      'quoted by git',
      ['diff --git "a/t\\303\\244.txt" "b/t\\303\\244.txt"', '--- "a/t\\303\\244.txt"', '+++ "b/t\\303\\244.txt"'],
      't\u00e4.txt',
    ],
    ['with a tab and a quote', ['--- "a/x\\ty\\"z"', '+++ "b/x\\ty\\"z"'], 'x\ty"z'],
    ['with spaces, after which git writes a tab', ['--- a/x y \t', '+++ b/x y \t'], 'x y '],
    [
      'with times',
      ['--- x y\t2024-01-01 10:00:00.000000000 +0000', '+++ x y\t2024-01-02 10:00:00.000000000 +0000'],
      'x y',
    ],
    ['with the prefixes of git diff --cached', ['diff --git c/f i/f', '--- c/f', '+++ i/f'], 'f'],
    ['without prefixes, in a directory that looks like one', ['diff --git a/f a/f', '--- a/f', '+++ a/f'], 'a/f'],
    ['reversed', ['diff --git b/f a/f', '--- b/f', '+++ a/f'], 'f'],
    ['only in the line of git', ['diff --git a/x y b/x y', 'index 1234567..89abcde 100644'], 'x y'],
  ];
  test.each(rows)('%s', (_reason, lines, path) => {
    expect(only([...lines, '@@ -1 +1 @@', '-a', '+b', ''].join('\n'))).toMatchObject({ kind: 'update', path });
  });

  test('that an answer quotes are read back', () => {
    expect(only(v4a(String.raw`*** Delete File: "a\nb"`))).toEqual({ kind: 'delete', path: 'a\nb' });
  });

  test('of files that are only on one side, as diff -N shows them', () => {
    const epoch = '1970-01-01 01:00:00.000000000 +0100';
    const added = [`--- f\t${epoch}`, '+++ f\t2024-01-01 10:00:00', '@@ -0,0 +1 @@', '+a', ''].join('\n');
    const deleted = ['--- f\t2024-01-01 10:00:00', `+++ f\t${epoch}`, '@@ -1 +0,0 @@', '-a', ''].join('\n');
    expect(only(added)).toMatchObject({ kind: 'add', path: 'f', content: 'a\n' });
    expect(only(deleted)).toMatchObject({ kind: 'delete', path: 'f' });
    expect(() => parsePatch(added.replace('+++ f', '+++ g'))).toThrow(/two files/u);
  });
});

describe('line ends', () => {
  const rows: readonly (readonly [reason: string, content: string, patch: string, expected: string])[] = [
    ['a diff shows CRLF', 'a\r\nb\r\n', unified('@@ -1,2 +1,2 @@', ' a\r', '-b\r', '+c\r'), 'a\r\nc\r\n'],
    ['a diff changes a line end', 'a\nb\n', unified('@@ -1,2 +1,2 @@', '-a', '+a\r', ' b'), 'a\r\nb\n'],
    ['a diff adds one CRLF', 'a\nb\n', unified('@@ -1,2 +1,3 @@', ' a', '+x\r', ' b'), 'a\nx\r\nb\n'],
    ['a diff adds one LF', 'a\r\nb\r\n', unified('@@ -1,2 +1,3 @@', ' a\r', '+x', ' b\r'), 'a\r\nx\nb\r\n'],
    [
      'a diff without CRLF for a file with it',
      'a\r\nb\r\n',
      unified('@@ -1,2 +1,3 @@', ' a', '+x', ' b'),
      'a\r\nx\r\nb\r\n',
    ],
    [
      'a whole diff with CRLF',
      'a\nb\n',
      unified('@@ -1,2 +1,3 @@', ' a', '+x', ' b').replaceAll('\n', '\r\n'),
      'a\nx\nb\n',
    ],
    [
      'the last line has none, and the file has CRLF',
      'a\r\nb',
      unified('@@ -2 +2,2 @@', '-b', '+c', '+d'),
      'a\r\nc\r\nd',
    ],
    ['no context', 'a\r\nb\r\n', unified('@@ -1,0 +2 @@', '+x\r'), 'a\r\nx\r\nb\r\n'],
  ];
  test.each(rows)('%s', (_reason, content, patch, expected) => {
    expect(patched(content, patch)).toBe(expected);
  });

  test('a hunk that ends the file is rejected elsewhere', () => {
    const noEnd = '\\ No newline at end of file';
    const says = /more lines follow/u;
    expect(() => patched('a\nb\n', unified('@@ -1 +1 @@', '-a', '+c', noEnd))).toThrow(says);
    expect(() => patched('a\nb\n', unified('@@ -1,0 +2 @@', '+c', noEnd))).toThrow(says);
  });
});

describe('a byte order mark', () => {
  test.each([
    ['stays when the patch shows it', '\ufeffa\n', unified('@@ -1 +1 @@', '-\ufeffa', '+\ufeffb'), '\ufeffb\n'],
    ['stays when the patch does not', '\ufeffa\n', unified('@@ -1 +1 @@', '-a', '+b'), '\ufeffb\n'],
    ['is added', 'a\n', unified('@@ -1 +1 @@', '-a', '+\ufeffa'), '\ufeffa\n'],
    ['before the patch is not part of it', 'a\n', `\ufeff${unified('@@ -1 +1 @@', '-a', '+b')}`, 'b\n'],
  ])('%s', (_reason, content, patch, expected) => {
    expect(patched(content, patch)).toBe(expected);
  });

  test('is not removed', () => {
    expect(() => patched('\ufeffa\n', unified('@@ -1 +1 @@', '-\ufeffa', '+a'))).toThrow(/byte order mark/u);
  });
});

test('context that lost its signs is not taken for a shift of the indentation', () => {
  expect(() => patched('  a\n  b\n', unified('@@ -1,2 +1,3 @@', '  a', '+  x', '  b'))).toThrow(/one more space/u);
  expect(() => patched('  a\n  b\n', update('@@', '  a', '+  x', '  b'))).toThrow(/one more space/u);
  expect(() => patched('  a\n\nc\n', update('@@', '  a', '-', '+  x'))).toThrow(/one more space/u);
});

test('mails are read with their messages and signatures', () => {
  const mail = (name: string): string =>
    [
      'From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001',
      'From: A <a@example.org>',
      'Subject: [PATCH] x',
      '',
      '- one thing',
      '+ another',
      '---',
      ` ${name} | 2 +-`,
      ' 1 file changed, 1 insertion(+), 1 deletion(-)',
      '',
      `diff --git a/${name} b/${name}`,
      'index 1234567..89abcde 100644',
      `--- a/${name}`,
      `+++ b/${name}`,
      '@@ -1 +1 @@',
      '-a',
      '+b',
      '-- ',
      '2.47.3',
      '',
      '',
    ].join('\n');
  const oneLine = [{ text: 'a' }, { text: 'b' }];
  expect(parsePatch(mail('f') + mail('g'))).toMatchObject([
    { path: 'f', hunks: [{ lines: oneLine }] },
    { path: 'g', hunks: [{ lines: oneLine }] },
  ]);
  expect(parsePatch(mail('f').replace(/^From .*\n/u, ''))).toMatchObject([{ path: 'f' }]);
  expect(() => parsePatch(mail('f').replace('- one thing', '@@ -1 +1 @@'))).toThrow(/Line 5 .*without '---'/u);
});

test.each([
  ['a fence with text around it', (patch: string) => `It changes a line:\n\n~~~\n${patch}~~~\n\nThat is all.\n`],
  ['a here-document', (patch: string) => `git apply <<'EOF'\n${patch}EOF\n`],
  ['the lines of Subversion', (patch: string) => `Index: file\n${'='.repeat(67)}\n${patch}\n`],
  ['the line of diff', (patch: string) => `diff -ru old/file new/file\n${patch}`],
])('%s is not part of a unified diff', (_reason, around) => {
  expect(patched('a\n', around(unified('@@ -1 +1 @@', '-a', '+b')))).toBe('b\n');
});

describe('the time grows linearly', () => {
  const many = 20_000;
  const hunk = '@@ -1,9 +1,9 @@\n-a\n+b\n';
  test.each([
    ['hunks with counts that are too large', `--- a/f\n+++ b/f\n${hunk.repeat(many)}`],
    ['empty lines', '\n'.repeat(20 * many)],
    ['lines of whitespace', ' \n'.repeat(10 * many)],
    ['a long name', `--- "a/${'\\"'.repeat(10 * many)}\n+++ x\n`],
    ['a long line', `--- a/f\n+++ b/f\n@@ -${'1'.repeat(10 * many)}\n`],
    ['a long line of whitespace', `${' '.repeat(10 * many)}*** Begin Patc\n`],
    ['sections', `*** Begin Patch\n${'*** Update File: f\n@@ x\n-a\n+b\n'.repeat(many)}`],
  ])('%s', (_reason, patch) => {
    expect(() => parsePatch(patch)).toThrow(ToolError);
  });
});

test('the lines of a patch of random lines are parsed, or one of them is named', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '--- a/f',
      '+++ b/f',
      '@@ -1 +1 @@',
      '@@',
      'diff --git a/f b/f',
      '*** Begin Patch',
      '*** End Patch',
      ' a',
      '-a',
      '+b',
      '',
      '\\ No newline at end of file',
      '```',
      '-- ',
      '2.1',
      '*** Update File: f',
      '*** Add File: g',
      '*** End of File',
      'rename from f',
      'rename to g',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      try {
        const added = parsePatch(lines.join(end)).flatMap((patch) => {
          if (patch.kind === 'add') return patch.content.split('\n').slice(0, -1);
          return (patch.hunks ?? []).flatMap((hunk) =>
            hunk.lines.filter(({ kind }) => kind === '+').map(({ text }) => text),
          );
        });
        const signed = lines.filter(
          (one, at) => one.startsWith('+') && !(lines[at - 1]?.startsWith('--- ') && one.startsWith('+++ ')),
        );
        return signed.length <= added.length;
      } catch (error) {
        return ToolError.isInstance(error) && error.code === 'INVALID_PATCH';
      }
    }),
    { numRuns: 5000 },
  );
});
