import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { CodingTools, FileOperations } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { failure } from './support.ts';

const child = fileURLToPath(new URL('parallel-child.ts', import.meta.url));
const MINUTES_MS = 5 * 60_000;

function lines(workers: number, edits: number, state: string): string {
  return Array.from({ length: edits }, (_, edit) =>
    Array.from({ length: workers }, (__, worker) => `worker ${worker} edit ${edit} ${state}\n`).join(''),
  ).join('');
}

/** A child process: its arguments, its user, and its own variables. */
interface Child {
  readonly args: readonly string[];
  readonly uid?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

async function run({ args, uid, env = {} }: Child): Promise<void> {
  const running = spawn(process.execPath, [child, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let trouble = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
  const [code] = await once(running, 'close');
  expect(code, trouble).toBe(0);
}

function countTo(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

test.each([
  ['without a check', 'off', 8, 100],
  ['with the guard against stale files', 'strict', 4, 10],
])(
  'processes that edit one file concurrently, %s, lose no edit',
  async (_reason, guard, workers, edits) => {
    const [root, state] = [temporaryDirectory(), temporaryDirectory()];
    const shared = join(root, 'shared.txt');
    writeFileSync(shared, lines(workers, edits, 'to do'));
    await Promise.all(
      countTo(workers).map((worker) => run({ args: [root, state, `${worker}`, `${edits}`, guard, 'shared.txt'] })),
    );
    expect(readFileSync(shared, 'utf8')).toBe(lines(workers, edits, 'done'));
    expect([readdirSync(root), readdirSync(state)]).toEqual([['shared.txt'], []]);
  },
  MINUTES_MS,
);

test(
  'processes that edit different files of a directory lose no edit',
  async () => {
    const [root, state] = [temporaryDirectory(), temporaryDirectory()];
    const names = countTo(8).map((worker) => `file-${worker}.txt`);
    for (const name of names) writeFileSync(join(root, name), lines(8, 20, 'to do'));
    await Promise.all(names.map((name, worker) => run({ args: [root, state, `${worker}`, '20', 'strict', name] })));
    for (const [worker, name] of names.entries()) {
      const text = readFileSync(join(root, name), 'utf8');
      expect(text.split('\n').filter((line) => line.endsWith('done'))).toHaveLength(20);
      expect(text).not.toContain(`worker ${worker} edit 0 to do`);
    }
    expect([readdirSync(root), readdirSync(state)]).toEqual([names, []]);
  },
  MINUTES_MS,
);

test(
  'two processes that edit different names of one file lose no edit',
  async () => {
    const [root, state] = [temporaryDirectory(), temporaryDirectory()];
    for (const directory of ['a', 'b']) mkdirSync(join(root, directory));
    writeFileSync(join(root, 'a/one.txt'), lines(2, 50, 'to do'));
    linkSync(join(root, 'a/one.txt'), join(root, 'b/two.txt'));
    const paths = ['a/one.txt', 'b/two.txt'];
    await Promise.all(paths.map((path, worker) => run({ args: [root, state, `${worker}`, '50', 'off', path] })));
    expect(readFileSync(join(root, 'b/two.txt'), 'utf8')).toBe(lines(2, 50, 'done'));
  },
  MINUTES_MS,
);

test(
  'processes with different HOME, TMPDIR and XDG variables lose no edit, and recover for one another',
  async () => {
    const root = temporaryDirectory();
    const shared = join(root, 'shared.txt');
    writeFileSync(shared, lines(2, 100, 'to do'));
    await Promise.all(
      countTo(2).map((worker) => {
        const own = temporaryDirectory();
        const names = ['HOME', 'TMPDIR', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'];
        const env = Object.fromEntries(names.map((name) => [name, own]));
        return run({ args: [root, '', `${worker}`, '100', 'off', 'shared.txt'], env });
      }),
    );
    expect(readFileSync(shared, 'utf8')).toBe(lines(2, 100, 'done'));
    expect(readdirSync(root)).toEqual(['shared.txt']);
  },
  MINUTES_MS,
);

test.skipIf(process.getuid?.() !== 0)(
  'processes of two users that edit one file concurrently lose no edit',
  async () => {
    const root = temporaryDirectory();
    chmodSync(dirname(root), 0o755);
    chmodSync(root, 0o777);
    const shared = join(root, 'shared.txt');
    writeFileSync(shared, lines(2, 50, 'to do'));
    chmodSync(shared, 0o666);
    await Promise.all(
      [0, 65_534].map((uid, worker) => {
        const state = temporaryDirectory();
        chownSync(state, uid, uid);
        return run({ args: [root, state, `${worker}`, '50', 'off', 'shared.txt'], uid });
      }),
    );
    expect(readFileSync(shared, 'utf8')).toBe(lines(2, 50, 'done'));
    expect(readdirSync(root)).toEqual(['shared.txt']);
  },
  MINUTES_MS,
);

test('calls of two sets of tools in one process lose no edit either', async () => {
  const [root, stateDirectory] = [temporaryDirectory(), temporaryDirectory()];
  const shared = join(root, 'shared.txt');
  writeFileSync(shared, lines(2, 50, 'to do'));
  const sets = [0, 1].map(() => createCodingTools({ root, stateDirectory, policy: { staleGuard: 'off' } }));
  await Promise.all(
    sets.flatMap((tools, worker) =>
      Array.from({ length: 50 }, async (_, edit) => {
        const name = `worker ${worker} edit ${edit}`;
        const edits = [{ old_text: `${name} to do\n`, new_text: `${name} done\n` }];
        expect(await tools.edit.execute({ path: 'shared.txt', edits })).toMatchObject({ isError: false });
      }),
    ),
  );
  expect(readFileSync(shared, 'utf8')).toBe(lines(2, 50, 'done'));
});

test('a lock that another program holds is reported with its path, and not waited for beyond the limit', async () => {
  const workspace = createWorkspace({ root: temporaryDirectory(), stateDirectory: temporaryDirectory() });
  const lock = await nodeFileOperations.lock(workspace.root);
  const held = workspace.locks.hold([workspace.root], { timeoutMs: 20 }, async () => undefined);
  await expect(held).rejects.toMatchObject({ code: 'LOCKED', message: expect.stringContaining(workspace.root) });
  await lock?.release();
  await workspace.locks.hold([workspace.root], { timeoutMs: 0 }, async () => undefined);
});

test('where a directory cannot be locked, a file in the state directory excludes others, and is removed', async () => {
  const [root, stateDirectory] = [temporaryDirectory(), temporaryDirectory()];
  const operations: FileOperations = {
    ...nodeFileOperations,
    lock: (path, options) =>
      path === root
        ? Promise.reject(Object.assign(new Error('ENOTSUP'), { code: 'ENOTSUP' }))
        : nodeFileOperations.lock(path, options),
  };
  const [one, two] = [0, 1].map(() => createWorkspace({ root, stateDirectory, operations }));
  await one?.locks.hold([root], {}, async () => {
    const other = two?.locks.hold([root], { timeoutMs: 20 }, async () => undefined);
    await expect(other).rejects.toMatchObject({ code: 'LOCKED' });
  });
  await two?.locks.hold([root], {}, async () => undefined);
  expect(readdirSync(stateDirectory)).toEqual([]);
});

/** Operations with which another program saves at the last moment: before a write takes effect. */
function savingBefore(save: () => void, times: number = 1): FileOperations {
  let saves = 0;
  const saveOnce = (): void => {
    if (saves++ < times) save();
  };
  return {
    ...nodeFileOperations,
    replace: (temporary, target, isSynced) => {
      saveOnce();
      return nodeFileOperations.replace(temporary, target, isSynced);
    },
    exchange: (left, right) => {
      saveOnce();
      return nodeFileOperations.exchange(left, right);
    },
  };
}

test.each([
  ['in place', (path: string) => writeFileSync(path, 'saved meanwhile')],
  [
    'by a rename',
    (path: string) => {
      writeFileSync(`${path}~`, 'saved meanwhile');
      renameSync(`${path}~`, path);
    },
  ],
])('a save of another program at the last moment, %s, is kept, and the rejection shows it', async (_, save) => {
  const root = temporaryDirectory();
  const path = join(root, 'a');
  writeFileSync(path, 'old');
  const operations = savingBefore(() => save(path));
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory(), operations });
  await tools.read.execute({ path: 'a' });
  const answer = await tools.write.execute({ path: 'a', content: 'ours' });
  expect(failure(answer)).toMatch(/^STALE: a changed since it was read.*saved meanwhile/su);
  expect(readFileSync(path, 'utf8')).toBe('saved meanwhile');
  expect(readdirSync(root)).toEqual(['a']);
});

test('of two saves at the last moment, the last one stays and the one before is kept next to it', async () => {
  const root = temporaryDirectory();
  const path = join(root, 'a');
  writeFileSync(path, 'old');
  let saves = 0;
  const operations = savingBefore(() => {
    writeFileSync(`${path}~`, `save ${++saves}`);
    renameSync(`${path}~`, path);
  }, 2);
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory(), operations });
  const answer = await tools.edit.execute({ path: 'a', edits: [{ old_text: 'old', new_text: 'ours' }] });
  const [, aside = ''] = readdirSync(root);
  expect(failure(answer)).toMatch(/^STALE/u);
  expect(failure(answer)).toContain(aside);
  expect([readFileSync(path, 'utf8'), readFileSync(join(root, aside), 'utf8')]).toEqual(['save 2', 'save 1']);
});

test('without an exchange of names, a save before the last check is kept, and a patch is undone', async () => {
  const root = temporaryDirectory();
  for (const name of ['a', 'b']) writeFileSync(join(root, name), `old ${name}\n`);
  const operations: FileOperations = {
    ...nodeFileOperations,
    replace: async (_, target) => {
      if (target.endsWith('/b')) writeFileSync(target, 'saved meanwhile');
      return { outcome: 'unsupported' };
    },
    exchange: async () => false,
  };
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory(), operations });
  const update = (name: string): string => `*** Update File: ${name}\n@@\n-old ${name}\n+ours\n`;
  const patch = `*** Begin Patch\n${update('a')}${update('b')}*** End Patch\n`;
  expect(failure(await tools.patch.execute({ patch }))).toMatch(/^STALE/u);
  expect(['a', 'b'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual(['old a\n', 'saved meanwhile']);
  expect(readdirSync(root)).toEqual(['a', 'b']);
});

test('a file that another program saves while it is being deleted stays', async () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, 'a'), 'old');
  const operations: FileOperations = {
    ...nodeFileOperations,
    rename: (from, to) => {
      if (from.endsWith('/a')) writeFileSync(from, 'saved meanwhile');
      return nodeFileOperations.rename(from, to);
    },
  };
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory(), operations });
  await tools.read.execute({ path: 'a' });
  expect(failure(await tools.delete.execute({ path: 'a' }))).toMatch(/^STALE/u);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('saved meanwhile');
  expect(readdirSync(root)).toEqual(['a']);
});

