import { createCodingTools, createMentionProvider, createWorkspace, expandMentions } from '@cairn/coding-agent';
import type { ExpandedMessage, ToolPolicy, Workspace } from '@cairn/coding-agent';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTree, fifo, symlink, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

function workspaceOf(tree: Tree, policy?: ToolPolicy): Workspace {
  return createWorkspace({ root: createTree(tree), stateDirectory: join(temporaryDirectory(), 'state'), policy });
}

/** The text parts of an expanded message. */
function attachments({ content }: ExpandedMessage): string[] {
  return content.slice(1).map((part) => (part.type === 'text' ? part.text : `<${part.mimeType}>`));
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('what is attached', () => {
  test('the text of a file, with its tag; the message itself stays as it is', async () => {
    const workspace = workspaceOf({ 'src/a.ts': 'one\ntwo\n' });
    const message = await expandMentions('See @src/a.ts.', { workspace });
    expect(message.content[0]).toEqual({ type: 'text', text: 'See @src/a.ts.' });
    expect(attachments(message)).toEqual([
      expect.stringMatching(/^\[src\/a\.ts: lines 1-2 of 2, 8 bytes, tag [\da-f]{8}\]\none\ntwo$/u),
    ]);
    expect(message.mentions).toMatchObject([
      {
        attached: true,
        cutByBudget: false,
        mention: { path: 'src/a.ts', start: 4, end: 13 },
        details: { kind: 'text' },
      },
    ]);
  });

  test('lines of a file', async () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join('\n');
    const message = await expandMentions('@a.ts:10-12 and @a.ts:50', { workspace: workspaceOf({ 'a.ts': text }) });
    const [first = '', second = ''] = attachments(message);
    expect(first).toMatch(/^\[a\.ts: lines 10-12 of 50, .*\]\nline 10\nline 11\nline 12\n\[cut by .*offset=13\]$/u);
    expect(second).toMatch(/^\[a\.ts: lines 50-50 of 50, .*\]\nline 50$/u);
  });

  test('a cut says how to go on in the names of the tools', async () => {
    const message = await expandMentions('@a.ts:1', { workspace: workspaceOf({ 'a.ts': 'x\ny\n' }), naming: 'gemini' });
    expect(attachments(message)[0]).toMatch(/continue with start_line=2\]$/u);
  });

  test('the listing of a directory, never the content of its files', async () => {
    const workspace = workspaceOf({ 'src/a.ts': 'secret', 'src/deep/b.ts': 'secret' });
    for (const text of ['@src', '@src/', '@./src', '@src:3']) {
      expect(attachments(await expandMentions(text, { workspace }))).toEqual(['[src: 2 entries]\na.ts\ndeep/']);
    }
  });

  test('an image as an image', async () => {
    const message = await expandMentions('@a.png', { workspace: workspaceOf({ 'a.png': png }) });
    expect(attachments(message)).toEqual([expect.stringMatching(/^\[a\.png: PNG/u), '<image/png>']);
  });

  test('the same thing once', async () => {
    const message = await expandMentions('@a.ts, @a.ts and @"a.ts"', { workspace: workspaceOf({ 'a.ts': 'x' }) });
    expect(attachments(message)).toHaveLength(1);
    expect(message.mentions).toHaveLength(1);
  });

  test('the same thing once, however its path is written; other lines of it by themselves', async () => {
    const workspace = workspaceOf({ 'a.ts': 'x\ny\n', 'd/b.ts': '' });
    const spellings = ['a.ts', './a.ts', 'd/../a.ts', join(workspace.root, 'a.ts'), 'd', 'd/', './d', 'd:7', 'a.ts:2'];
    const message = await expandMentions(spellings.map((path) => `@${path}`).join(' '), { workspace });
    expect(message.mentions.map(({ mention }) => mention.path)).toEqual(['a.ts', 'd', 'a.ts']);
    expect(attachments(message)).toHaveLength(3);
  });

  test('text that may be something else, when the path exists', async () => {
    const workspace = workspaceOf({ 'types/node': 'x\n', v7: 'y\n' });
    const message = await expandMentions('@types/node, me@example.com, checkout@v7, @scope/none', { workspace });
    expect(message.mentions.map(({ mention }) => mention.path)).toEqual(['types/node', 'v7']);
  });

  test('nothing for a text without mentions, or in code', async () => {
    const workspace = workspaceOf({ 'a.ts': 'x' });
    for (const text of ['', 'hello', '`@a.ts`', '```\n@a.ts\n```', 'me@example.com']) {
      expect(await expandMentions(text, { workspace })).toEqual({ content: [{ type: 'text', text }], mentions: [] });
    }
  });
});

