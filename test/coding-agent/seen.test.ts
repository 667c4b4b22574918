import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createApplyPatchTool,
  createCodingTools,
  createMemoryTool,
  createTextEditorTool,
  createWorkspace,
  expandMentions,
} from '@cairn/coding-agent';
import { readWholeFile } from '@cairn/coding-agent/internal';
import type { Workspace } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { createBench, details, failure } from './support.ts';

/** For a long run: `CAIRN_SEEN_RUNS=10000 CAIRN_SEEN_SEED=1`. */
const RUNS = Number(process.env['CAIRN_SEEN_RUNS'] ?? 60);
const SEED = process.env['CAIRN_SEEN_SEED'];

const linesFrom = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => `line ${first + index}\n`).join('');

function workspaceOf(tree: Tree): Workspace {
  return createWorkspace({ root: createTree(tree), stateDirectory: temporaryDirectory() });
}

/** Overwrites a file until that is allowed; returns how often it was rejected. */
async function refusalsUntilWritten(workspace: Workspace, path: string, most: number): Promise<number> {
  const tools = createCodingTools({ workspace });
  for (let refused = 0; refused <= most; refused++) {
    const result = await tools.write.execute({ path, content: `new ${refused}\n` });
    if (!result.isError) return refused;
    expect(result.details.reason).toMatch(/^(?:NOT_READ|STALE)$/u);
  }
  return Infinity;
}

test('a page of a file does not allow to overwrite it, and the rejection names and shows the other lines', async () => {
  const { tools, text } = createBench({ a: linesFrom(1, 30) });
  await tools.read.execute({ path: 'a', offset: 6, limit: 5 });
  const refused = failure(await tools.write.execute({ path: 'a', content: 'x' }));
  expect(refused).toMatch(
    /^NOT_READ: a was read only in part, without lines 1-5 and 11-30, so it was not overwritten\. Nothing was changed\./u,
  );
  expect(refused).toContain(
    `a as it is now (lines 1-5 of 30):\n${linesFrom(1, 5)}a as it is now (lines 11-30 of 30):\n`,
  );
  expect(refused).toContain(linesFrom(11, 30).trimEnd());
  expect(text('a')).toBe(linesFrom(1, 30));
  expect(await tools.write.execute({ path: 'a', content: 'x' })).toMatchObject({ isError: false });
});

test('pages add up', async () => {
  const { tools } = createBench({ a: linesFrom(1, 4500) });
  for (const offset of [4001, 1, 2001]) await tools.read.execute({ path: 'a', offset });
  expect(await tools.write.execute({ path: 'a', content: 'x' })).toMatchObject({ isError: false });
});

test('a found line does not count as a sight of its file, but edits need no more', async () => {
  const { tools, text } = createBench({ a: linesFrom(1, 3) });
  await tools.grep.execute({ pattern: 'line 2' });
  expect(failure(await tools.write.execute({ path: 'a', content: 'x' }))).toMatch(
    /^NOT_READ: a exists and was never read/u,
  );
  const { tools: others, text: textOfOthers } = createBench({ a: linesFrom(1, 3) });
  await others.grep.execute({ pattern: 'line 2' });
  await others.edit.execute({ path: 'a', edits: [{ old_text: 'line 2', new_text: 'two' }] });
  expect(textOfOthers('a')).toBe('line 1\ntwo\nline 3\n');
  expect(text('a')).toBe(linesFrom(1, 3));
});

test('a repeated call comes to the end of a long file', async () => {
  const { tools } = createBench({ a: linesFrom(1, 200) });
  const answers: string[] = [];
  for (let done = false; !done;) {
    const result = await tools.write.execute({ path: 'a', content: 'x' });
    done = !result.isError;
    answers.push(textOf(result));
  }
  expect(answers.map((answer) => /as it is now \((.*?)\)/u.exec(answer)?.[1])).toEqual([
    'lines 1-60 of 200',
    'lines 61-120 of 200',
    'lines 121-180 of 200',
    'lines 181-200 of 200',
    undefined,
  ]);
  expect(answers[0]).toContain('Read the rest, lines 61-200, then call again.');
});

test('a line that is cut counts as shown, and the rejection says that it is cut', async () => {
  const long = `${'x'.repeat(5000)}\n`;
  const { tools } = createBench({ a: long + long, b: long + long });
  await tools.read.execute({ path: 'a' });
  expect(await tools.write.execute({ path: 'a', content: 'y' })).toMatchObject({ isError: false });
  expect(failure(await tools.write.execute({ path: 'b', content: 'y' }))).toContain('[2 lines cut to 500 characters]');
  expect(await tools.write.execute({ path: 'b', content: 'y' })).toMatchObject({ isError: false });
});

