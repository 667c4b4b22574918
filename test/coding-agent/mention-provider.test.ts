import { createCodingTools, createMentionProvider, createWorkspace } from '@cairn/coding-agent';
import type { MentionAnswer, MentionProvider, Workspace } from '@cairn/coding-agent';
import { invalidateFsScanCache } from '@cairn/natives';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesName, createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

/** A workspace whose locks are not those of the tester. */
function workspaceOf(tree: Tree, clock?: () => number): Workspace {
  return createWorkspace({ root: createTree(tree), stateDirectory: join(temporaryDirectory(), 'state'), clock });
}

/** The suggestions as text; ignored ones in brackets. */
function shown(answer: MentionAnswer | undefined): string[] {
  return (answer?.suggestions ?? []).map(({ path, ignored }) => (ignored ? `(${path})` : path));
}

async function suggested(provider: MentionProvider, query: string, limit?: number): Promise<string[]> {
  return shown(await provider.suggest(query, { limit }));
}

describe('what is suggested', () => {
  const tree: Tree = {
    '.git/config': '',
    '.gitignore': 'dist/\n*.log\n',
    '.env': '',
    'src/main.ts': '',
    'src/main.test.ts': '',
    'dist/main.js': '',
    'main.log': '',
    '.hidden/main.md': '',
    'node_modules/x/main.js': '',
  };

  test('visible files come first, hidden and ignored ones after them in the same answer', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf(tree) });
    expect(await suggested(provider, 'main')).toEqual([
      'src/main.ts',
      'src/main.test.ts',
      '(main.log)',
      '(.hidden/main.md)',
      '(dist/main.js)',
    ]);
  });

  test('guesses are named', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf(tree) });
    for (const [reason, query, guess, guesses] of [
      ['as typed', 'main.ts', undefined, ['src/main.ts as typed', 'src/main.test.ts initials', 'dist/main.js typo']],
      ['a typo, the visible file first', 'mian.test', 'typo', ['src/main.test.ts typo']],
      ['beginnings of words', 'srcmain', 'initials', ['src/main.ts initials', 'src/main.test.ts initials']],
      [
        'only an ignored file has it as typed',
        'main.js',
        undefined,
        ['src/main.ts typo', 'src/main.test.ts typo', 'dist/main.js as typed'],
      ],
      ['nothing', 'zzzz', undefined, []],
    ] as const) {
      const answer = await provider.suggest(query);
      expect(answer?.guess, reason).toBe(guess);
      expect(
        answer?.suggestions.map((one) => `${one.path} ${one.guess ?? 'as typed'}`),
        reason,
      ).toEqual(guesses);
    }
  });

  test('.git and node_modules are never suggested', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf(tree) });
    for (const query of ['config', '.git', '.git/config', 'node_modules', '']) {
      const paths = await suggested(provider, query, 100);
      expect(paths.filter((path) => /(?:^|[(/])(?:\.git|node_modules)\//u.test(path))).toEqual([]);
    }
  });

  test('without a query everything is listed, directories first', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'b/c.ts': '', 'a.ts': '' }) });
    expect(await suggested(provider, '')).toEqual(['b/', 'a.ts', 'b/c.ts']);
  });

  test('an answer has positions, the text of the mention, and how many there are', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'my dir/a.ts': '', 'my dir/b.ts': '' }) });
    const answer = await provider.suggest('a.ts', { limit: 1 });
    expect(answer).toEqual({
      suggestions: [
        {
          path: 'my dir/a.ts',
          isDirectory: false,
          ignored: false,
          positions: [7, 8, 9, 10],
          mention: '@"my dir/a.ts"',
        },
      ],
      totalMatches: 1,
      complete: true,
    });
  });

  test('./ before a query is taken as nothing', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf(tree) });
    expect(await suggested(provider, './src/main', 1)).toEqual(['src/main.ts']);
  });

  test('names that are not valid Unicode are left out', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ [bytesName(0x61, 0xff)]: '', ab: '' }) });
    expect(await suggested(provider, 'a')).toEqual(['ab']);
  });

  test('a query that is too long has an empty answer that says why', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf(tree) });
    expect(await provider.suggest('x'.repeat(2000))).toEqual({
      suggestions: [],
      totalMatches: 0,
      complete: false,
      stopReason: 'query',
    });
  });

  test('a limit that is not a whole number rejects', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'a.ts': '' }) });
    for (const limit of [-1, 1.5, Number.NaN]) {
      await expect(provider.suggest('a', { limit })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    }
    expect(await suggested(provider, 'a', 0)).toEqual([]);
  });

  test('a root that is not a directory rejects', async () => {
    const root = join(createTree({ 'a.ts': '' }), 'a.ts');
    await expect(createMentionProvider({ root }).suggest('a')).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
    expect(() => createMentionProvider({ root: 'relative' })).toThrow('absolute');
  });
});

