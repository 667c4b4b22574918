import {
  createCodingTools,
  createCodingToolSet,
  createTextEditorTool,
  createWorkspace,
  expandMentions,
} from '@cairn/coding-agent';
import { sessionWorkspace } from '@cairn/coding-agent/internal';
import type { CodingTools, Workspace } from '@cairn/coding-agent';
import { createToolSession, fileNotes, textOf } from '@cairn/tool';
import type { FileNotes, ToolDefinition, ToolResult } from '@cairn/tool';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import { call } from './support.ts';

interface Bench {
  readonly root: string;
  readonly workspace: Workspace;
  readonly tools: CodingTools;
  /** The files of each question, relative to the root. */
  readonly asked: string[][];
}

const tree = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'dir/c.txt': 'three\n', link: symlink('a.txt') };

function createBench(): Bench {
  const root = realpathSync(createTree(tree));
  const notes: FileNotes = fileNotes(createToolSession());
  const asked: string[][] = [];
  notes.add(async (files) => {
    asked.push(files.map((file) => file.replace(`${root}/`, '')));
    return 'NOTE';
  });
  const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory(), fileNotes: notes });
  return { root, workspace, tools: createCodingTools({ workspace }), asked };
}

function callNamed(tools: CodingTools, name: keyof CodingTools, input: unknown): Promise<ToolResult> {
  const tool: ToolDefinition = tools[name];
  return call(tool, input);
}

function lastLine(result: ToolResult): string | undefined {
  return textOf(result).split('\n').at(-1);
}

const patch = `*** Begin Patch
*** Update File: a.txt
@@
-one
+1
*** Delete File: b.txt
*** Add File: n.txt
+new
*** End Patch`;

test.each([
  ['read', { path: 'a.txt' }, ['a.txt']],
  ['read', { path: 'link' }, ['a.txt']],
  ['edit', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1' }] }, ['a.txt']],
  ['write', { path: 'new.txt', content: 'x\n' }, ['new.txt']],
  ['rename', { from: 'a.txt', to: 'z.txt' }, ['z.txt']],
  ['patch', { patch }, ['a.txt', 'n.txt']],
] as const)('the answer of %s %j ends with the notes on what it read or changed', async (name, input, files) => {
  const { tools, asked } = createBench();
  const result = await callNamed(tools, name, input);
  expect(result.isError).toBe(false);
  expect(lastLine(result)).toBe('NOTE');
  expect(asked).toEqual([files]);
});

test.each([
  ['ls', { path: '.' }],
  ['grep', { pattern: 'one' }],
  ['glob', { pattern: '*.txt' }],
  ['read', { path: 'dir' }],
  ['read', { path: 'missing.txt' }],
  ['delete', { path: 'a.txt' }],
  ['edit', { path: 'a.txt', edits: [{ old_text: 'other', new_text: '1' }] }],
] as const)('%s %j asks for no note', async (name, input) => {
  const { tools, asked } = createBench();
  expect(textOf(await callNamed(tools, name, input))).not.toContain('NOTE');
  expect(asked).toEqual([]);
});

test('a dry run asks for no note', async () => {
  const { tools, asked } = createBench();
  await tools.write.execute({ path: 'a.txt', content: 'x\n' }, { dryRun: true });
  expect(asked).toEqual([]);
});

test('a mention of a file is followed by its notes, and one that is not attached has none', async () => {
  const { workspace, asked } = createBench();
  const { content } = await expandMentions('see @a.txt and @missing.txt', { workspace });
  expect(content.at(-1)).toEqual({ type: 'text', text: 'NOTE' });
  expect(asked).toEqual([['a.txt']]);
  await expandMentions('see @b.txt', { workspace, maxBytes: 1 });
  expect(asked).toHaveLength(1);
});

test("a host's own tool has them too", async () => {
  const { workspace } = createBench();
  const result = await createTextEditorTool({ workspace }).execute({ command: 'view', path: 'a.txt' });
  expect(lastLine(result)).toBe('NOTE');
});

test('the tools of a session ask the sources of the session', async () => {
  const root = createTree(tree);
  const session = createToolSession();
  const { signal } = new AbortController();
  const context = { roots: [root] as const, naming: 'default', readOnly: false, session, signal };
  const { tools } = await createCodingToolSet({ stateDirectory: temporaryDirectory() }).open(context);
  // Sets open in any order.
  fileNotes(session).add(async ([file]) => `about ${file}`);
  const real = realpathSync(join(root, 'a.txt'));
  const result = await tools['read']?.execute({ path: 'a.txt' });
  expect(result && lastLine(result)).toBe(`about ${real}`);
  expect(sessionWorkspace(context).fileNotes).toBe(fileNotes(session));
});
