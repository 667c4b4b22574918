import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations, WorkspaceChange } from '@cairn/coding-agent';
import { glob } from '@cairn/natives';
import { textOf } from '@cairn/tool';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { writeJournal } from './journal-file.ts';
import { details, failure } from './support.ts';

/** Where a process stops: before its content is prepared, before it is exchanged, or while it is written over. */
type Moment = 'prepare' | 'exchange' | 'write-over';

/** Starts a process that edits a file and stops there, with the lock held; then it is killed. */
async function killAt(at: Moment, root: string, stateDirectory: string): Promise<void> {
  const program = `
    import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
    const stop = () => { process.stdout.write('here'); return new Promise(() => setInterval(() => {}, 1000)); };
    const at = ${JSON.stringify(at)};
    const operations = {
      ...nodeFileOperations,
      copyAttributes: (from, to) => (at === 'prepare' ? stop() : nodeFileOperations.copyAttributes(from, to)),
      replace: (...args) => (at === 'exchange' ? stop() : nodeFileOperations.replace(...args)),
      open: async (path, mode, permissions) => {
        const file = await nodeFileOperations.open(path, mode, permissions);
        if (at !== 'write-over' || mode !== 'update') return file;
        // Half of the new content is in the file.
        return { ...file, write: async (bytes) => { await file.write(bytes.subarray(0, bytes.length / 2), 0); await stop(); } };
      },
    };
    const tools = createCodingTools({ root: ${JSON.stringify(root)}, stateDirectory: ${JSON.stringify(stateDirectory)}, operations });
    const result = await tools.edit.execute({ path: 'a', edits: [{ old_text: 'old', new_text: 'NEW' }] });
    process.stdout.write(JSON.stringify(result));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  expect(printed.toString()).toBe('here');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test.each([
  ['old, when it was killed while it prepared', 'prepare', 'old content', 'Undid'],
  ['new, when it was killed before its first change', 'exchange', 'NEW content', 'Finished'],
] as const)('the file of a killed process is %s, and the answer reports it', async (_, at, content, verb) => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  await killAt(at, root, stateDirectory);
  expect(readdirSync(root)).toHaveLength(2);
  const tools = createCodingTools({ root, stateDirectory });
  const answer = await tools.read.execute({ path: 'a' });
  expect(details(answer)).toMatchObject({ lines: [content] });
  expect(textOf(answer)).toContain(`${verb} a change that was interrupted: ${join(root, 'a')}.`);
  expect(textOf(await tools.read.execute({ path: 'a' }))).not.toContain('interrupted');
  expect(readdirSync(root)).toEqual(['a']);
  expect(readdirSync(stateDirectory)).toEqual([]);
});

test('what another program writes between a kill and the next start stays', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  await killAt('exchange', root, stateDirectory);
  writeFileSync(join(root, 'a'), 'theirs');
  const tools = createCodingTools({ root, stateDirectory });
  const answer = await tools.ls.execute({});
  expect(textOf(answer)).toContain(`Kept what was written since an interrupted change: ${join(root, 'a')}.`);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('theirs');
  expect(readdirSync(root)).toEqual(['a']);
});

test('a rejection reports what recovery did, too', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  await killAt('exchange', root, stateDirectory);
  const { edit } = createCodingTools({ root, stateDirectory });
  const answer = await edit.execute({ path: 'a', edits: [{ old_text: 'absent', new_text: '' }] });
  expect(failure(answer)).toMatch(/^NO_MATCH: .* Finished a change that was interrupted/su);
});

test('a file with several names that was half written over is the new one after the next start', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  linkSync(join(root, 'a'), join(root, 'b'));
  await killAt('write-over', root, stateDirectory);
  const tools = createCodingTools({ root, stateDirectory });
  expect(details(await tools.read.execute({ path: 'b' }))).toMatchObject({ lines: ['NEW content'] });
  expect(readdirSync(root)).toEqual(['a', 'b']);
  expect(readdirSync(stateDirectory)).toEqual([]);
});

test('a file that was half written over and then saved by another program stays as it was saved', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  linkSync(join(root, 'a'), join(root, 'b'));
  await killAt('write-over', root, stateDirectory);
  writeFileSync(join(root, 'b'), 'saved since');
  details(await createCodingTools({ root, stateDirectory }).ls.execute({}));
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('saved since');
  expect(readdirSync(root)).toEqual(['a', 'b']);
});

test('what the next start recovers is announced, and the next cached search sees it', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  linkSync(join(root, 'a'), join(root, 'b'));
  const workspace = createWorkspace({ root, stateDirectory });
  const heard: WorkspaceChange[] = [];
  workspace.onChange((change) => heard.push(change));
  await killAt('write-over', root, stateDirectory);
  const listed = async (): Promise<unknown> => {
    const { matches } = await glob({ path: root, pattern: '*', hidden: true, cache: true, sortByMtime: true });
    return Object.fromEntries(matches.map(({ path, size }) => [path, size]));
  };
  expect(await listed()).toHaveProperty('a');
  details(await createCodingTools({ workspace }).ls.execute({}));
  expect(heard).toMatchObject([{ written: [join(root, 'a')], deleted: [], renamed: [] }]);
  expect(await listed()).toEqual({ a: 'NEW content'.length, b: 'NEW content'.length });
  // A temporary file that was not whole is removed, which changes no file.
  writeFileSync(join(root, 'a'), 'old content');
  await killAt('prepare', root, stateDirectory);
  details(await createCodingTools({ root, stateDirectory }).ls.execute({}));
  expect(heard).toHaveLength(1);
});

test('a call that comes upon the journal of a killed process finishes what that one began, and goes on', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  const tools = createCodingTools({ root, stateDirectory });
  details(await tools.ls.execute({}));
  await killAt('exchange', root, stateDirectory);
  const answer = await tools.edit.execute({ path: 'a', edits: [{ old_text: 'NEW', new_text: 'newer' }] });
  details(answer);
  expect(textOf(answer)).toContain('Finished a change that was interrupted');
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('newer content');
  expect(readdirSync(root)).toEqual(['a']);
});

test('two processes that recover concurrently both see the recovered file', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  await killAt('exchange', root, stateDirectory);
  const read = async (): Promise<unknown> =>
    details(await createCodingTools({ root, stateDirectory }).read.execute({ path: 'a' }));
  for (const seen of await Promise.all([read(), read(), read()]))
    expect(seen).toMatchObject({ lines: ['NEW content'] });
  expect(readdirSync(stateDirectory)).toEqual([]);
});

test('journals of another root stay', async () => {
  const [root, other] = [createTree({ a: 'old' }), createTree({ a: 'old' })];
  const stateDirectory = temporaryDirectory();
  await killAt('exchange', other, stateDirectory);
  details(await createCodingTools({ root, stateDirectory }).write.execute({ path: 'b', content: '' }));
  expect(readdirSync(other)).toHaveLength(2);
  expect(readdirSync(stateDirectory)).toHaveLength(1);
});

test('the journal of a running commit is left to it', async () => {
  const root = createTree({ a: 'old' });
  const stateDirectory = temporaryDirectory();
  const other = createWorkspace({ root, stateDirectory });
  const journal = writeJournal(stateDirectory, 'P', { paths: [join(root, 'a')], locks: [root] });
  await other.locks.hold([root], {}, async () => {
    const answer = await createCodingTools({ root, stateDirectory }).read.execute({ path: 'a' });
    details(answer);
    expect(textOf(answer)).not.toContain('recovered');
    expect(existsSync(journal)).toBe(true);
  });
});

const damages: Readonly<Record<string, (journal: string) => void>> = {
  empty: (journal) => writeFileSync(journal, ''),
  'of another program': (journal) => writeFileSync(journal, 'something else\n'),
  'cut in its first line': (journal) => writeFileSync(journal, readFileSync(journal).subarray(0, 40)),
  'cut in its changes': (journal) => writeFileSync(journal, readFileSync(journal).subarray(0, -5)),
  'changed after it was written': (journal) => {
    const content = readFileSync(journal, 'utf8');
    writeFileSync(journal, content.replace('"temporaries":[]', '"temporaries":["x"]'));
  },
  'a directory': (journal) => {
    rmSync(journal);
    mkdirSync(journal);
  },
};

test.each(Object.keys(damages))(
  'a journal that is %s is reported once with its path, and nothing waits for it',
  async (what) => {
    const root = createTree({ a: 'old' });
    const stateDirectory = temporaryDirectory();
    const journal = writeJournal(stateDirectory, 'C', { paths: [join(root, 'a')], locks: [root] });
    damages[what]?.(journal);
    const tools = createCodingTools({ root, stateDirectory });
    const answer = await tools.read.execute({ path: 'a' });
    expect(details(answer)).toMatchObject({ lines: ['old'] });
    expect(textOf(answer)).toMatch(/is not understood: .* then delete it\./u);
    expect(textOf(answer)).toContain(journal);
    const written = await tools.write.execute({ path: 'b', content: '' });
    details(written);
    expect(textOf(written)).not.toContain('journal');
    expect(existsSync(journal)).toBe(true);
  },
);

test('a journal that names only paths outside the root is ignored', async () => {
  const root = createTree({ a: 'x' });
  const temporary = '.cairn-0123456789abcdef.tmp';
  const outside = createTree({ victim: 'precious', [temporary]: 'forged' });
  const stateDirectory = temporaryDirectory();
  const paths = [join(outside, 'victim')];
  writeJournal(stateDirectory, 'P', { paths, locks: [outside], temporaries: [join(outside, temporary)] });
  details(await createCodingTools({ root, stateDirectory }).read.execute({ path: 'a' }));
  expect(readdirSync(outside).toSorted()).toEqual([temporary, 'victim']);
});

test('a temporary path of another form is not removed', async () => {
  const root = createTree({ a: 'x' });
  const stateDirectory = temporaryDirectory();
  const paths = [join(root, 'a')];
  writeJournal(stateDirectory, 'P', { paths, locks: [root], temporaries: paths });
  details(await createCodingTools({ root, stateDirectory }).ls.execute({}));
  expect(readdirSync(root)).toEqual(['a']);
});

test('a state directory that was tidied away is made again, and one that cannot be made is named', async () => {
  const root = createTree({ a: 'x', file: '' });
  const stateDirectory = join(temporaryDirectory(), 'new/state');
  const tools = createCodingTools({ root, stateDirectory });
  details(await tools.write.execute({ path: 'b', content: '1' }));
  rmSync(dirname(stateDirectory), { recursive: true });
  details(await tools.write.execute({ path: 'b', content: '2' }));
  const blocked = createCodingTools({ root, stateDirectory: join(root, 'file/state') });
  expect(failure(await blocked.write.execute({ path: 'c', content: '' }))).toMatch(
    /^NOT_A_DIRECTORY: The state directory .*\. Nothing was changed\. Choose a directory of your own .* with --state-dir/u,
  );
});

const distrusted: Readonly<Record<string, (directory: string) => RegExp>> = {
  'belongs to another user': () => {
    const own = process.geteuid?.() ?? 0;
    const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(own + 1);
    onTestFinished(() => geteuid.mockRestore());
    return /belongs to another user/u;
  },
  'is writable by others': (directory) => {
    chmodSync(directory, 0o777);
    return /is writable by other users\. .* chmod go-w/u;
  },
  'is a link': (directory) => {
    const target = `${directory}-target`;
    mkdirSync(target, { mode: 0o700 });
    for (const name of readdirSync(directory)) writeFileSync(join(target, name), readFileSync(join(directory, name)));
    rmSync(directory, { recursive: true });
    symlinkSync(target, directory);
    return /is not a directory/u;
  },
};

test.each(Object.keys(distrusted))(
  'with a state directory that %s, reading works, changing does not, and its journals are not believed',
  async (what) => {
    const temporary = '.cairn-0123456789abcdef.tmp';
    const root = createTree({ a: 'precious', [temporary]: 'forged' });
    const stateDirectory = join(temporaryDirectory(), 'state');
    mkdirSync(stateDirectory, { mode: 0o700 });
    writeJournal(stateDirectory, 'P', {
      paths: [join(root, 'a')],
      locks: [root],
      temporaries: [join(root, temporary)],
    });
    const says = distrusted[what]?.(stateDirectory);
    const { read, write } = createCodingTools({ root, stateDirectory });
    expect(details(await read.execute({ path: 'a' }))).toMatchObject({ lines: ['precious'] });
    const refused = failure(await write.execute({ path: 'b', content: '' }));
    expect(refused).toMatch(/^PERMISSION: The state directory .* Nothing was changed\. .* with --state-dir/u);
    expect(refused).toMatch(says ?? /never/u);
    expect(readdirSync(root).toSorted()).toEqual([temporary, 'a']);
  },
);

test('a file with several names that another program emptied after a kill stays empty', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  linkSync(join(root, 'a'), join(root, 'b'));
  await killAt('write-over', root, stateDirectory);
  writeFileSync(join(root, 'b'), '');
  const answer = await createCodingTools({ root, stateDirectory }).ls.execute({});
  expect(textOf(answer)).toContain('Kept what was written since an interrupted change');
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('');
  expect(readdirSync(root)).toEqual(['a', 'b']);
});

describe('after a kill', () => {
  const temporary = '.cairn-0123456789abcdef.tmp';

  /** Recovers a tree whose journal has one change, and returns the notice, the files and what was announced. */
  async function recovered(
    state: 'C' | 'U',
    kind: 'create' | 'delete' | 'move',
    files: Readonly<Record<string, string>>,
    { of, hash }: { readonly of: string; readonly hash?: string },
  ): Promise<{ readonly notice: string; readonly files: object; readonly heard: readonly WorkspaceChange[] }> {
    const root = createTree(files);
    const stateDirectory = temporaryDirectory();
    const at = (name: string): string => join(root, name);
    const mark = { inode: `${statSync(at(of)).ino}`, hash };
    const change = {
      create: { temporary: at(temporary), directories: [], after: mark },
      delete: { temporary: at(temporary), before: mark },
      move: { to: at('b'), directories: [], before: mark },
    }[kind];
    const header = { paths: [at('a')], locks: [root], temporaries: [at(temporary)] };
    writeJournal(stateDirectory, state, header, [{ kind, path: at('a'), ...change }]);
    const workspace = createWorkspace({ root, stateDirectory });
    const heard: WorkspaceChange[] = [];
    workspace.onChange((one) => heard.push(one));
    const notice = textOf(await createCodingTools({ workspace }).ls.execute({}));
    const names = readdirSync(root).toSorted();
    return { notice, files: Object.fromEntries(names.map((name) => [name, readFileSync(at(name), 'utf8')])), heard };
  }

  const hash = createHash('sha1').update('old').digest('hex');

  test('a deletion that was made is finished and announced', async () => {
    const { notice, files, heard } = await recovered('C', 'delete', { [temporary]: 'old' }, { of: temporary, hash });
    expect(notice).toContain('Finished a change that was interrupted');
    expect(files).toEqual({});
    expect(heard).toMatchObject([{ deleted: [expect.stringMatching(/\/a$/u)] }]);
  });

  test('a file of an undone change is removed, and that is announced', async () => {
    const { notice, files, heard } = await recovered('U', 'create', { a: 'old' }, { of: 'a', hash });
    expect(notice).toContain('Undid a change that was interrupted');
    expect(files).toEqual({});
    expect(heard).toMatchObject([{ written: [], deleted: [expect.stringMatching(/\/a$/u)] }]);
  });

  test('a file that another program made at a deleted path stays', async () => {
    const { notice, files } = await recovered(
      'C',
      'delete',
      { a: 'theirs', [temporary]: 'old' },
      { of: temporary, hash },
    );
    expect(notice).toContain('Finished a change that was interrupted');
    expect(files).toEqual({ a: 'theirs' });
  });

  test('what was taken away, but is not what was to be deleted, is put back', async () => {
    const { notice, files } = await recovered('C', 'delete', { c: '', [temporary]: 'theirs' }, { of: 'c', hash });
    expect(notice).toContain('Kept what was written since an interrupted change');
    expect(files).toEqual({ a: 'theirs', c: '' });
  });

  test('a deleted file whose path is taken is kept under another name', async () => {
    const { notice, files } = await recovered(
      'U',
      'delete',
      { a: 'theirs', [temporary]: 'old' },
      { of: temporary, hash },
    );
    expect(notice).toContain('Kept a version that was replaced meanwhile');
    expect(files).toMatchObject({ a: 'theirs' });
    expect(new Set(Object.values(files))).toEqual(new Set(['old', 'theirs']));
  });

  test.each([
    ['a move that was not made is made', 'C', 'a', 'Finished', 'b'],
    ['a move that was made stays', 'C', 'b', 'Finished', 'b'],
    ['a move that is undone is taken back', 'U', 'b', 'Undid', 'a'],
    ['a move that was not made is undone without a change', 'U', 'a', 'Undid', 'a'],
  ] as const)('%s', async (_, state, found, verb, expected) => {
    const { notice, files } = await recovered(state, 'move', { [found]: 'old' }, { of: found });
    expect(notice).toContain(`${verb} a change that was interrupted`);
    expect(notice).not.toContain('Kept');
    expect(files).toEqual({ [expected]: 'old' });
  });
});

test('a rename onto a file of equal content is finished after a kill', async () => {
  const root = createTree({ a: 'same', b: 'same' });
  const stateDirectory = temporaryDirectory();
  const temporary = join(root, '.cairn-0123456789abcdef.tmp');
  const [from, to] = [join(root, 'a'), join(root, 'b')];
  const [after, before] = [from, to].map((path) => ({ inode: `${statSync(path).ino}` }));
  const hash = createHash('sha1').update('same').digest('hex');
  writeJournal(stateDirectory, 'C', { paths: [from, to], locks: [root], temporaries: [temporary] }, [
    {
      kind: 'replace',
      isSource: true,
      path: to,
      temporary: from,
      spare: temporary,
      before: { ...before, hash },
      after,
    },
  ]);
  const answer = await createCodingTools({ root, stateDirectory }).ls.execute({});
  expect(textOf(answer)).toContain('Finished a change that was interrupted');
  expect(readdirSync(root)).toEqual(['b']);
  expect(`${statSync(to).ino}`).toBe(after?.inode);
});

test('reading works while the leftovers in the state directory cannot be removed', async () => {
  const root = createTree({ a: 'x' });
  const stateDirectory = temporaryDirectory();
  writeFileSync(join(stateDirectory, '0123456789abcdef.new'), '');
  const operations: FileOperations = {
    ...nodeFileOperations,
    unlink: () => Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS' })),
  };
  const answer = await createCodingTools({ root, stateDirectory, operations }).read.execute({ path: 'a' });
  expect(details(answer)).toMatchObject({ lines: ['x'] });
});

test('a journal of another tree is read once, not at each change', async () => {
  const root = createTree({ a: 'x' });
  const stateDirectory = temporaryDirectory();
  const journal = writeJournal(stateDirectory, 'P', { paths: ['/elsewhere/a'], locks: ['/elsewhere'] });
  let reads = 0;
  const operations: FileOperations = {
    ...nodeFileOperations,
    open: (path, mode, permissions) => {
      if (path === journal) reads++;
      return nodeFileOperations.open(path, mode, permissions);
    },
  };
  const tools = createCodingTools({ root, stateDirectory, operations });
  details(await tools.write.execute({ path: 'b', content: '1' }));
  const first = reads;
  for (const content of ['2', '3', '4']) details(await tools.write.execute({ path: 'b', content }));
  expect(reads).toBe(first);
});

test('the first answer waits once for locks that another program holds, not for each journal', async () => {
  const root = createTree({ a: 'old' });
  const stateDirectory = temporaryDirectory();
  for (let left = 0; left < 3; left++) writeJournal(stateDirectory, 'P', { paths: [join(root, 'a')], locks: [root] });
  const waits: (number | undefined)[] = [];
  const operations: FileOperations = {
    ...nodeFileOperations,
    lock: async (path, options) => {
      waits.push(options?.timeoutMs);
      return nodeFileOperations.lock(path, options);
    },
  };
  const other = createWorkspace({ root, stateDirectory });
  await other.locks.hold([root], {}, async () => {
    details(await createCodingTools({ root, stateDirectory, operations }).read.execute({ path: 'a' }));
  });
  expect(waits.slice(1)).toEqual([0, 0]);
});
