import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Git } from './git.ts';
import { mergeLines, mergeTexts, type MergedText } from './merge-texts.ts';

let root: string;
let repository: Git;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-merge-test-'));
  execFileSync('git', ['init', '--quiet', '--bare', root]);
  repository = new Git({ directory: root, env: process.env, remoteTimeoutMs: 60_000, signal: undefined });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const key = { name: 'a', productLine: 'p' };

/** An asset with fields in this order, and a body. */
function asset(body: string, fields: Readonly<Record<string, string>> = {}): string {
  const all = { name: 'a', type: 'pitfall', product_line: 'p', title: 'T', ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`);
  return `---\n${lines.join('')}---\n\n${body}`;
}

function merge(base: string, mine: string, theirs: string): Promise<MergedText | undefined> {
  return mergeTexts(repository, { base, mine, theirs }, key);
}

const five = 'one\n\ntwo\n\nthree\n\nfour\n\nfive\n';

describe('different places', () => {
  test.each([
    [
      'of the body',
      asset(five),
      asset(five.replace('one', 'ONE')),
      asset(five.replace('five', 'FIVE')),
      asset(five.replace('one', 'ONE').replace('five', 'FIVE')),
    ],
    [
      'with CRLF',
      ...[
        five,
        five.replace('one', 'ONE'),
        five.replace('five', 'FIVE'),
        five.replace('one', 'ONE').replace('five', 'FIVE'),
      ].map((body) => asset(body).replaceAll('\n', '\r\n')),
    ],
    [
      'when one side converted all line ends',
      asset(five),
      asset(five.replace('one', 'ONE')).replaceAll('\n', '\r\n'),
      asset(five.replace('five', 'FIVE')),
      asset(five.replace('one', 'ONE').replace('five', 'FIVE')).replaceAll('\n', '\r\n'),
    ],
    [
      'without a final line end',
      asset(five.trimEnd()),
      asset(five.trimEnd().replace('one', 'ONE')),
      asset(`${five.trimEnd()}!`),
      asset(`${five.trimEnd().replace('one', 'ONE')}!`),
    ],
    [
      'when one side added the final line end',
      asset(five.trimEnd()),
      asset(five.trimEnd().replace('one', 'ONE')),
      asset(five),
      asset(five.replace('one', 'ONE')),
    ],
    [
      'of the front matter and the body',
      asset(five, { tags: '[x]' }),
      asset(five, { tags: '[x, y]' }),
      asset(five.replace('three', 'THREE'), { tags: '[x]' }),
      asset(five.replace('three', 'THREE'), { tags: '[x, y]' }),
    ],
    [
      'in neighboring fields',
      asset(five, { tags: '[x]', status: 'active' }),
      asset(five, { title: 'Mine', tags: '[x]', status: 'active' }),
      asset(five, { tags: '[x]', status: 'deprecated' }),
      asset(five, { title: 'Mine', tags: '[x]', status: 'deprecated' }),
    ],
    [
      'of a list of tags',
      asset(five, { tags: '[a, b, c]' }),
      asset(five, { tags: '[a, c, mine]' }),
      asset(five, { tags: '[theirs, a, b, c]' }),
      asset(five, { tags: '[theirs, a, c, mine]' }),
    ],
    [
      'when both added tags',
      asset(five),
      asset(five, { tags: '[mine]' }),
      asset(five, { tags: '[theirs]' }),
      asset(five, { tags: '[theirs, mine]' }),
    ],
    [
      'and the later day counts',
      asset(five, { verified_at: '2026-01-01' }),
      asset(five, { verified_at: '2026-03-01' }),
      asset(five, { verified_at: '2026-02-01' }),
      asset(five, { verified_at: '2026-03-01' }),
    ],
    [
      'of fields that Cairn does not know',
      asset(five, { owner: 'me', since: '1.10' }),
      asset(five, { owner: '"you: all"', since: '1.10' }),
      asset(five, { owner: 'me', since: '1.20' }),
      asset(five, { owner: '"you: all"', since: '1.20' }),
    ],
    [
      'next to a comment that both have',
      asset(five, { '# kept': 'x', tags: '[a]' }),
      asset(five, { '# kept': 'x', tags: '[a, m]' }),
      asset(five, { '# kept': 'x', tags: '[a, t]' }),
      asset(five, { '# kept': 'x', tags: '[a, t, m]' }),
    ],
  ])('%s are merged', async (_, base = '', mine = '', theirs = '', expected = '') => {
    expect(await merge(base, mine, theirs)).toEqual({ text: expected, isClean: true });
  });
});

describe('the same place', () => {
  test('is between marks, and the rest is there once', async () => {
    const mine = asset(five.replace('three', 'mine').replace('one', 'ONE'));
    const theirs = asset(five.replace('three', 'theirs').replace('five', 'FIVE'));
    const merged = 'ONE\n\ntwo\n\n<<<<<<< here\nmine\n=======\ntheirs\n>>>>>>> team\n\nfour\n\nFIVE\n';
    expect(await merge(asset(five), mine, theirs)).toEqual({ text: asset(merged), isClean: false });
  });

  test('of the body keeps fields that are merged', async () => {
    const mine = asset('mine\n', { tags: '[m]' });
    const theirs = asset('theirs\n', { tags: '[t]' });
    const merged = '<<<<<<< here\nmine\n=======\ntheirs\n>>>>>>> team\n';
    expect(await merge(asset('x\n'), mine, theirs)).toEqual({
      text: asset(merged, { tags: '[t, m]' }),
      isClean: false,
    });
  });

  test.each([
    ['a title', asset(five, { title: 'Mine' }), asset(five, { title: 'Theirs' })],
    [
      'a comment of one side next to a field of the other',
      asset(five, { tags: '[m]', '# mine': 'x' }),
      asset(five, { tags: '[t]' }),
    ],
    ['a day that is not one', asset(five, { verified_at: 'soon' }), asset(five, { verified_at: '2026-02-01' })],
  ])('%s is left to the user, with both sides', async (_, mine, theirs) => {
    const merged = await merge(asset(five), mine, theirs);
    expect(merged?.isClean).toBe(false);
    for (const side of [mine, theirs]) {
      for (const line of side.split('\n')) expect(merged?.text.split('\n')).toContain(line);
    }
  });

  test('whose clean result is not a valid asset is rejected', async () => {
    // Both add the same field in other lines, with other values.
    const base = asset(five, { owner: 'x', other: 'y', more: 'z', last: 'w' });
    const mine = base.replace('owner: x', 'owner: x\nname2: 1');
    const theirs = base.replace('last: w', 'last: w\nname2: 2');
    const merged = await merge(base, mine, theirs);
    expect(merged === undefined || !merged.isClean).toBe(true);
  });
});

test('a text that git takes for binary is not merged', async () => {
  expect(await mergeLines(repository, { base: 'a\n', mine: 'b\0\n', theirs: 'c\n' })).toBeUndefined();
});

const line = fc.constantFrom('a', 'b', 'c', '', '# T', '<<<<<<< here', '=======', '- x', '表格', '\t');
const edit = fc.record({ at: fc.nat(20), remove: fc.nat(2), insert: fc.array(line, { maxLength: 2 }) });

function apply(
  lines: readonly string[],
  edits: readonly { at: number; remove: number; insert: readonly string[] }[],
): string[] {
  const next = [...lines];
  for (const { at, remove, insert } of edits) next.splice(at % (next.length + 1), remove, ...insert);
  return next;
}

test('lines are merged as `git merge-file` merges them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-merge-oracle-'));
  const files = ['mine', 'base', 'theirs'].map((name) => join(directory, name));
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 15 }),
        fc.array(edit, { maxLength: 3 }),
        fc.array(edit, { maxLength: 3 }),
        fc.constantFrom('\n', '\r\n'),
        fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
        async (lines, own, other, end, hasFinalEnd) => {
          const [mine = '', base = '', theirs = ''] = [apply(lines, own), lines, apply(lines, other)].map(
            (all, index) => all.join(end) + (hasFinalEnd[index] === true && all.length > 0 ? end : ''),
          );
          for (const [index, text] of [mine, base, theirs].entries()) writeFileSync(files[index] ?? '', text);
          const labels = ['-L', 'here', '-L', 'base', '-L', 'team'];
          const oracle = spawnSync('git', ['merge-file', '-p', '-q', ...labels, ...files], { encoding: 'utf8' });
          const merged = await mergeLines(repository, { base, mine, theirs });
          // Texts of one line have no line end that tells them apart.
          if ([mine, base, theirs].some((text) => !text.includes('\n'))) return;
          expect(merged).toEqual({ text: oracle.stdout, isClean: oracle.status === 0 });
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
