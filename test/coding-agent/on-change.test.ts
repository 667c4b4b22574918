import {
  createApplyPatchTool,
  createCodingTools,
  createMemoryTool,
  createMentionProvider,
  createTextEditorTool,
  createWorkspace,
  nodeFileOperations,
  onAnyChange,
} from '@cairn/coding-agent';
import type { CodingTools, FileOperations, Workspace, WorkspaceChange, WorkspaceOptions } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { glob } from '@cairn/natives';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test, vi } from 'vitest';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { details, failure } from './support.ts';

/** A change with paths relative to the root; empty lists are left out. */
type Heard = Partial<{ [Key in keyof WorkspaceChange]: WorkspaceChange[Key] }>;

interface Bench {
  readonly root: string;
  readonly workspace: Workspace;
  readonly tools: CodingTools;
  readonly heard: Heard[];
}

function createBench(tree: Tree, options: Partial<WorkspaceOptions> = {}): Bench {
  const root = createTree(tree);
  const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory(), ...options });
  const heard: Heard[] = [];
  workspace.onChange((change) => heard.push(shorten(root, change)));
  return { root, workspace, tools: createCodingTools({ workspace }), heard };
}

function shorten(root: string, change: WorkspaceChange): Heard {
  const short = JSON.parse(JSON.stringify(change).replaceAll(`${root}/`, '')) as Heard;
  return Object.fromEntries(Object.entries(short).filter(([, paths]) => paths.length > 0));
}

const patchOfSix = [
  '*** Begin Patch',
  '*** Update File: a',
  '@@',
  '-old',
  '+new',
  '*** Delete File: b',
  '*** Add File: d/e/n',
  '+x',
  '*** Update File: c',
  '*** Move to: f/c2',
  '@@',
  '-x',
  '+y',
  '*** Update File: m',
  '*** Move to: m2',
  '*** End Patch',
].join('\n');

interface Case {
  readonly tree: Tree;
  readonly call: (bench: Bench) => Promise<ToolResult>;
  readonly heard: Heard;
}

