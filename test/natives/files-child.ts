/**
 * Uses `@cairn/natives/files` in a process of its own: `node files-child.ts <call> <arguments>`.
 *
 * - `hold <path>`: locks the path, prints `held`, and starts a child of its own, which lives until its input ends.
 * - `count <path> <file> <times>`: adds one to the number in the file, under the lock, that many times.
 * - `try <path>`: prints whether the path could be locked, or the code of the error.
 * - `copy <from> <to>`, `replace <temporary> <target>`: prints what the function returned, as JSON.
 * - `replace-for-ever <directory>`: replaces `target` by `temporary` until it is killed.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { copyAttributes, lockPath, replaceFile } from '@cairn/natives/files';

const [call, first = '', second = '', third = ''] = process.argv.slice(2);
const print = (value: unknown): number => writeSync(1, `${JSON.stringify(value)}\n`);

if (call === 'hold') {
  await lockPath(first);
  spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { stdio: ['inherit', 'ignore', 'ignore'] });
  print('held');
  process.stdin.resume();
} else if (call === 'count') {
  for (let left = Number(third); left > 0; left--) {
    const lock = await lockPath(first);
    // Fails when another process is in here.
    mkdirSync(`${second}.inside`);
    writeFileSync(second, `${Number(readFileSync(second, 'utf8')) + 1}`);
    rmdirSync(`${second}.inside`);
    lock?.release();
  }
} else if (call === 'try') {
  const locked = lockPath(first, { timeoutMs: 0 }).then((lock) => lock !== undefined);
  print(await locked.catch((error: NodeJS.ErrnoException) => error.code));
} else if (call === 'copy') {
  print((await copyAttributes(first, second)) ?? 'kept');
} else if (call === 'replace') {
  print(await replaceFile(first, second));
} else {
  for (let round = 0; ; round++) {
    const temporary = join(first, 'temporary');
    // A reader may still have the old file open.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, `${round} `.repeat(2000));
    await replaceFile(temporary, join(first, 'target'));
    if (round === 0) print('replacing');
  }
}