describe('a mention that is not attached is reported with the reason', () => {
  const outside = (): string => createTree({ 'secret.txt': 'secret' });
  const cases: readonly (readonly [why: string, text: string, tree: Tree, reason: string, says: string])[] = [
    [
      'missing',
      '@src/b.ts',
      { 'src/a.ts': '' },
      'NOT_FOUND',
      '[@src/b.ts is not attached: nothing exists at this path]',
    ],
    ['another case', '@readme', { 'README.md': '' }, 'NOT_FOUND', 'nothing exists at this path'],
    ['the begin of a name', '@READ', { README: '' }, 'NOT_FOUND', 'nothing exists at this path'],
    ['a file named as a directory', '@a.ts/', { 'a.ts': '' }, 'NOT_FOUND', 'nothing exists at this path'],
    ['below a file', '@a.ts/b.ts', { 'a.ts': '' }, 'NOT_A_DIRECTORY', 'a.ts/b.ts has a parent that is not a directory'],
    [
      'binary',
      '@a.bin',
      { 'a.bin': Buffer.from([0, 1, 2, 3]) },
      'BINARY',
      'a.bin is not a text file: binary data, 4 bytes',
    ],
    ['a pipe', '@p', { p: fifo() }, 'NOT_A_FILE', 'p is a device, pipe or socket'],
    ['no such line', '@a.ts:9', { 'a.ts': 'x\n' }, 'INVALID_INPUT', 'a.ts has 1 line, so there is no line 9'],
    ['above the root', '@../x', {}, 'OUTSIDE_ROOT', 'is outside the root'],
    ['absolute', '@/etc/passwd', {}, 'OUTSIDE_ROOT', '/etc/passwd is outside the root'],
    ['a link in a circle', '@l', { l: symlink('l') }, 'NOT_FOUND', 'is part of a loop of symbolic links'],
  ];
  test.each(cases)('%s', async (_, text, tree, reason, says) => {
    const message = await expandMentions(text, { workspace: workspaceOf(tree) });
    expect(message.mentions).toMatchObject([{ attached: false, reason }]);
    expect(attachments(message)).toHaveLength(1);
    expect(attachments(message)[0]).toContain(says);
  });

  test('a link out of the root, but not one that stays inside', async () => {
    const secret = join(outside(), 'secret.txt');
    const workspace = workspaceOf({ out: symlink(secret), in: symlink('a.ts'), 'a.ts': 'x\n' });
    const message = await expandMentions('@out @in', { workspace });
    expect(message.mentions.map(({ attached }) => attached)).toEqual([false, true]);
    expect(JSON.stringify(message)).not.toContain('"secret');
  });

  test('without the sandbox, everything may be mentioned', async () => {
    const secret = join(outside(), 'secret.txt');
    const message = await expandMentions(`@${secret}`, { workspace: workspaceOf({}, { confine: false }) });
    expect(attachments(message)[0]).toContain('secret');
  });
});

describe('one budget for the whole message', () => {
  const lines = (count: number): string => `${'x'.repeat(99)}\n`.repeat(count);

  test('cuts content that does not fit, and names mentions that are left out', async () => {
    const workspace = workspaceOf({ 'a.ts': lines(40), 'b.ts': lines(40), 'c.ts': lines(40), 'd.ts': 'short\n' });
    const message = await expandMentions('@a.ts @b.ts @c.ts @d.ts', { workspace, maxBytes: 6000 });
    expect(message.mentions).toMatchObject([
      { attached: true, cutByBudget: false },
      { attached: true, cutByBudget: true },
      { attached: false, reason: 'BUDGET' },
      { attached: true, cutByBudget: false },
    ]);
    const parts = attachments(message);
    expect(parts[1]).toMatch(/\[cut by .*; continue with offset=\d+\]$/u);
    expect(parts.at(-1)).toMatch(
      /^\[@b\.ts is attached in part: one message holds at most 5\.9 KB\]\n\[@c\.ts is not attached: it has 4\.0 KB, but only \d+ bytes of the 5\.9 KB for one message are left\]$/u,
    );
    expect(parts.slice(0, -1).join('').length).toBeLessThanOrEqual(6000);
  });

  test('by default two full pages of read', async () => {
    const tree = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, lines(2000)]));
    const message = await expandMentions('@a @b @c', { workspace: workspaceOf(tree) });
    const texts = attachments(message).slice(0, -1);
    expect(texts.length).toBe(2);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024);
    expect(message.mentions.map(({ attached }) => attached)).toEqual([true, true, false]);
  });

  test('images count too', async () => {
    const tree = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`${index}.png`, png]));
    const text = Object.keys(tree)
      .map((name) => `@${name}`)
      .join(' ');
    const message = await expandMentions(text, { workspace: workspaceOf(tree) });
    expect(message.content.filter(({ type }) => type === 'image')).toHaveLength(12);
    expect(message.mentions.filter(({ attached }) => !attached)).toHaveLength(2);
  });

  test('nothing fits into nothing', async () => {
    const message = await expandMentions('@a.ts @d', {
      workspace: workspaceOf({ 'a.ts': 'x', 'd/e': '' }),
      maxBytes: 0,
    });
    expect(message.mentions.map(({ attached }) => attached)).toEqual([false, false]);
  });

  test('a huge file costs a page', async () => {
    const workspace = workspaceOf({ huge: lines(10_000) });
    truncateSync(join(workspace.root, 'huge'), 1024 ** 3);
    const message = await expandMentions('@huge', { workspace });
    expect(message.mentions).toMatchObject([{ attached: true, details: { kind: 'text', offset: 1, size: 1024 ** 3 } }]);
  });
});

