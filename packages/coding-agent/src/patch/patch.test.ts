import { ToolError } from '@cairn/tool';
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
  return Buffer.concat(applyHunks({ bytes, encoding: encodingFor(bytes) }, patch.hunks, 'file').parts).toString();
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
  ['the order of hunks tells places apart', 'x\na\nx\n', update('@@', ' a', '+b', '@@', '-x', '+y'), 'x\na\nb\ny\n'],
  ['the end of the file is named', 'x\na\nx\n', update('@@', '-x', '+y', '*** End of File'), 'x\na\ny\n'],
  ['added lines alone go after the anchor', 'a\nb\n', update('@@ a', '+x'), 'a\nx\nb\n'],
  ['only added lines without an anchor go to the end', 'a\nb\n', update('@@', '+x'), 'a\nb\nx\n'],
  ['lines added to a file without final line end', 'a\nb', update('@@', '+x'), 'a\nb\nx'],
  ['an empty line of context may have lost its blank', 'a\n\nb\n', update('@@', ' a', '', '-b', '+c'), 'a\n\nc\n'],
  ['trailing blanks are forgiven, and kept', 'a  \nb\n', update('@@', ' a', '-b', '+c'), 'a  \nc\n'],
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
];

test.each(refused)('is refused: %s', (_reason, content, patch, code, says) => {
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

  test.each(unreadable)('is refused: %s', (_reason, patch, says) => {
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
