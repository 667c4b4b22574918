import { readProjectInstructions } from '@cairn/context';
import type { ProjectInstructions } from '@cairn/context';
import fc from 'fast-check';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTree, fifo, symlink } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

function read(tree: Tree, directory = '', maxCharacters?: number): Promise<ProjectInstructions> {
  const root = join(createTree({ 'p/': {}, ...tree }), 'p');
  return readProjectInstructions({ root, directory: join(root, directory), maxCharacters });
}

test('a project without instructions has no text', async () => {
  expect(await read({ 'p/AGENTS.md': ' \n' })).toEqual({ text: '', sources: [], leftOut: [], notices: [] });
});

test('reads from the root to the working directory, and the nearest is the last', async () => {
  const tree = {
    'AGENTS.md': 'above',
    'p/AGENTS.md': '\uFEFFroot agents\r\nline\r\n',
    'p/CLAUDE.md': 'root claude',
    'p/a/CLAUDE.md': 'in a',
    'p/a/b/AGENTS.md': 'in b',
    'p/other/AGENTS.md': 'elsewhere',
  };
  expect(await read(tree, 'a/b')).toEqual({
    text: `# Project instructions

From files of the project. Where they differ, the later one applies.

## CLAUDE.md

root claude

## AGENTS.md

root agents
line

## a/CLAUDE.md

in a

## a/b/AGENTS.md

in b`,
    sources: ['CLAUDE.md', 'AGENTS.md', 'a/CLAUDE.md', 'a/b/AGENTS.md'],
    leftOut: [],
    notices: [],
  });
  expect((await read(tree)).sources).toEqual(['CLAUDE.md', 'AGENTS.md']);
});

test('a directory outside of the project has the instructions of the root', async () => {
  expect((await read({ 'AGENTS.md': 'above', 'p/AGENTS.md': 'root' }, '..')).sources).toEqual(['AGENTS.md']);
});

test('the texts around them exist in Chinese', async () => {
  const root = createTree({ 'AGENTS.md': 'x'.repeat(9000), 'CLAUDE.md': fifo() });
  const { text } = await readProjectInstructions({ root, language: 'zh' });
  expect(text).toMatch(
    /^# 项目说明\n\n来自项目中的文件。如有冲突，以后出现的为准。\n\n## AGENTS\.md\n\nx+\n\[AGENTS\.md 还有 \d+ 个字符未显示；需要时请读取该文件\]\n\n\[无法读取 CLAUDE\.md：/u,
  );
});

test.each([
  ['equal content', { 'p/AGENTS.md': 'same\n', 'p/CLAUDE.md': 'same' }],
  ['a link', { 'p/AGENTS.md': 'same', 'p/CLAUDE.md': symlink('AGENTS.md') }],
  ['an import alone', { 'p/AGENTS.md': 'same', 'p/CLAUDE.md': '@AGENTS.md\n' }],
  ['an import by a path', { 'p/AGENTS.md': 'same', 'p/CLAUDE.md': '@./AGENTS.md' }],
])('shows a text once: %s', async (_, tree) => {
  const { text, sources } = await read(tree);
  expect(sources).toEqual(['AGENTS.md']);
  expect(text.split('same')).toHaveLength(2);
});

test('an import is removed where its text is shown, and stays where it is not', async () => {
  const { text } = await read(
    {
      'p/AGENTS.md': 'root',
      'p/a/AGENTS.md': '- @../AGENTS.md\nmore\n@docs/style.md\nsee @AGENTS.md',
    },
    'a',
  );
  expect(text).toContain('## a/AGENTS.md\n\nmore\n@docs/style.md\nsee @AGENTS.md');
});

test('a text that two directories have is shown once, as that of the nearer one', async () => {
  expect((await read({ 'p/AGENTS.md': 'same', 'p/a/AGENTS.md': 'same' }, 'a')).sources).toEqual(['a/AGENTS.md']);
});

test('the farthest is cut first, at the end of a line, and the text states it', async () => {
  const line = 'A line of the instructions.\n';
  const { text, sources, leftOut } = await read(
    { 'p/AGENTS.md': line.repeat(400), 'p/a/AGENTS.md': `near\n${line.repeat(100)}` },
    'a',
  );
  expect(text.length).toBeLessThanOrEqual(8000);
  expect(sources).toEqual(['AGENTS.md', 'a/AGENTS.md']);
  const [cut] = leftOut;
  expect(leftOut).toEqual([{ source: 'AGENTS.md', reason: 'cut', characters: expect.any(Number) as number }]);
  expect(text).toContain(
    `\nA line of the instructions.\n[${cut?.characters ?? ''} more characters of AGENTS.md are not shown; read the file for them]\n`,
  );
  // The two parts are the whole file.
  const shown = /## AGENTS\.md\n\n([^[]+)\n\[/u.exec(text)?.[1] ?? '';
  expect(shown.length + (cut?.characters ?? 0)).toBe(line.repeat(400).trim().length);
});

test('a file without room is named', async () => {
  const { text, sources, leftOut, notices } = await read(
    { 'p/AGENTS.md': 'x'.repeat(3000), 'p/a/AGENTS.md': 'y'.repeat(6900) },
    'a',
  );
  expect(sources).toEqual(['a/AGENTS.md']);
  expect(leftOut).toEqual([{ source: 'AGENTS.md', reason: 'budget', characters: 3000 }]);
  expect(text).toContain('[AGENTS.md is not shown: 3000 characters; read the file]');
  expect(notices).toEqual([
    'The project instructions leave out 3000 characters of AGENTS.md; all files together may have 8000',
  ]);
});

test('a file that cannot be read is reported, and hides no other', async () => {
  const { text, sources, leftOut } = await read(
    {
      'p/AGENTS.md': Buffer.from('a\n\xff', 'latin1'),
      'p/CLAUDE.md': {},
      'p/a/AGENTS.md': fifo(),
      'p/a/CLAUDE.md': symlink('CLAUDE.md'),
      'p/a/b/AGENTS.md': symlink('../../../secret'),
      'p/a/b/CLAUDE.md': 'good',
      secret: 'the key is 42',
    },
    'a/b',
  );
  expect(sources).toEqual(['a/b/CLAUDE.md']);
  expect(text).not.toContain('42');
  expect(leftOut.map(({ source, problem }) => `${source}: ${problem}`)).toEqual([
    'a/b/AGENTS.md: is a link out of the project; put the text into the project',
    'a/AGENTS.md: is a device, pipe or socket; use a regular file',
    'a/CLAUDE.md: is part of a loop of symbolic links; make it readable, or remove it',
    'AGENTS.md: is not valid UTF-8; save it as UTF-8',
    'CLAUDE.md: is a directory; use a regular file',
  ]);
  for (const { source } of leftOut) expect(text).toContain(`[${source} could not be read: it is `);
});

test('the text keeps its limit, whatever the files and the limit are', async () => {
  const content = fc.string({ unit: fc.constantFrom('a', '\n', '漢', '😀', '@AGENTS.md', ' '), maxLength: 4000 });
  await fc.assert(
    fc.asyncProperty(content, content, content, fc.integer({ min: 600, max: 6000 }), async (one, two, three, limit) => {
      const { text, leftOut } = await read(
        { 'p/AGENTS.md': one, 'p/CLAUDE.md': two, 'p/a/AGENTS.md': three },
        'a',
        limit,
      );
      expect(text.length).toBeLessThanOrEqual(limit);
      expect(Buffer.from(text).toString()).toBe(text);
      for (const { source } of leftOut) expect(text).toContain(source);
    }),
    { numRuns: 60 },
  );
});