describe('a mention counts as reading', () => {
  test('the file may be overwritten, and no longer once it has changed', async () => {
    const workspace = workspaceOf({ 'a.ts': 'old\n', 'b.ts': 'old\n', 'c.ts': 'old\n' });
    const tools = createCodingTools({ workspace });
    await expandMentions('@a.ts @b.ts', { workspace });
    writeFileSync(join(workspace.root, 'b.ts'), 'changed\n');
    const results = await Promise.all(
      ['a.ts', 'b.ts', 'c.ts'].map((path) => tools.write.execute({ path, content: 'new\n' })),
    );
    expect(
      results.map(({ isError, details }) => (isError ? (details as { reason: string }).reason : 'written')),
    ).toEqual(['written', 'STALE', 'NOT_READ']);
  });

  test('the tag is that of read', async () => {
    const workspace = workspaceOf({ 'a.ts': 'x\n' });
    const [mention] = (await expandMentions('@a.ts', { workspace })).mentions;
    const read = await createCodingTools({ workspace }).read.execute({ path: 'a.ts' });
    expect(mention?.attached && mention.details).toEqual(read.details);
  });

  test('a mentioned path comes first among equal suggestions', async () => {
    const workspace = workspaceOf({ 'a/index.ts': '', 'b/index.ts': '' });
    const provider = createMentionProvider({ workspace });
    const first = async (): Promise<string | undefined> => (await provider.suggest('index'))?.suggestions[0]?.path;
    expect(await first()).toBe('a/index.ts');
    await expandMentions('@b/index.ts', { workspace });
    expect(await first()).toBe('b/index.ts');
  });
});

describe('from the first letter to the content, for names of every kind', () => {
  const names = [
    'a b.ts',
    'app/[id]/(group)/page.tsx',
    '{{cookie}}/a,b.ts',
    '-rf',
    '--help',
    'a:10',
    'C:a.ts',
    'quote".ts',
    "it's.ts",
    'tick`s.ts',
    'ends.',
    'x@v7',
    '@scope/name',
    '日本語/ファイル.ts',
    'caf\u00e9.ts',
    'cafe\u0301.ts',
    'emoji 😀.ts',
    'back\\slash.ts',
    'new\nline.ts',
    ' leading and trailing ',
  ];
  const tree = Object.fromEntries(names.map((name, index) => [name, `content ${index}\n`]));

  test.each(names.map((name, index) => [name, index] as const))('%j', async (name, index) => {
    const workspace = workspaceOf(tree);
    const provider = createMentionProvider({ workspace });
    const answer = await provider.suggest(name.slice(0, -1), { limit: 50 });
    const suggestion = answer?.suggestions.find(({ path }) => path === name);
    expect(suggestion?.path).toBe(name);
    const message = await expandMentions(`(see ${suggestion?.mention ?? ''}).`, { workspace });
    expect(message.mentions).toMatchObject([{ attached: true, mention: { path: name } }]);
    expect(attachments(message)[0]).toContain(`content ${index}`);
  });
});

test('a signal ends it with its reason', async () => {
  const workspace = workspaceOf({ 'a.ts': '' });
  const reason = new Error('enough');
  await expect(expandMentions('@a.ts', { workspace, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await expect(expandMentions('@a.ts', { root: 'relative' })).rejects.toThrow('absolute');
});

test('an invalid budget is rejected', async () => {
  for (const maxBytes of [-1, Number.NaN]) {
    const expanded = expandMentions('@a.ts', { workspace: workspaceOf({ 'a.ts': '' }), maxBytes });
    await expect(expanded).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  }
});
