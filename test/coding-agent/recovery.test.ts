import { createCodingTools, createWorkspace } from '@cairn/coding-agent';
import type { WorkspaceChange } from '@cairn/coding-agent';
import { glob } from '@cairn/natives';
import { spawn } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { details, failure } from './support.ts';

/**
 * Starts a process that edits a file and stops, with the lock held and everything prepared, when `at` is about to be called;
 * then it is killed there.
 */
async function killAt(at: 'rename' | 'write-over', root: string, stateDirectory: string): Promise<void> {
  const program = `
    import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
    const stop = () => { process.stdout.write('here'); return new Promise(() => setInterval(() => {}, 1000)); };
    const at = ${JSON.stringify(at)};
    const operations = {
      ...nodeFileOperations,
      rename: (from, to) => (at === 'rename' ? stop() : nodeFileOperations.rename(from, to)),
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

test('a temporary file of a killed process is gone after the next start, and the file is the old one', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  await killAt('rename', root, stateDirectory);
  expect(readdirSync(root)).toHaveLength(2);
  const tools = createCodingTools({ root, stateDirectory });
  expect(details(await tools.read.execute({ path: 'a' }))).toMatchObject({ lines: ['old content'] });
  expect(readdirSync(root)).toEqual(['a']);
  expect(readdirSync(stateDirectory)).toEqual([]);
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
  expect(Object.keys((await listed()) as object)).toHaveLength(3);
  details(await createCodingTools({ workspace }).ls.execute({}));
  expect(heard).toMatchObject([{ written: [join(root, 'a')], deleted: [], renamed: [] }]);
  expect(await listed()).toEqual({ a: 'NEW content'.length, b: 'NEW content'.length });
  // A temporary file that was not whole is removed, which changes no file.
  writeFileSync(join(root, 'a'), 'old content');
  await killAt('rename', root, stateDirectory);
  details(await createCodingTools({ root, stateDirectory }).ls.execute({}));
  expect(heard).toHaveLength(1);
});

test('a call that finds the lock of a killed process finishes what that one began, and goes on', async () => {
  const root = createTree({ a: 'old content' });
  const stateDirectory = temporaryDirectory();
  const tools = createCodingTools({ root, stateDirectory });
  details(await tools.ls.execute({}));
  await killAt('rename', root, stateDirectory);
  details(await tools.edit.execute({ path: 'a', edits: [{ old_text: 'old', new_text: 'newer' }] }));
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('newer content');
  expect(readdirSync(root)).toEqual(['a']);
});

test('locks of another root or of a running process stay', async () => {
  const [root, other] = [createTree({ a: 'old' }), createTree({ a: 'old' })];
  const stateDirectory = temporaryDirectory();
  await killAt('rename', other, stateDirectory);
  const begun = createCodingTools({ root, stateDirectory }).ls.execute({});
  details(await begun);
  expect(readdirSync(other)).toHaveLength(2);
  expect(readdirSync(stateDirectory)).toHaveLength(1);
});

test('a lock that names a path outside the root is ignored', async () => {
  const root = createTree({ a: 'x' });
  const outside = createTree({ victim: 'precious', '.cairn-1-1-0-0-abc.tmp.ready': 'forged' });
  const stateDirectory = join(temporaryDirectory(), 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  const note = {
    owner: '1-1-0-0-abc',
    path: join(outside, 'victim'),
    temporary: join(outside, '.cairn-1-1-0-0-abc.tmp'),
  };
  writeFileSync(join(stateDirectory, 'x.lock'), JSON.stringify(note));
  details(await createCodingTools({ root, stateDirectory }).read.execute({ path: 'a' }));
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('precious');
});

test('a state directory that was tidied away is made again, and one that cannot be used is named', async () => {
  const root = createTree({ a: 'x', file: '' });
  const stateDirectory = join(temporaryDirectory(), 'state');
  const tools = createCodingTools({ root, stateDirectory });
  details(await tools.write.execute({ path: 'b', content: '1' }));
  rmSync(stateDirectory, { recursive: true });
  details(await tools.write.execute({ path: 'b', content: '2' }));
  const blocked = createCodingTools({ root, stateDirectory: join(root, 'file/state') });
  expect(failure(await blocked.write.execute({ path: 'c', content: '' }))).toMatch(
    /^NOT_A_DIRECTORY: The state directory .*\. Nothing was changed\. Set TMPDIR to a directory that you can write to, or choose another directory with stateDirectory\./u,
  );
});

test.each(['owner', 'mode'])('notes are not believed in a state directory that is of others by its %s', async (by) => {
  const root = createTree({ a: 'precious', '.cairn-1-1-0-0-abc.tmp.ready': 'forged' });
  const stateDirectory = temporaryDirectory();
  const note = { owner: '1-1-0-0-abc', path: join(root, 'a'), temporary: join(root, '.cairn-1-1-0-0-abc.tmp') };
  writeFileSync(join(stateDirectory, 'x.lock'), JSON.stringify(note));
  if (by === 'mode') chmodSync(stateDirectory, 0o777);
  else {
    const own = process.getuid?.() ?? 0;
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(own + 1);
    onTestFinished(() => getuid.mockRestore());
  }
  const says = by === 'mode' ? /is writable by other users/u : /belongs to another user or is not a directory/u;
  const { read, write } = createCodingTools({ root, stateDirectory });
  for (const answer of [await read.execute({ path: 'a' }), await write.execute({ path: 'b', content: '' })]) {
    expect(failure(answer)).toMatch(/^PERMISSION: The state directory .* with stateDirectory\./u);
    expect(failure(answer)).toMatch(says);
  }
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('precious');
  expect(readdirSync(root).toSorted()).toEqual(['.cairn-1-1-0-0-abc.tmp.ready', 'a']);
});
