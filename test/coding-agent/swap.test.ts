import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  codingToolSet,
  createCodingTools,
  createTextEditorTool,
  createWorkspace,
  expandMentions,
} from '@cairn/coding-agent';
import type { CodingTools, TextEditorInput, Workspace } from '@cairn/coding-agent';
import { createToolSession } from '@cairn/tool';
import type { ResourceProvider, ToolDefinition } from '@cairn/tool';
import { expect, test } from 'vitest';
import { temporaryDirectory, writeTree } from '../support/tree.ts';

/** The calls of each kind; `CAIRN_SWAPS=2000` for a long run. */
const CALLS = Number(process.env['CAIRN_SWAPS'] ?? 120);
const MINUTES_MS = (5 + CALLS / 100) * 60_000;

const SECRET = 'the-secret-7f3a';
const SECRET_NAME = 'outside-only';

const child = fileURLToPath(new URL('swap-child.ts', import.meta.url));

/** A root with a directory, and next to it one with the same names and more. */
function build(): string {
  const base = temporaryDirectory();
  const image = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  writeTree(base, {
    root: {
      'a.txt': 'inside\n',
      dir: { 'in.txt': 'inside\n', 'picture.png': image, 'deep/in.txt': 'inside\n', 'deep/deeper/in.txt': 'inside\n' },
    },
    outside: {
      'in.txt': `${SECRET}\n`,
      'picture.png': Buffer.concat([image, Buffer.from(SECRET)]),
      'deep/in.txt': `${SECRET}\n`,
      'deep/deeper/in.txt': `${SECRET}\n`,
      [`${SECRET_NAME}.txt`]: `${SECRET}\n`,
      [`deep/${SECRET_NAME}.txt`]: `${SECRET}\n`,
      [`deep/deeper/${SECRET_NAME}.txt`]: `${SECRET}\n`,
    },
  });
  return base;
}

/** Runs calls while another process replaces `root/dir` by a link again and again. Returns the number of replacements. */
async function whileSwapping(base: string, run: () => Promise<void>): Promise<number> {
  const swapping = fork(child, [join(base, 'root/dir'), join(base, 'root/aside'), join(base, 'outside')]);
  const ended = once(swapping, 'exit');
  await once(swapping, 'message');
  try {
    await run();
  } finally {
    swapping.send('stop');
  }
  const [[swaps], [code]] = await Promise.all([once(swapping, 'message'), ended]);
  expect(code).toBe(0);
  return swaps as number;
}

/** Everything that an answer says, and the data of images as text. */
function wordsOf(answer: unknown): string {
  const text = JSON.stringify(answer) ?? '';
  const data = [...text.matchAll(/"(?:data|blob)":"([\w+/=]+)"/gu)].map(([, base64 = '']) =>
    Buffer.from(base64, 'base64').toString('latin1'),
  );
  return [text, ...data].join('\n');
}

const { signal } = new AbortController();

/** What an agent and its host call, on a tree in which `dir` is a link now and then. */
interface Callers {
  readonly root: string;
  readonly workspace: Workspace;
  readonly tools: CodingTools;
  readonly editor: ToolDefinition<TextEditorInput>;
  readonly resources: ResourceProvider;
}

async function callersOf(root: string): Promise<Callers> {
  const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory(), policy: { staleGuard: 'off' } });
  const context = { roots: [root], naming: 'default', readOnly: false, session: createToolSession(), signal } as const;
  const { resources } = await codingToolSet.open(context);
  if (!resources) throw new Error('the set has resources');
  const tools = createCodingTools({ workspace });
  return { root, workspace, tools, editor: createTextEditorTool({ workspace }), resources };
}

type Call = (callers: Callers) => Promise<unknown>;

const reading: Readonly<Record<string, Call>> = {
  'read a file': ({ tools }) => tools.read.execute({ path: 'dir/in.txt' }),
  'read a file in a deeper directory': ({ tools }) => tools.read.execute({ path: 'dir/deep/deeper/in.txt' }),
  'read an image': ({ tools }) => tools.read.execute({ path: 'dir/picture.png' }),
  'read a directory': ({ tools }) => tools.read.execute({ path: 'dir' }),
  'view a file': ({ editor }) => editor.execute({ command: 'view', path: 'dir/in.txt' }),
  'view a directory': ({ editor }) => editor.execute({ command: 'view', path: '.' }),
  ls: ({ tools }) => tools.ls.execute({ path: 'dir/deep' }),
  'ls with a depth': ({ tools }) => tools.ls.execute({ depth: 4 }),
  'grep the root': ({ tools }) => tools.grep.execute({ pattern: '.', context: 1 }),
  'grep the directory': ({ tools }) => tools.grep.execute({ pattern: '.', path: 'dir' }),
  'grep a file': ({ tools }) => tools.grep.execute({ pattern: '.', path: 'dir/deep/in.txt' }),
  'grep for the files': ({ tools }) => tools.grep.execute({ pattern: '\\bthe-s', mode: 'files', ignored: true }),
  'glob the root': ({ tools }) => tools.glob.execute({ pattern: '**/*.txt' }),
  'glob the directory': ({ tools }) => tools.glob.execute({ pattern: '*', path: 'dir/deep' }),
  'mention a file': ({ workspace }) => expandMentions('see @dir/in.txt and @dir/deep/', { workspace }),
  'ask for a missing file': ({ tools }) => tools.read.execute({ path: `dir/${SECRET_NAME.slice(0, -1)}` }),
  'read a resource': ({ root, resources }) => resources.read(pathToFileURL(join(root, 'dir/in.txt')).href, { signal }),
  'read the resource of a directory': ({ root, resources }) =>
    resources.read(pathToFileURL(join(root, 'dir')).href, { signal }),
  'complete the path of a resource': ({ resources }) =>
    resources.complete?.({ uriTemplate: 'file:///{+path}', argument: 'path', value: 'only' }, { signal }) ??
    Promise.reject(new Error('paths are completed')),
  'list the resources': ({ resources }) => resources.list(undefined, { signal }),
};