test('a file that another program saves while another one is renamed onto it stays, and so does the other one', async () => {
  const root = temporaryDirectory();
  for (const name of ['a', 'b']) writeFileSync(join(root, name), name);
  const operations = savingBefore(() => writeFileSync(join(root, 'b'), 'saved meanwhile'));
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory(), operations });
  await tools.read.execute({ path: 'b' });
  expect(failure(await tools.rename.execute({ from: 'a', to: 'b', overwrite: true }))).toMatch(/^STALE/u);
  expect(readdirSync(root)).toEqual(['a', 'b']);
  expect(['a', 'b'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual(['a', 'saved meanwhile']);
});

test('a lock of a directory that cannot be opened ends, whatever happens to the state directory meanwhile', async () => {
  const [root, stateDirectory] = [temporaryDirectory(), temporaryDirectory()];
  const operations: FileOperations = {
    ...nodeFileOperations,
    lock: (path, options) =>
      path === root
        ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
        : nodeFileOperations.lock(path, options),
  };
  const { locks } = createWorkspace({ root, stateDirectory, operations });
  await locks.hold([root], {}, async () => rmSync(stateDirectory, { recursive: true }));
  expect(await locks.hold([root], { timeoutMs: 5000 }, async () => 'held')).toBe('held');
});