/** One case at least for each tool that changes files. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  write: [
    {
      tree: { a: '' },
      call: ({ tools }) => tools.write.execute({ path: 'd/e/f', content: 'x' }),
      heard: { written: ['d/e/f'], created: ['d/e/f'], createdDirectories: ['d', 'd/e'] },
    },
  ],
  edit: [
    {
      tree: { a: 'old', link: symlink('a') },
      call: ({ tools }) => tools.edit.execute({ path: 'link', edits: [{ old_text: 'old', new_text: 'new' }] }),
      heard: { written: ['a'] },
    },
  ],
  delete: [
    {
      tree: { a: '' },
      call: ({ tools }) => tools.delete.execute({ path: 'a' }),
      heard: { deleted: ['a'] },
    },
    {
      tree: { d: { e: '', f: { g: '' } } },
      call: ({ tools }) => tools.delete.execute({ path: 'd', recursive: true }),
      heard: { deleted: ['d'] },
    },
  ],
  rename: [
    {
      tree: { a: '' },
      call: ({ tools }) => tools.rename.execute({ from: 'a', to: 'd/b' }),
      heard: { createdDirectories: ['d'], renamed: [{ from: 'a', to: 'd/b' }] },
    },
    {
      tree: { d: { e: '', f: { g: '' } } },
      call: ({ tools }) => tools.rename.execute({ from: 'd', to: 'moved' }),
      heard: { renamed: [{ from: 'd', to: 'moved' }] },
    },
  ],
  patch: [
    {
      tree: { a: 'old\n', b: '', c: 'x\n', m: 'm\n' },
      call: ({ tools }) => tools.patch.execute({ patch: patchOfSix }),
      heard: {
        written: ['a', 'd/e/n', 'f/c2'],
        created: ['d/e/n', 'f/c2'],
        createdDirectories: ['d', 'd/e', 'f'],
        deleted: ['b', 'c'],
        renamed: [{ from: 'm', to: 'm2' }],
      },
    },
  ],
};

const mutating = Object.values(createCodingTools({ root: '/nowhere' }))
  .filter(({ annotations }) => !annotations.readOnlyHint)
  .map(({ name }) => name);

describe('a commit is announced once, with all its paths', () => {
  test.each(mutating)('%s', async (name) => {
    const own = cases[name] ?? [];
    expect(own.length, `${name} needs a case here`).toBeGreaterThan(0);
    for (const { tree, call, heard } of own) {
      const bench = createBench(tree);
      details(await call(bench));
      expect(bench.heard).toEqual([heard]);
    }
  });

  test('by the tools that providers host', async () => {
    const { workspace, heard } = createBench({ a: 'one\n', b: 'x\n' });
    const editor = createTextEditorTool({ workspace });
    details(await editor.execute({ command: 'insert', path: 'a', insert_line: 1, insert_text: 'two' }));
    const patch = createApplyPatchTool({ workspace });
    details(await patch.execute({ type: 'update_file', path: 'b', diff: '@@\n-x\n+y' }));
    const memory = createMemoryTool({ workspace });
    details(await memory.execute({ command: 'create', path: '/memories/n/1', file_text: 'x' }));
    details(await memory.execute({ command: 'rename', old_path: '/memories/n/1', new_path: '/memories/n/2' }));
    details(await memory.execute({ command: 'delete', path: '/memories/n' }));
    expect(heard).toEqual([
      { written: ['a'] },
      { written: ['b'] },
      { written: ['n/1'], created: ['n/1'], createdDirectories: ['n'] },
      { renamed: [{ from: 'n/1', to: 'n/2' }] },
      { deleted: ['n'] },
    ]);
  });

  test('by tools under the names of a host', async () => {
    const { root, workspace, heard } = createBench({});
    const { Write } = createCodingTools({ workspace, naming: 'claude' });
    await Write?.execute({ file_path: join(root, 'a'), content: 'x' });
    expect(heard).toEqual([{ written: ['a'], created: ['a'] }]);
  });
});

test('a change is announced after the commit, before the promise settles, when cached searches see it', async () => {
  const { root, workspace, tools } = createBench({ a: '' });
  const order: string[] = [];
  let found: Promise<unknown> | undefined;
  await glob({ path: root, pattern: '*', cache: true });
  workspace.onChange(() => {
    order.push(existsSync(join(root, 'b')) ? 'announced after the commit' : 'announced too early');
    found = glob({ path: root, pattern: '*', cache: true }).then(({ matches }) =>
      matches.map(({ path }) => path).sort(),
    );
  });
  await tools.write.execute({ path: 'b', content: 'x' }).then(() => order.push('settled'));
  expect(order).toEqual(['announced after the commit', 'settled']);
  expect(await found).toEqual(['a', 'b']);
});

describe('what changes nothing is not announced', () => {
  test('a dry run, a rejected call, and tools that only read', async () => {
    const { tools, heard } = createBench({ a: 'x' });
    await tools.write.execute({ path: 'd/b', content: '' }, { dryRun: true });
    await tools.rename.execute({ from: 'a', to: 'b' }, { dryRun: true });
    failure(await tools.edit.execute({ path: 'a', edits: [{ old_text: 'q', new_text: '' }] }));
    await tools.read.execute({ path: 'a' });
    await tools.ls.execute({});
    expect(heard).toEqual([]);
  });

  test('an aborted call', async () => {
    const { tools, heard } = createBench({ a: 'x' });
    const call = tools.write.execute({ path: 'b', content: '' }, { signal: AbortSignal.abort(new Error('stop')) });
    await expect(call).rejects.toThrow('stop');
    expect(heard).toEqual([]);
  });

  test('a patch whose last step fails and that is undone', async () => {
    const operations: FileOperations = {
      ...nodeFileOperations,
      replace: async (temporary, target) => {
        if (target.endsWith('/last')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
        return nodeFileOperations.replace(temporary, target);
      },
    };
    const { root, tools, heard } = createBench({ first: 'x\n', last: 'x\n' }, { operations });
    const update = (path: string): string[] => [`*** Update File: ${path}`, '@@', '-x', '+y'];
    const lines = ['*** Add File: new/file', '+x', ...update('first'), ...update('last')];
    const patch = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
    expect(failure(await tools.patch.execute({ patch }))).toMatch(/^PERMISSION: last /u);
    expect(heard).toEqual([]);
    expect(existsSync(join(root, 'new'))).toBe(false);
  });
});

test('a failed commit that could not be undone is announced, because files changed', async () => {
  let isBroken = false;
  const operations: FileOperations = {
    ...nodeFileOperations,
    replace: async (temporary, target) => {
      if (target.endsWith('/last')) {
        isBroken = true;
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      }
      return nodeFileOperations.replace(temporary, target);
    },
    exchange: async (left, right) => {
      if (isBroken) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return nodeFileOperations.exchange(left, right);
    },
  };
  const { tools, heard } = createBench({ first: 'x\n', last: 'x\n' }, { operations });
  const update = (path: string): string[] => [`*** Update File: ${path}`, '@@', '-x', '+y'];
  const patch = ['*** Begin Patch', ...update('first'), ...update('last'), '*** End Patch'].join('\n');
  const result = await tools.patch.execute({ patch });
  expect(result.isError && result.details.changed).toBe(true);
  expect(heard).toEqual([{ written: ['first', 'last'] }]);
});

test('a directory that could only be deleted in part is announced as deleted and as there', async () => {
  const operations: FileOperations = {
    ...nodeFileOperations,
    unlink: async (path) => {
      if (path.endsWith('/b')) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      await nodeFileOperations.unlink(path);
    },
  };
  const { root, tools, heard } = createBench({ d: { a: '', b: '' }, e: '' }, { operations });
  failure(await tools.delete.execute({ path: 'd', recursive: true }));
  expect(heard).toEqual([{ deleted: ['d'], createdDirectories: ['d'] }]);
  expect(existsSync(join(root, 'd/b'))).toBe(true);
});

describe('listeners', () => {
  test('one that throws or rejects harms neither the call nor the others, and its error is reported', async () => {
    const { workspace, tools, heard } = createBench({});
    const errors: unknown[] = [];
    const onError = (error: unknown): unknown => errors.push(error);
    const before: string[] = [];
    workspace.onChange(
      () => {
        throw new Error('thrown');
      },
      { onError },
    );
    // A listener may be asynchronous although its type returns nothing.
    const rejects = (): unknown => Promise.reject(new Error('rejected'));
    workspace.onChange(rejects, { onError });
    workspace.onChange(() => before.push('still called'));
    expect((await tools.write.execute({ path: 'a', content: 'x' })).isError).toBe(false);
    expect(errors.map(String)).toEqual(['Error: thrown', 'Error: rejected']);
    expect(before).toEqual(['still called']);
    expect(heard).toEqual([{ written: ['a'], created: ['a'] }]);
  });

  test('an error that no handler takes becomes a warning of the process', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    try {
      const { workspace, tools } = createBench({});
      const fail = (): never => {
        throw new Error('thrown');
      };
      workspace.onChange(fail);
      workspace.onChange(fail, { onError: fail });
      expect((await tools.write.execute({ path: 'a', content: 'x' })).isError).toBe(false);
      expect(emitWarning).toHaveBeenCalledTimes(2);
      expect(emitWarning.mock.calls[0]?.[0]).toMatch(/^A listener of workspace changes failed: Error: thrown/u);
    } finally {
      emitWarning.mockRestore();
    }
  });

  test('one that is unsubscribed hears nothing more, and another subscription of the same function stays', async () => {
    const { workspace, tools } = createBench({});
    const listener = vi.fn<(change: WorkspaceChange) => void>();
    const stop = workspace.onChange(listener);
    workspace.onChange(listener);
    await tools.write.execute({ path: 'a', content: 'x' });
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    stop();
    await tools.write.execute({ path: 'b', content: 'x' });
    expect(listener).toHaveBeenCalledTimes(3);
  });

  test('two workspaces on one directory do not hear each other', async () => {
    const one = createBench({});
    const other = createWorkspace({ root: one.root, stateDirectory: temporaryDirectory() });
    const heardByOther = vi.fn<(change: WorkspaceChange) => void>();
    other.onChange(heardByOther);
    await one.tools.write.execute({ path: 'a', content: 'x' });
    expect(one.heard).toEqual([{ written: ['a'], created: ['a'] }]);
    expect(heardByOther).not.toHaveBeenCalled();
  });

  test('a listener for all workspaces hears each of them until it unsubscribes', async () => {
    const [one, other] = [createBench({ a: 'x' }), createBench({})];
    const heard: Heard[] = [];
    const stop = onAnyChange((change) => heard.push(shorten(other.root, shorten(one.root, change) as WorkspaceChange)));
    await one.tools.edit.execute({ path: 'a', edits: [{ old_text: 'x', new_text: 'y' }] });
    await other.tools.write.execute({ path: 'b', content: 'y' });
    stop();
    await other.tools.write.execute({ path: 'c', content: 'y' });
    expect(heard).toEqual([{ written: ['a'] }, { written: ['b'], created: ['b'] }]);
  });

  test('changes that a program announces itself reach them, too', () => {
    const { root, workspace, heard } = createBench({});
    workspace.changes.announce([{ kind: 'write', path: join(root, 'generated') }]);
    workspace.changes.announce([]);
    expect(heard).toEqual([{ written: ['generated'], created: ['generated'] }]);
  });
});

test('the order of suggestions follows writes and renames, also those before the provider existed', async () => {
  const { workspace, tools } = createBench({ 'a.ts': '', 'b.ts': '', 'c.ts': '', 'd.ts': '' });
  await tools.edit.execute({ path: 'c.ts', edits: [{ old_text: 'none', new_text: '' }] });
  await tools.rename.execute({ from: 'd.ts', to: 'e.ts' });
  await tools.read.execute({ path: 'b.ts' });
  await tools.write.execute({ path: 'b.ts', content: 'x' });
  await tools.write.execute({ path: 'b.ts', content: 'y' });
  const provider = createMentionProvider({ workspace });
  const answer = await provider.suggest('.ts');
  expect(answer?.suggestions.map(({ path }) => path)).toEqual(['b.ts', 'e.ts', 'a.ts', 'c.ts']);
});