describe('ignored files in a full answer', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`env/e${index}/n/v.ts`, '']));

  test('an ignored file that matches better comes after the visible ones', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ ...many, '.env': '' }) });
    const paths = await suggested(provider, '.env', 8);
    expect(paths).toHaveLength(8);
    expect(paths.at(-1)).toBe('(.env)');
  });

  test('ignored files that do not match better replace no visible file', async () => {
    const few = Object.fromEntries(Object.entries(many).slice(0, 30));
    const workspace = workspaceOf({ ...few, 'o/e/n/v/x-x-v-x.ts': '', '.ignore': 'o/\n' });
    const provider = createMentionProvider({ workspace });
    for (const limit of [1, 4, 20]) {
      const paths = await suggested(provider, 'v.ts', limit);
      expect(paths).toHaveLength(limit);
      expect(paths.filter((path) => path.startsWith('('))).toEqual([]);
    }
  });

  test('one suggestion is a visible one', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ ...many, '.env': '' }) });
    expect(await suggested(provider, '.env', 1)).toEqual([expect.stringMatching(/^env\//u)]);
  });

  test('they take a quarter at most when visible ones fill the answer', async () => {
    const ignored = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`.env${index}`, '']));
    const provider = createMentionProvider({ workspace: workspaceOf({ ...many, ...ignored }) });
    const paths = await suggested(provider, '.env', 8);
    expect(paths.filter((path) => path.startsWith('('))).toHaveLength(2);
    expect(paths.slice(0, 6).every((path) => path.startsWith('env/'))).toBe(true);
  });

  test('a visible file is never marked ignored, nor an ignored one visible', async () => {
    // Random names of few letters, so that queries match exactly, with typos, and scattered over paths.
    const letter = fc.constantFrom(...'abcd');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join('/')}.ts`);
    const paths = fc.sample(path, { seed: 1, numRuns: 500 });
    const queries = fc.sample(fc.string({ unit: fc.constantFrom(...'abcd/ '), maxLength: 8 }), {
      seed: 2,
      numRuns: 200,
    });
    const tree = Object.fromEntries(paths.flatMap((one) => [[one, ''] as const, [`out/${one}`, ''] as const]));
    const provider = createMentionProvider({ workspace: workspaceOf({ ...tree, '.ignore': 'out/\n' }) });
    let ignored = 0;
    for (const query of queries) {
      for (const limit of [4, 20]) {
        const answers = await suggested(provider, query, limit);
        for (const one of answers) expect(one.startsWith('(')).toBe(one.startsWith('(out/'));
        ignored += answers.filter((one) => one.startsWith('(')).length;
      }
    }
    expect(ignored).toBeGreaterThan(100);
  });
});

describe('recent use breaks ties', () => {
  const tree = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${1000 + index}/index.ts`, '']));

  test('a written file is first among its equals, however many there are', async () => {
    const workspace = workspaceOf(tree);
    const provider = createMentionProvider({ workspace });
    const tools = createCodingTools({ workspace });
    expect((await suggested(provider, 'index', 3))[0]).toBe('p1000/index.ts');
    await tools.edit.execute({ path: 'p1234/index.ts', edits: [{ old_text: '', new_text: '' }] });
    await tools.read.execute({ path: 'p1234/index.ts' });
    const written = await tools.write.execute({ path: 'p1234/index.ts', content: 'x\n' });
    expect(written.isError).toBe(false);
    expect((await suggested(provider, 'index', 3))[0]).toBe('p1234/index.ts');
    expect((await suggested(provider, '', 3))[0]).toBe('p1234/index.ts');
  });

  test('often and lately used ones come before those used once or long ago', async () => {
    let nowMs = 0;
    const provider = createMentionProvider({ workspace: workspaceOf(tree, () => nowMs) });
    await provider.noteUse('p1001/index.ts');
    await provider.noteUse('p1001/index.ts');
    nowMs += 1000;
    await provider.noteUse('p1002/index.ts');
    expect(await suggested(provider, 'index', 3)).toEqual(['p1001/index.ts', 'p1002/index.ts', 'p1000/index.ts']);
    nowMs += 3 * 60 * 60 * 1000;
    await provider.noteUse('p1002/index.ts');
    expect(await suggested(provider, 'index', 3)).toEqual(['p1002/index.ts', 'p1001/index.ts', 'p1000/index.ts']);
  });

  test('a better match stays before a used one', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'main.ts': '', 'deep/a/main-other.ts': '' }) });
    await provider.noteUse('deep/a/main-other.ts');
    expect(await suggested(provider, 'main.ts')).toEqual(['main.ts', 'deep/a/main-other.ts']);
  });

  test('without a query, used ones come first, directories too, and deleted ones not', async () => {
    const workspace = workspaceOf({ 'a.ts': '', 'b/c/d.ts': '', 'e.ts': '', '.f/g.ts': '' });
    const provider = createMentionProvider({ workspace });
    for (const path of ['b/c/d.ts', 'b/c', '.f/g.ts', 'gone.ts', '..', '.']) await provider.noteUse(path);
    expect(await suggested(provider, '')).toEqual(['b/c/d.ts', 'b/c/', 'b/', 'a.ts', 'e.ts', '(.f/g.ts)', '(.f/)']);
  });
});