test.each([
  ['write', (tools: CodingTools) => tools.write.execute({ path: 'd/x', content: 'new' })],
  ['delete', (tools: CodingTools) => tools.delete.execute({ path: 'd/x' })],
])('a %s whose directory is moved before it could be checked does not say that nothing was changed', async (_, run) => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'd'));
  writeFileSync(join(root, 'd/x'), 'old');
  const moving = async <T>(done: Promise<T>): Promise<T> => {
    const value = await done;
    renameSync(join(root, 'd'), join(root, 'e'));
    return value;
  };
  const operations: FileOperations = {
    ...nodeFileOperations,
    replace: (temporary, target, isSynced) => moving(nodeFileOperations.replace(temporary, target, isSynced)),
    rename: (from, to) =>
      from.endsWith('/x') ? moving(nodeFileOperations.rename(from, to)) : nodeFileOperations.rename(from, to),
  };
  const stateDirectory = temporaryDirectory();
  const tools = createCodingTools({ root, stateDirectory, operations });
  await tools.read.execute({ path: 'd/x' });
  const answer = failure(await run(tools));
  expect(answer).toContain('the directory of d/x was moved or replaced, perhaps with the change');
  expect(answer).not.toContain('Nothing was changed');
  // Where it comes back, the next start undoes the change.
  renameSync(join(root, 'e'), join(root, 'd'));
  await createCodingTools({ root, stateDirectory }).ls.execute({});
  expect(readdirSync(join(root, 'd'))).toEqual(['x']);
  expect(readFileSync(join(root, 'd/x'), 'utf8')).toBe('old');
});