const whole: readonly (readonly [what: string, tree: Tree, see: (workspace: Workspace) => Promise<unknown>])[] = [
  ['an empty file that was not read', { a: '' }, async () => undefined],
  ['an empty file', { a: '' }, (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a' })],
  [
    'a byte order mark alone',
    { a: '\ufeff' },
    (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a' }),
  ],
  ['no final line end', { a: 'x\r\ny' }, (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a' })],
  [
    'UTF-16',
    { a: Buffer.from('\ufeffone\ntwo\n', 'utf16le') },
    (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a' }),
  ],
  [
    'a named encoding, in pages',
    { a: Buffer.from('caf\u00e9\nth\u00e9\n', 'latin1') },
    async (workspace) => {
      const { read } = createCodingTools({ workspace });
      await read.execute({ path: 'a', encoding: 'latin1', limit: 1 });
      await read.execute({ path: 'a', encoding: 'latin1', offset: 2 });
    },
  ],
  [
    'an image',
    { a: Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1') },
    (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a' }),
  ],
  ['a mentioned file', { a: linesFrom(1, 9) }, (workspace) => expandMentions('see @a', { workspace })],
  ['mentioned parts', { a: linesFrom(1, 9) }, (workspace) => expandMentions('see @a:1-4 and @a:5-9', { workspace })],
  ['a resource', { a: linesFrom(1, 4000) }, (workspace) => readWholeFile(workspace, 'a', { maxBytes: 1e6 })],
  [
    'the view of an editor',
    { a: linesFrom(1, 9) },
    (workspace) => createTextEditorTool({ workspace }).execute({ command: 'view', path: 'a' }),
  ],
  [
    'a view of memories',
    { a: linesFrom(1, 9) },
    (workspace) => createMemoryTool({ workspace }).execute({ command: 'view', path: '/memories/a' }),
  ],
  [
    'an own file',
    {},
    (workspace) => createCodingTools({ workspace }).write.execute({ path: 'a', content: linesFrom(1, 3000) }),
  ],
  [
    'an own file, from a patch',
    {},
    (workspace) =>
      createApplyPatchTool({ workspace }).execute({ type: 'create_file', path: 'a', diff: '+one\n+two\n' }),
  ],
];

test.each(whole)('is seen in full: %s', async (_what, tree, see) => {
  const workspace = workspaceOf(tree);
  await see(workspace);
  expect(await refusalsUntilWritten(workspace, 'a', 0)).toBe(0);
});

const partial: readonly (readonly [what: string, tree: Tree, see: (workspace: Workspace) => Promise<unknown>])[] = [
  ['a part that is mentioned', { a: linesFrom(1, 9) }, (workspace) => expandMentions('see @a:2-4', { workspace })],
  [
    'a mention that the budget cut',
    { a: linesFrom(1, 100) },
    (workspace) => expandMentions('see @a', { workspace, maxBytes: 700 }),
  ],
  [
    'a mention that was left out',
    { a: linesFrom(1, 100) },
    (workspace) => expandMentions('see @a', { workspace, maxBytes: 10 }),
  ],
  [
    'a range in the view of an editor',
    { a: linesFrom(1, 9) },
    (workspace) => createTextEditorTool({ workspace }).execute({ command: 'view', path: 'a', view_range: [2, -1] }),
  ],
  [
    'an edit of a file that was not read',
    { a: linesFrom(1, 9) },
    (workspace) =>
      createCodingTools({ workspace }).edit.execute({
        path: 'a',
        edits: [{ old_text: 'line 5\n', new_text: 'five\n' }],
      }),
  ],
  [
    'a first page',
    { a: linesFrom(1, 9) },
    (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a', limit: 8 }),
  ],
  [
    'binary data',
    { a: Buffer.from('a\0b') },
    (workspace) => createCodingTools({ workspace }).read.execute({ path: 'a' }),
  ],
];

test.each(partial)('is not seen in full: %s', async (_what, tree, see) => {
  const workspace = workspaceOf(tree);
  await see(workspace);
  const refused = await refusalsUntilWritten(workspace, 'a', 9);
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(9);
});

test('what was seen moves with a renamed file, and its old name is not seen', async () => {
  const { tools, root } = createBench({ a: linesFrom(1, 9) });
  await tools.read.execute({ path: 'a' });
  await tools.rename.execute({ from: 'a', to: 'b' });
  writeFileSync(join(root, 'a'), 'other\n');
  expect(failure(await tools.write.execute({ path: 'a', content: 'x' }))).toMatch(
    /^NOT_READ: a exists and was never read/u,
  );
  expect(await tools.write.execute({ path: 'b', content: 'x' })).toMatchObject({ isError: false });
});

test('a rename replaces only a file that was shown in full', async () => {
  const { tools } = createBench({ a: '1\n', b: linesFrom(1, 9) });
  await tools.read.execute({ path: 'b', limit: 8 });
  const call = { from: 'a', to: 'b', overwrite: true };
  expect(failure(await tools.rename.execute(call))).toMatch(/^NOT_READ: b was read only in part, without line 9, /u);
  expect(await tools.rename.execute(call)).toMatchObject({ isError: false });
});

test('after a change by another program only the new content counts', async () => {
  const { tools, root } = createBench({ a: linesFrom(1, 100) });
  await tools.read.execute({ path: 'a' });
  writeFileSync(join(root, 'a'), linesFrom(101, 200));
  const refused = failure(await tools.write.execute({ path: 'a', content: 'x' }));
  expect(refused).toMatch(/^STALE: a changed since it was read/u);
  expect(refused).toContain('Read the rest, lines 61-100, then call again.');
  expect(failure(await tools.write.execute({ path: 'a', content: 'x' }))).toMatch(
    /^NOT_READ: a was read only in part, without lines 61-100/u,
  );
  expect(await tools.write.execute({ path: 'a', content: 'x' })).toMatchObject({ isError: false });
});

test('all tools of a workspace share what was seen', async () => {
  const workspace = workspaceOf({ a: linesFrom(1, 9) });
  await createCodingTools({ workspace }).read.execute({ path: 'a', limit: 5 });
  const { Read } = createCodingTools({ workspace, naming: 'claude' });
  await Read?.execute({ file_path: 'a', offset: 6 });
  expect(await refusalsUntilWritten(workspace, 'a', 0)).toBe(0);
});

test('when too many files were read, a rejection does not claim that a file was never read', async () => {
  const workspace = workspaceOf({ a: linesFrom(1, 9) });
  const { read, write } = createCodingTools({ workspace });
  await read.execute({ path: 'a' });
  const record = { hash: '', length: 0, size: 0, seen: [] };
  for (let file = 0; file < 50_000; file++) workspace.ledger.record(`/elsewhere/${file}`, record);
  expect(failure(await write.execute({ path: 'a', content: 'x' }))).toMatch(
    /^NOT_READ: a exists and was never read, or too much was read since, so it was not overwritten/u,
  );
});

test('a resource keeps the encoding that was named for its file', async () => {
  const workspace = workspaceOf({ a: Buffer.from('caf\u00e9\n', 'latin1') });
  const { read, edit } = createCodingTools({ workspace });
  await read.execute({ path: 'a', encoding: 'latin1' });
  await readWholeFile(workspace, 'a', { maxBytes: 100 });
  const result = await edit.execute({ path: 'a', edits: [{ old_text: 'caf\u00e9', new_text: 'th\u00e9' }] });
  expect(details(result)).toMatchObject({ size: 4 });
});

test('without the guard nothing has to be seen', async () => {
  const { tools } = createBench({ a: linesFrom(1, 9) }, { staleGuard: 'off' });
  expect(details(await tools.write.execute({ path: 'a', content: 'x' })).created).toBe(false);
});

describe('a file above 16 MiB', () => {
  const line = `${'x'.repeat(1023)}\n`;
  const huge = line.repeat(17 * 1024);

  test('pages add up in any order, as far as the bytes between them are the same', async () => {
    const workspace = workspaceOf({ a: huge });
    const tools = createCodingTools({ workspace });
    for (const offset of [1, 17_000, 40]) await tools.read.execute({ path: 'a', offset, limit: 49 });
    expect(failure(await tools.write.execute({ path: 'a', content: 'x' }))).toMatch(
      /without lines 89-16999 and 17049-17408, /u,
    );
  });

  test('pages of an older content do not count', async () => {
    const workspace = workspaceOf({ a: huge });
    const tools = createCodingTools({ workspace });
    await tools.read.execute({ path: 'a', limit: 40 });
    writeFileSync(join(workspace.root, 'a'), huge.replace('x', 'y'));
    await tools.read.execute({ path: 'a', offset: 41, limit: 9 });
    expect(failure(await tools.write.execute({ path: 'a', content: 'x' }))).toMatch(
      /without lines 1-40 and 50-17408, /u,
    );
  });
});

/** One call or change; the numbers choose lines. */
interface Step {
  readonly kind: 'read' | 'grep' | 'insert' | 'edit' | 'editPart' | 'write' | 'changeOutside' | 'rename';
  readonly at: number;
  readonly limit: number;
}

const kinds: readonly Step['kind'][] = [
  'read',
  'grep',
  'insert',
  'edit',
  'editPart',
  'write',
  'changeOutside',
  'rename',
];
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds, 'read', 'write'),
    at: fc.nat(29),
    limit: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 25 },
);

/** A file, its tools, and a slow model of what the caller knows: the set of lines, each unique. */
function createModel(length: number): { readonly play: (step: Step) => Promise<void>; readonly check: () => void } {
  let serial = 0;
  const freshLine = (): string => `unique ${serial++} end`;
  let lines = Array.from({ length }, freshLine);
  const content = (): string => lines.map((line) => `${line}\n`).join('');
  const { tools, root, text } = createBench({ a0: content() });
  let [path, renames] = ['a0', 0];
  const known = new Set<string>();
  let isRecorded = false;
  /** Another program changed the file since it was last recorded. */
  let isStale = false;

  /** The content was recorded, and this was shown of it. */
  const record = (shown: string): void => {
    if (isStale) known.clear();
    const answered = new Set(shown.split('\n'));
    for (const line of lines) if (answered.has(line)) known.add(line);
    [isRecorded, isStale] = [true, false];
  };
  const edit = async (at: number, kind: 'insert' | 'edit' | 'editPart'): Promise<void> => {
    const index = at % Math.max(1, lines.length);
    const old = lines[index];
    if (old === undefined) return;
    const line = freshLine();
    const startOf = (whole: string): string => whole.replace('end', '');
    const edits = {
      insert: { old_text: `${old}\n`, new_text: `${old}\n${line}\n` },
      edit: { old_text: `${old}\n`, new_text: `${line}\n` },
      editPart: { old_text: startOf(old), new_text: startOf(line) },
    };
    const result = await tools.edit.execute({ path, edits: [edits[kind]] });
    expect(result.isError, textOf(result)).toBe(isStale);
    if (result.isError) {
      record(textOf(result));
      return;
    }
    isRecorded = true;
    if (kind === 'insert') {
      lines.splice(index + 1, 0, line);
      known.add(old);
      known.add(line);
      return;
    }
    lines[index] = line;
    // Of a line that was changed in part, the rest must have been shown.
    if (kind === 'edit' || known.has(old)) known.add(line);
  };
  const actions: Readonly<Record<Step['kind'], (step: Step) => Promise<void>>> = {
    read: async ({ at, limit }) => {
      const result = await tools.read.execute({ path, offset: at + 1, limit });
      if (!result.isError) record(textOf(result));
    },
    grep: async ({ at }) => {
      const line = lines[at % Math.max(1, lines.length)];
      if (line === undefined) return;
      await tools.grep.execute({ pattern: line, literal: true });
      record('');
    },
    insert: ({ at }) => edit(at, 'insert'),
    edit: ({ at }) => edit(at, 'edit'),
    editPart: ({ at }) => edit(at, 'editPart'),
    write: async () => {
      const isAllowed = !isStale && lines.every((line) => known.has(line));
      // One line more, so that an empty file changes too.
      const written = Array.from({ length: lines.length + 1 }, freshLine);
      const result = await tools.write.execute({ path, content: written.map((line) => `${line}\n`).join('') });
      expect(result.isError, textOf(result)).toBe(!isAllowed);
      if (result.isError) {
        record(textOf(result));
        return;
      }
      lines = written;
      record(written.join('\n'));
    },
    changeOutside: async () => {
      lines = [...lines.slice(1), freshLine()];
      writeFileSync(join(root, path), content());
      isStale ||= isRecorded;
    },
    rename: async () => {
      const to = `a${++renames}`;
      const result = await tools.rename.execute({ from: path, to });
      expect(result.isError, textOf(result)).toBe(isStale);
      if (result.isError) record(textOf(result));
      else path = to;
    },
  };
  return { play: (step) => actions[step.kind](step), check: () => expect(text(path)).toBe(content()) };
}

test(
  'a file can be overwritten exactly if each of its lines was shown or written: random calls agree with a set of lines',
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 100 }), async (played, length) => {
        const { play, check } = createModel(length);
        for (const step of played) {
          await play(step);
          check();
        }
      }),
      { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
    );
  },
  60 * 60_000,
);
