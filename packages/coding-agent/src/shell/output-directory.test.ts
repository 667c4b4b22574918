import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OutputDirectory } from './output-directory.ts';
import { closePipe } from './named-pipe.ts';

function temporaryDirectory(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'cairn-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const { signal } = new AbortController();

interface Opened {
  readonly parent: string;
  readonly directory: OutputDirectory;
  /** Opens a place, and returns the path of its file. */
  readonly open: () => Promise<string>;
}

function create(parent: string = temporaryDirectory()): Opened {
  const directory = new OutputDirectory({ parent, onMade: () => undefined });
  onTestFinished(directory.close);
  const open = async (): Promise<string> => {
    const { pipe, createFile } = await directory.open(signal);
    closePipe(pipe);
    const { path, fd } = createFile();
    fs.closeSync(fd);
    return path;
  };
  return { parent, directory, open };
}

test.each(['EACCES', 'ENOTEMPTY'])(
  'a directory that cannot be removed (%s) is a warning with its path',
  async (code) => {
    const { directory, open } = create();
    const made = dirname(await open());
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const original = fs.rmSync;
    const restore = (): void => {
      fs.rmSync = original;
      syncBuiltinESMExports();
      warn.mockRestore();
    };
    onTestFinished(restore);
    fs.rmSync = () => {
      throw Object.assign(new Error('no'), { code });
    };
    syncBuiltinESMExports();
    directory.close();
    expect(warn.mock.calls).toEqual([
      [`The outputs of commands in ${made} could not be removed (${code}); remove them.`, 'CairnWarning'],
    ]);
  },
);

test.each([
  ['a link', (path: string, other: string) => symlinkSync(other, path)],
  ['another directory', (path: string) => mkdirSync(path, { mode: 0o700 })],
  ['a file', (path: string) => writeFileSync(path, '')],
])('a directory that became %s is made again, and what replaced it stays', async (_, replace) => {
  const { directory, parent, open } = create();
  const made = dirname(await open());
  const other = temporaryDirectory();
  renameSync(made, join(other, 'moved'));
  replace(made, other);
  const path = await open();
  expect(dirname(path)).not.toBe(made);
  expect(lstatSync(dirname(path)).mode & 0o777).toBe(0o700);
  directory.close();
  expect(readdirSync(other)).toEqual(['moved']);
  expect([existsSync(made), readdirSync(parent).length]).toEqual([true, 1]);
});

test('a directory that others may write to is left, and removed with the session', async () => {
  const { directory, parent, open } = create();
  const made = dirname(await open());
  fs.chmodSync(made, 0o777);
  expect(dirname(await open())).not.toBe(made);
  directory.close();
  expect(readdirSync(parent)).toEqual([]);
});

test('a directory that became a link while a command runs is not followed', async () => {
  const { directory, parent } = create();
  const { pipe, createFile } = await directory.open(signal);
  closePipe(pipe);
  const other = temporaryDirectory();
  const made = join(parent, readdirSync(parent)[0] ?? '');
  renameSync(made, join(other, 'moved'));
  symlinkSync(other, made);
  expect(createFile).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  expect(readdirSync(other)).toEqual(['moved']);
});