describe('changes of tools are in the next answer', () => {
  test('written, renamed and deleted files', async () => {
    const workspace = workspaceOf({ 'a.ts': '' });
    const provider = createMentionProvider({ workspace });
    const tools = createCodingTools({ workspace });
    expect(await suggested(provider, 'zebra')).toEqual([]);
    await tools.write.execute({ path: 'new/zebra.ts', content: '' });
    expect(await suggested(provider, 'zebra')).toEqual(['new/zebra.ts']);
    await tools.rename.execute({ from: 'new/zebra.ts', to: 'zebra2.ts' });
    expect(await suggested(provider, 'zebra')).toEqual(['zebra2.ts']);
    await tools.delete.execute({ path: 'zebra2.ts' });
    expect(await suggested(provider, 'zebra')).toEqual([]);
    expect(await suggested(provider, '')).toEqual(['new/', 'a.ts']);
  });
});

describe('an older keystroke', () => {
  test('is not answered once the next one came', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'main.ts': '', 'map.ts': '' }) });
    const answers = await Promise.all(['m', 'ma', 'mai'].map((query) => provider.suggest(query)));
    expect(answers.map(shown)).toEqual([[], [], ['main.ts']]);
    expect(answers.slice(0, 2)).toEqual([undefined, undefined]);
    expect(await suggested(provider, 'map')).toEqual(['map.ts']);
  });

  test('that fails says nothing once the next one came', async () => {
    const root = createTree({ 'a.ts': '' });
    const provider = createMentionProvider({ root: join(root, 'missing') });
    const first = provider.suggest('a');
    writeFileSync(join(root, 'b.ts'), '');
    await expect(provider.suggest('b')).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
    expect(await first).toBeUndefined();
  });

  test('a signal ends a call with its reason, before and during', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'main.ts': '' }) });
    const reason = new Error('enough');
    await expect(provider.suggest('m', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const call = provider.suggest('m', { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await suggested(provider, 'm')).toEqual(['main.ts']);
  });
});

describe('names of every kind', () => {
  const names = [
    'a b.ts',
    'a[1].ts',
    'a{x,y}.ts',
    '-a.ts',
    'a:b.ts',
    'a*?.ts',
    'a!"\'.ts',
    'a\\b.ts',
    'éàü-composed.ts'.normalize('NFC'),
    'éàü-decomposed.ts'.normalize('NFD'),
    '日本語.ts',
  ];
  const tree = Object.fromEntries(names.map((name) => [name, '']));

  test.each(names)('%j is found composed and decomposed', async (name) => {
    const provider = createMentionProvider({ workspace: workspaceOf(tree) });
    for (const query of [name, name.normalize('NFC'), name.normalize('NFD')]) {
      const paths = await suggested(provider, query);
      // A backslash separates path segments in a query, so 'a b.ts' matches as well.
      expect(name.includes('\\') ? paths : paths.slice(0, 1)).toContain(name);
    }
  });

  test.each(names)('%j is found as used, and as ignored', async (name) => {
    const workspace = workspaceOf({ ...tree, '.ignore': '*\n' });
    const provider = createMentionProvider({ workspace });
    await provider.noteUse(name);
    expect((await suggested(provider, ''))[0]).toBe(`(${name})`);
    rmSync(join(workspace.root, '.ignore'));
    invalidateFsScanCache(workspace.root);
    expect((await suggested(provider, ''))[0]).toBe(name);
  });

  test('paths behind a link out of the root or into .git are not found', async () => {
    const outside = createTree({ 'main.ts': '', 'deep/main.ts': '' });
    const workspace = workspaceOf({
      'a/main.ts': '',
      'b/out': symlink(outside),
      hooks: symlink('.git'),
      '.git': { 'main.ts': '' },
    });
    expect(await suggested(createMentionProvider({ workspace }), 'main')).toEqual(['a/main.ts']);
    expect(await suggested(createMentionProvider({ workspace }), 'main', 1)).toEqual(['a/main.ts']);
    const free = createWorkspace({ root: workspace.root, policy: { confine: false } });
    expect(await suggested(createMentionProvider({ workspace: free }), 'main')).toEqual([
      'a/main.ts',
      'b/out/main.ts',
      'b/out/deep/main.ts',
    ]);
  });

  test('files reached through links are found', async () => {
    const provider = createMentionProvider({ workspace: workspaceOf({ 'real/main.ts': '', link: symlink('real') }) });
    expect((await suggested(provider, 'main')).length).toBeGreaterThan(0);
  });
});
