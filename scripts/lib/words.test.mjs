import { expect, test } from 'vitest';

import { findUnwantedWords } from './words.mjs';

/** @param {string} text */
const unwanted = (text, path = 'packages/x/src/a.ts') =>
  findUnwantedWords(path, text).map(({ line, text: found }) => `${line} ${found}`);

test.each([
  ['is none', 'throw new Error(`the role ${role} is none`)', ['1 is none']],
  ['is no X', '// --edits is no JSON', ['1 is no ']],
  ['takes no X', 'this command takes no file', ['1 takes no']],
  ['is said, is told', 'What it did is said; nobody is told', ['1 said', '1 told']],
  ['says so', 'it is stale and says so', ['1 says so']],
  ['anew', 'made anew', ['1 anew']],
  ['so many', 'stop after so many milliseconds', ['1 so many']],
  ['behind', 'the text behind a comma', ['1 behind']],
  ['who as a subject', 'who only listens is not waited for', ['1 who only']],
  ['whose as a subject', '/** Whose names the tools have. */', ['1 Whose']],
  ['what as a subject', ' * What cannot be read is set aside.', ['1 What cannot', '1 set aside']],
  ['a name of a constant', 'const MOST_BYTES = mostBytes;', ['1 MOST_', '1 mostB']],
  ['signs of life', 'const giveSign = SIGNS_PER_LEASE;', ['1 giveSign', '1 SIGNS_PER']],
  [
    'look as a verb and as a noun',
    'looks at it; const look = PickLook; lookAt',
    ['1 looks', '1 look', '1 PickLook', '1 lookAt'],
  ],
  ['mend', 'how to mend it', ['1 mend']],
  ['slips', 'SLIPS and forgive a slip', ['1 SLIPS', '1 slip']],
  ['refused', 'the name is refused; refuses it; a refusal', ['1 is refused', '1 refuses', '1 a refusal']],
  ['beside', 'the file beside it', ['1 beside']],
  ['blanks', 'a name with blanks or a blank', ['1 blanks', '1 a blank']],
  ['somebody', 'what somebody wrote and nobody reads', ['1 somebody', '1 nobody reads']],
  ['of which', 'files of which some', ['1 of which']],
  ['also when', 'stops, also when it fails', ['1 also when']],
  ['returns what', '/** Returns what changed. @returns why */', ['1 Returns what', '1 returns why']],
  ['order and time', 'one after the other, not at the same time', ['1 one after the other', '1 at the same time']],
  ['signs of fzf', 'the signs of fzf', ['1 signs of fzf']],
  ['stands in', 'it stands in a file', ['1 stands in']],
  ['what is meant', 'guess what is meant', ['1 what is meant']],
  ['the default as a pronoun', '@default that of the run', ['1 default that of']],
  ['a phrase over two lines of a comment', '// x\n/**\n * at most so\n * many\n */', ['3 so * many']],
])('reports %s', (_reason, text, expected) => {
  expect(unwanted(text)).toEqual(expected);
});

test.each([
  ['there is no', 'there is none, and there is no other; it is no longer here; none of them'],
  ['left behind', 'a process leaves files behind; the link lies behind a symbolic link; look-behind'],
  ['lookup', 'a lookup, looks like, look-around, looks up a name, look-alikes'],
  ['an object of a sentence', '/** What a mention names. */ What is new? a file whose name'],
  ['words that contain one', 'renew, slippers, amend, recommend, foundation, unsaid'],
  ['words of Rust in TypeScript', 'board Land'],
  ['refusals of others', "connection refused, status === 'refused', workflows.refuse(id)"],
  ['blank lines', 'a blank line; trailing-blanks'],
  ['besides and returned values', 'besides; the call returns what it was given'],
])('accepts %s', (_reason, text) => {
  expect(unwanted(text)).toEqual([]);
});

test('rules for Rust apply to Rust', () => {
  expect(unwanted('enum Boarding {} cache.board(Land::Publish, Leave::Finished)', 'crates/walk/src/cache.rs')).toEqual([
    '1 Boarding',
    '1 board',
    '1 Land',
    '1 Leave',
  ]);
});

test('the newer rules leave out the packages that do not follow them yet', () => {
  expect(unwanted('the file beside it', 'packages/memory/src/a.ts')).toEqual([]);
  expect(unwanted('what it did is said', 'packages/memory/src/a.ts')).toEqual(['1 said']);
});

test('an allowance covers its own text in its own files', () => {
  const allowed = [{ files: /a\.ts$/u, text: /a good look/u, reason: 'quoted' }];
  const rules = [{ use: 'style', pattern: /\blook\b/gu }];
  expect(findUnwantedWords('a.ts', 'a good look, a look', { rules, allowed })).toEqual([
    { line: 1, text: 'look', use: 'style' },
  ]);
  expect(findUnwantedWords('b.ts', 'a good look', { rules, allowed })).toHaveLength(1);
});