const changing: Readonly<Record<string, Call>> = {
  write: ({ tools }) => tools.write.execute({ path: 'dir/in.txt', content: `inside ${Math.random()}\n` }),
  'write a new file': ({ tools }) =>
    tools.write.execute({ path: `dir/deep/${Math.random()}.txt`, content: 'inside\n' }),
  edit: ({ tools }) =>
    tools.edit.execute({ path: 'dir/deep/in.txt', edits: [{ old_text: 'inside', new_text: 'inside inside' }] }),
  patch: ({ tools }) =>
    tools.patch.execute({
      patch: [
        '*** Begin Patch',
        '*** Update File: dir/deep/deeper/in.txt',
        '@@',
        '-inside',
        '+inside',
        '+inside',
        '*** End Patch',
      ].join('\n'),
    }),
  'delete a file': ({ tools }) => tools.delete.execute({ path: 'dir/picture.png' }),
  'delete a directory': ({ tools }) => tools.delete.execute({ path: 'dir/deep/deeper', recursive: true }),
  'rename away': ({ tools }) => tools.rename.execute({ from: 'dir/in.txt', to: 'stolen.txt', overwrite: true }),
  'rename onto': ({ tools }) => tools.rename.execute({ from: 'a.txt', to: 'dir/deep/in.txt', overwrite: true }),
};

/** The content of a tree by path, links as links. */
function contentsOf(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries
    .map(({ parentPath, name }) => `${join(parentPath, name)}: ${readFileSync(join(parentPath, name), 'latin1')}`)
    .toSorted();
}

async function settled(call: Promise<unknown>): Promise<{ readonly words: string; readonly isRefused: boolean }> {
  try {
    const answer = await call;
    const isRefused = typeof answer === 'object' && answer !== null && 'isError' in answer && answer.isError === true;
    return { words: wordsOf(answer), isRefused };
  } catch (error) {
    return { words: String(error), isRefused: true };
  }
}

test.skipIf(process.platform !== 'linux').each(Object.entries(reading))(
  'nothing outside the root is shown while a directory is replaced by a link: %s',
  async (name, call) => {
    const base = build();
    const callers = await callersOf(join(base, 'root'));
    const leaks: string[] = [];
    let answered = 0;
    // The other process may sleep for many calls while the directory is a link.
    const needsMore = (turn: number): boolean =>
      answered === 0 && turn < 100 * CALLS && name !== 'ask for a missing file';
    const swaps = await whileSwapping(base, async () => {
      for (let turn = 0; turn < CALLS || needsMore(turn); turn++) {
        const { words, isRefused } = await settled(call(callers));
        if (!isRefused) answered++;
        if (words.includes(SECRET) || words.includes(SECRET_NAME)) leaks.push(words);
      }
    });
    expect(leaks, `${leaks.length} of ${CALLS} calls, ${swaps} swaps`).toEqual([]);
    expect(swaps).toBeGreaterThan(0);
    expect(answered > 0 || name === 'ask for a missing file', 'some calls are answered').toBe(true);
  },
  MINUTES_MS,
);

test.skipIf(process.platform !== 'linux').each(Object.entries(changing))(
  'nothing outside the root changes while a directory is replaced by a link: %s',
  async (_name, call) => {
    for (let round = 0; round < CALLS / 20; round++) {
      const base = build();
      const outside = contentsOf(join(base, 'outside'));
      const callers = await callersOf(join(base, 'root'));
      await whileSwapping(base, async () => {
        for (let turn = 0; turn < 20; turn++) await settled(call(callers));
      });
      expect(contentsOf(join(base, 'outside'))).toEqual(outside);
      expect(contentsOf(join(base, 'root')).join('\n')).not.toContain(SECRET);
    }
  },
  MINUTES_MS,
);
