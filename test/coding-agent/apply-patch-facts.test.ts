/**
 * What Codex and opencode do with a patch in the V4A format, as facts of our own: each row is one patch, the files before it, and
 * the files after it or the code of the rejection. `departures` are rows where they do something else.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApplyPatchTool, createCodingTools } from '@cairn/coding-agent';
import { describe, expect, test } from 'vitest';
import { createTree } from '../support/tree.ts';

type Files = Readonly<Record<string, string>>;

/** A row: the fact, the files before, the patch, and the files after or the code of the error. */
type Fact = readonly [fact: string, before: Files, patch: string, after: Files | string];

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
const patchOf = (...body: readonly string[]): string => lines('*** Begin Patch', ...body, '*** End Patch');
const update = (...body: readonly string[]): string => patchOf('*** Update File: f', ...body);

function filesIn(root: string): Files {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

async function patched(before: Files, patch: string): Promise<Files | string> {
  const root = createTree(before);
  const result = await createCodingTools({ root }).patch.execute({ patch });
  if (!result.isError) return filesIn(root);
  expect(filesIn(root), 'a rejected patch changes nothing').toEqual(before);
  return result.details.reason;
}

const sections: readonly Fact[] = [
  [
    'an added file has its lines, each with a line end',
    {},
    patchOf('*** Add File: n', '+a', '+', '+b'),
    { n: 'a\n\nb\n' },
  ],
  ['an added file gets its directories', {}, patchOf('*** Add File: x/y/n', '+a'), { 'x/y/n': 'a\n' }],
  ['a deleted file is gone, others stay', { a: 'a\n', b: 'b\n' }, patchOf('*** Delete File: a'), { b: 'b\n' }],
  [
    'one patch adds, deletes and changes files',
    { d: 'd\n', f: 'one\ntwo\n' },
    patchOf('*** Add File: x/n', '+new', '*** Delete File: d', '*** Update File: f', '@@', '-two', '+2'),
    { f: 'one\n2\n', 'x/n': 'new\n' },
  ],
  [
    'a section that adds a file may follow a hunk',
    { f: 'a\n' },
    update('@@', '+b', '*** Add File: n', '+c'),
    { f: 'a\nb\n', n: 'c\n' },
  ],
  [
    'a changed file moves into a new directory, its neighbour stays',
    { 'o/f': 'old\n', 'o/g': 'g\n' },
    patchOf('*** Update File: o/f', '*** Move to: n/d/f', '@@', '-old', '+new'),
    { 'n/d/f': 'new\n', 'o/g': 'g\n' },
  ],
  ['a patch without a section is rejected', { f: 'a\n' }, patchOf(), 'INVALID_PATCH'],
  ['a text without a patch is rejected', { f: 'a\n' }, 'hello\n', 'INVALID_PATCH'],
  [
    'a patch without its end is rejected',
    { f: 'a\n' },
    lines('*** Begin Patch', '*** Delete File: f'),
    'INVALID_PATCH',
  ],
  ['an unknown section is rejected', { f: 'a\n' }, patchOf('*** Copy File: f'), 'INVALID_PATCH'],
  ['an update without a hunk is rejected', { f: 'a\n' }, update(), 'INVALID_PATCH'],
  ['an update of a missing file is rejected', {}, update('@@', '-a', '+b'), 'NOT_FOUND'],
  ['a deletion of a missing file is rejected', { a: 'a\n' }, patchOf('*** Delete File: f'), 'NOT_FOUND'],
  ['a deletion of a directory is rejected', { 'f/a': 'a\n' }, patchOf('*** Delete File: f'), 'IS_DIRECTORY'],
];

const hunks: readonly Fact[] = [
  [
    'two hunks change two places',
    { f: 'a\nb\nc\nd\n' },
    update('@@', '-b', '+B', '@@', '-d', '+D'),
    { f: 'a\nB\nc\nD\n' },
  ],
  ['a hunk with only added lines appends them', { f: 'a\n' }, update('@@', '+b', '+c'), { f: 'a\nb\nc\n' }],
  ['an empty file gets its first line', { f: '' }, update('@@', '+a'), { f: 'a\n' }],
  ['lines are added between two of context', { f: 'a\nc\n' }, update('@@', ' a', '+b', ' c'), { f: 'a\nb\nc\n' }],
  ['a hunk may only remove lines', { f: 'a\nb\nc\n' }, update('@@', ' a', '-b', ' c'), { f: 'a\nc\n' }],
  ['the first hunk may lack its @@', { f: 'a\n' }, update(' a', '+b'), { f: 'a\nb\n' }],
  [
    'a line after @@ tells two places apart',
    { f: 'fn a\nx=10\nfn b\nx=10\n' },
    update('@@ fn b', '-x=10', '+x=11'),
    { f: 'fn a\nx=10\nfn b\nx=11\n' },
  ],
  [
    'the mark of the end of the file chooses the last place',
    { f: 'm\nx\nm\n' },
    update('@@', '-m', '+n', '*** End of File'),
    { f: 'm\nx\nn\n' },
  ],
  ['context that the file lacks is rejected', { f: 'a\nb\n' }, update('@@', '-x', '+y'), 'NO_MATCH'],
  ['more lines than the file has are rejected', { f: 'a\n' }, update('@@', ' a', ' b', '-c', '+d'), 'NO_MATCH'],
  [
    'an empty line does not separate hunks',
    { f: 'a\nb\nc\nd\n' },
    update('@@', '-b', '+B', '', '-d', '+D'),
    'NO_MATCH',
  ],
];

const forgiving: readonly Fact[] = [
  [
    'whitespace at the end of a line of the file',
    { f: 'a  \nb\t\n' },
    update('@@', ' a', '-b', '+c'),
    { f: 'a  \nc\n' },
  ],
  ['whitespace at both ends of its lines', { f: '  a \n  b\n' }, update('@@', ' a', '-b', '+c'), { f: '  a \n  c\n' }],
  ['dashes and quotes of a typesetter', { f: 'a – “b” ‘c’\n' }, update('@@', '-a - "b" \'c\'', '+d'), { f: 'd\n' }],
  ['spaces that do not break', { f: 'a\u00a0b\n' }, update('@@', '-a b', '+c'), { f: 'c\n' }],
  [
    'characters that are composed in the patch only',
    { f: 'Cafe\u0301\n' },
    update('@@', '-Caf\u00e9', '+Tea'),
    { f: 'Tea\n' },
  ],
  [
    'the same bytes before the same characters',
    { f: 'e\u0301\n\u00e9\n' },
    update('@@', '-\u00e9', '+x'),
    { f: 'e\u0301\nx\n' },
  ],
  ['a ligature is not its letters', { f: 'o\ufb03ce\n' }, update('@@', '-office', '+x'), 'NO_MATCH'],
  ['text beyond ASCII is kept', { f: 'naïve ✅\n' }, update('@@', '-naïve ✅', '+naïve 🚀'), { f: 'naïve 🚀\n' }],
  [
    'a patch with CRLF changes a file with LF',
    { f: 'a\nb\n' },
    update('@@', '-a', '+c').replaceAll('\n', '\r\n'),
    { f: 'c\nb\n' },
  ],
  ['a here-document around the patch', { f: 'a\n' }, `<<'EOF'\n${update('@@', '-a', '+b')}EOF\n`, { f: 'b\n' }],
  ['a command around the patch', { f: 'a\n' }, `cat <<EOF\n${update('@@', '-a', '+b')}EOF\n`, { f: 'b\n' }],
];

const body = ['@@', '-a', '+b'];
const two = { f: 'a\n', g: 'a\n' };
const documented = '*** Update File: g\na\n';

const padded: readonly Fact[] = [
  ['around the begin', { f: 'a\n' }, update(...body).replace('*** Begin Patch', '  *** Begin Patch\t'), { f: 'b\n' }],
  ['after the end', { f: 'a\n' }, update(...body).replace('*** End Patch', '*** End Patch  '), { f: 'b\n' }],
  ['before the end', { f: 'a\n' }, update(...body).replace('*** End Patch', ' *** End Patch'), { f: 'b\n' }],
  ['before the first header', { f: 'a\n' }, patchOf('  *** Update File: f  ', ...body), { f: 'b\n' }],
  ['before the header after a hunk', two, update(...body, ' *** Update File: g ', ...body), { f: 'b\n', g: 'b\n' }],
  [
    'before each header and the end',
    two,
    update(...body, '\t*** Update File: g', '@@ ', '-a', '+b', '\t*** Delete File: h', ' '),
    'NOT_FOUND',
  ],
  ['before a deletion after a hunk', two, update(...body, '  *** Delete File: g'), { f: 'b\n' }],
  ['before an addition after a hunk', { f: 'a\n' }, update(...body, ' *** Add File: n', '+n'), { f: 'b\n', n: 'n\n' }],
  [
    'before a header after an added file',
    { f: 'a\n' },
    patchOf('*** Add File: n', '+n', ' *** Delete File: f'),
    { n: 'n\n' },
  ],
  ['before a header after a deletion', two, patchOf('*** Delete File: f', ' *** Delete File: g '), {}],
  ['before the target of a move', { f: 'a\n' }, update('  *** Move to: n  ', ...body), { n: 'b\n' }],
  ['around the start of a hunk', { f: 'a\n' }, update('@@  ', '-a', '+b'), { f: 'b\n' }],
  ['before the start of a hunk', { f: 'x\na\n' }, update(' @@ x ', '-a', '+b'), { f: 'x\nb\n' }],
  [
    'before the mark of the end of the file',
    { f: 'a\nx\na\n' },
    update(...body, ' *** End of File '),
    { f: 'a\nx\nb\n' },
  ],
  [
    'a line of the file that looks like a header stays one',
    { f: documented, g: 'a\n' },
    update('@@', ' *** Update File: g', '-a', '+b'),
    { f: '*** Update File: g\nb\n', g: 'a\n' },
  ],
  [
    'a line of the file that looks like the end stays one',
    { f: '*** End Patch\na\n' },
    update('@@', ' *** End Patch', '-a', '+b'),
    { f: '*** End Patch\nb\n' },
  ],
  [
    'a file that neither reading fits is not changed',
    two,
    update(...body, ' *** Update File: g', '@@', '-x', '+y'),
    'NO_MATCH',
  ],
  ['a section after the end is not lost', two, `${update(...body)} *** Delete File: g\n`, 'INVALID_PATCH'],
  ['a move after the end is not lost', { f: 'a\n' }, `${update(...body)} *** Move to: g\n`, 'INVALID_PATCH'],
];

const departures: readonly Fact[] = [
  ['a file is not added onto another one', { n: 'old\n' }, patchOf('*** Add File: n', '+new'), 'EXISTS'],
  ['a file is not moved onto another one', { f: 'a\n', g: 'g\n' }, update('*** Move to: g', ...body), 'EXISTS'],
  ['a last line without a line end stays without', { f: 'x\na' }, update(...body), { f: 'x\nb' }],
  [
    'nothing is left of a patch that fails at its second file',
    {},
    patchOf('*** Add File: n', '+n', '*** Update File: f', ...body),
    'NOT_FOUND',
  ],
  ['one of several places is not guessed', { f: 'a\na\n' }, update(...body), 'AMBIGUOUS'],
];

describe.each([
  ['sections', sections],
  ['hunks', hunks],
  ['what is forgiven', forgiving],
  ['whitespace', padded],
  ['departures', departures],
] as const)('%s', (_, facts) => {
  test.each(facts)('%s', async (_fact, before, patch, after) => {
    expect(await patched(before, patch)).toEqual(after);
  });
});

describe('an operation of apply_patch', () => {
  const applied = async (diff: string): Promise<string> => {
    const root = createTree({ f: 'x\na\n' });
    const result = await createApplyPatchTool({ root }).execute({ type: 'update_file', path: 'f', diff });
    expect(existsSync(join(root, 'f'))).toBe(true);
    return result.isError ? result.details.reason : readFileSync(join(root, 'f'), 'utf8');
  };

  test.each([
    ['takes the start of a hunk with whitespace before it', ' @@ x\n-a\n+b\n', 'x\nb\n'],
    ['rejects another file, whitespace before it or not', '-a\n+b\n *** Delete File: g\n', 'NO_MATCH'],
    ['rejects a move, whitespace before it or not', ' *** Move to: g\n-a\n+b\n', 'NO_MATCH'],
  ])('%s', async (_, diff, expected) => {
    expect(await applied(diff)).toBe(expected);
  });
});
