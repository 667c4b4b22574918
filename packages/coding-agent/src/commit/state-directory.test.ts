import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeFileOperations } from '../files/node-operations.ts';
import type { FileOperations } from '../files/operations.ts';
import { StateDirectory } from './state-directory.ts';

function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-state-')));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const own = async (directory: string): Promise<string> => directory;

test('the first directory is made for this user alone, with those above it', async () => {
  const base = temporaryDirectory();
  const state = new StateDirectory(nodeFileOperations, [join(base, 'a/b'), join(base, 'c')]);
  expect(await state.list()).toEqual([]);
  expect(await state.use(own)).toBe(join(base, 'a/b'));
  expect(statSync(join(base, 'a/b')).mode & 0o777).toBe(0o700);
  expect(existsSync(join(base, 'c'))).toBe(false);
});

test.each(['EACCES', 'EROFS', 'EPERM'])('with %s in the first directory, the second one is used', async (code) => {
  const base = temporaryDirectory();
  const operations: FileOperations = {
    ...nodeFileOperations,
    makeDirectory: (path, permissions) =>
      path.startsWith(join(base, 'home'))
        ? Promise.reject(Object.assign(new Error(code), { code }))
        : nodeFileOperations.makeDirectory(path, permissions),
  };
  const state = new StateDirectory(operations, [join(base, 'home/state'), join(base, 'other')]);
  expect(await state.use(own)).toBe(join(base, 'other'));
});

test('a home directory that is not a directory is passed over, and without another one the error states what to do', async () => {
  const base = temporaryDirectory();
  writeFileSync(join(base, 'home'), '');
  const candidates = [join(base, 'home/state'), join(base, 'other')];
  expect(await new StateDirectory(nodeFileOperations, candidates).use(own)).toBe(join(base, 'other'));
  const alone = new StateDirectory(nodeFileOperations, candidates.slice(0, 1)).use(own);
  await expect(alone).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY', hint: expect.stringContaining('--state-dir') });
});

test('a directory that others could write to is rejected, not passed over', async () => {
  const base = temporaryDirectory();
  mkdirSync(join(base, 'unsafe'));
  chmodSync(join(base, 'unsafe'), 0o777);
  const state = new StateDirectory(nodeFileOperations, [join(base, 'unsafe'), join(base, 'other')]);
  await expect(state.use(own)).rejects.toMatchObject({ code: 'PERMISSION' });
  expect(await state.list()).toEqual([]);
  expect(existsSync(join(base, 'other'))).toBe(false);
});

test('what files are in all directories is listed, and one that disappears is made again', async () => {
  const base = temporaryDirectory();
  const candidates = [join(base, 'a'), join(base, 'b')];
  const state = new StateDirectory(nodeFileOperations, candidates);
  mkdirSync(join(base, 'b'), { mode: 0o700 });
  writeFileSync(join(base, 'b/x.journal'), '');
  expect(await state.list()).toEqual([join(base, 'b/x.journal')]);
  await state.use(own);
  rmSync(join(base, 'a'), { recursive: true });
  await state.list();
  expect(await state.use(own)).toBe(join(base, 'a'));
  expect(existsSync(join(base, 'a'))).toBe(true);
});

test('a directory that disappears during a call is checked again', async () => {
  const directory = join(temporaryDirectory(), 'a');
  const state = new StateDirectory(nodeFileOperations, [directory]);
  await state.use(own);
  const used = state.use(async () => {
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    chmodSync(directory, 0o777);
    throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  });
  await expect(used).rejects.toMatchObject({ code: 'PERMISSION' });
});

test('a directory that cannot be made fails with the reason', async () => {
  const operations: FileOperations = {
    ...nodeFileOperations,
    makeDirectory: () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })),
  };
  const state = new StateDirectory(operations, [join(temporaryDirectory(), 'a')]);
  await expect(state.use(own)).rejects.toMatchObject({ code: 'PERMISSION' });
});

test('a second directory that is not to be trusted does not matter while the first one can be used', async () => {
  const base = temporaryDirectory();
  const candidates = [join(base, 'a'), join(base, 'unsafe')];
  mkdirSync(join(base, 'unsafe'));
  writeFileSync(join(base, 'unsafe/x.journal'), '');
  chmodSync(join(base, 'unsafe'), 0o777);
  const state = new StateDirectory(nodeFileOperations, candidates);
  expect(await state.use(own)).toBe(join(base, 'a'));
  expect(await state.list()).toEqual([]);
});

test.each(['ENOTDIR', 'ELOOP', 'EACCES'])(
  'a directory whose path cannot be resolved (%s) holds nothing',
  async (code) => {
    const base = temporaryDirectory();
    const operations: FileOperations = {
      ...nodeFileOperations,
      realpath: (path) =>
        path.startsWith(join(base, 'home'))
          ? Promise.reject(Object.assign(new Error(code), { code }))
          : nodeFileOperations.realpath(path),
    };
    const state = new StateDirectory(operations, [join(base, 'home/state'), join(base, 'other')]);
    expect(await state.list()).toEqual([]);
    expect(await state.use(own)).toBe(join(base, 'other'));
  },
);

test('a file system that never makes a directory is passed over', async () => {
  const base = temporaryDirectory();
  mkdirSync(join(base, 'home'));
  const operations: FileOperations = {
    ...nodeFileOperations,
    makeDirectory: (path, permissions) =>
      path.startsWith(join(base, 'home'))
        ? Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
        : nodeFileOperations.makeDirectory(path, permissions),
  };
  const state = new StateDirectory(operations, [join(base, 'home/a/b'), join(base, 'other')]);
  expect(await state.use(own)).toBe(join(base, 'other'));
});
