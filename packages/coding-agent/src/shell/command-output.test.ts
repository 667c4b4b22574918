import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CommandOutput, KEPT_BYTES, MAX_FILE_BYTES, type CreatedFile } from './command-output.ts';

function fileMaker(): () => CreatedFile {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'out');
  return () => ({ path, fd: openSync(path, 'wx', 0o600) });
}

const noFile = (): CreatedFile => expect.unreachable();

/** Bytes whose values tell where they are. */
function numbered(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 7 + Math.floor(index / 256)) % 256));
}

test.each([1, 7, 1000, KEPT_BYTES - 1, KEPT_BYTES, KEPT_BYTES + 1, 65_536, 200_000])(
  'an output that comes in chunks of %d bytes has its start, its end and its file',
  (size) => {
    const whole = numbered(3 * KEPT_BYTES + 17);
    const output = new CommandOutput(fileMaker());
    for (let at = 0; at < whole.length; at += size) {
      output.add(whole.subarray(at, at + size));
      const given = whole.subarray(0, at + size);
      if (at % 11 !== 0) continue;
      expect(output.head().equals(given.subarray(0, KEPT_BYTES))).toBe(true);
      expect(output.tail().equals(given.subarray(-KEPT_BYTES))).toBe(true);
    }
    output.close();
    expect(output.head().equals(whole.subarray(0, KEPT_BYTES))).toBe(true);
    expect(output.tail().equals(whole.subarray(-KEPT_BYTES))).toBe(true);
    expect(readFileSync(output.file()?.path ?? '').equals(whole)).toBe(true);
    expect(output.file()).toMatchObject({ bytes: whole.length, problem: undefined });
    expect(output.lines()).toBe(whole.filter((byte) => byte === 10).length + (whole.at(-1) === 10 ? 0 : 1));
  },
);

test('an output that fits has a file only when it is asked for', () => {
  const small = new CommandOutput(noFile);
  small.add(numbered(KEPT_BYTES));
  expect(small.file()).toBeUndefined();
  const asked = new CommandOutput(fileMaker());
  asked.add(Buffer.from('early\n'));
  asked.keepFile();
  asked.keepFile();
  asked.add(Buffer.from('late\n'));
  asked.close();
  asked.close();
  asked.add(Buffer.from('too late\n'));
  expect(readFileSync(asked.file()?.path ?? '', 'utf8')).toBe('early\nlate\n');
  expect(asked.bytes).toBe('early\nlate\ntoo late\n'.length);
});

test('ten times the largest file keeps no more bytes in memory and in the file than its bounds', () => {
  const output = new CommandOutput(fileMaker());
  const chunk = Buffer.alloc(1024 * 1024, 'line\n');
  for (let given = 0; given < 10 * MAX_FILE_BYTES; given += chunk.length) {
    output.add(chunk);
    expect(output.head().buffer.byteLength + output.tail().length).toBeLessThanOrEqual(2 * KEPT_BYTES);
  }
  output.close();
  expect(output.bytes).toBe(10 * MAX_FILE_BYTES);
  expect(output.file()?.bytes).toBe(MAX_FILE_BYTES);
});

test.each([
  ['that cannot be created', 'EACCES'],
  ['that cannot be written', 'EBADF'],
])('a file %s is a problem of the file, and the output goes on', (_, code) => {
  let created = 0;
  const output = new CommandOutput(() => {
    created++;
    if (code === 'EACCES') throw Object.assign(new Error('no'), { code });
    const fd = openSync('/dev/null', 'r');
    onTestFinished(() => closeSync(fd));
    return { path: '/dev/null', fd };
  });
  for (let index = 0; index < 5; index++) output.add(Buffer.alloc(KEPT_BYTES, 'x'));
  expect(created).toBe(1);
  expect(output.file()).toMatchObject({ bytes: 0, problem: code });
  expect([output.bytes, output.tail().toString()]).toEqual([5 * KEPT_BYTES, 'x'.repeat(KEPT_BYTES)]);
});

test('a file that cannot be closed is a problem of the file', () => {
  const fd = openSync('/dev/null', 'w');
  const output = new CommandOutput(() => ({ path: '/dev/null', fd }));
  output.keepFile();
  closeSync(fd);
  output.close();
  expect(output.file()).toMatchObject({ problem: 'EBADF' });
});

test('a full disk ends the file, and the output goes on', () => {
  const output = new CommandOutput(() => ({ path: '/dev/full', fd: openSync('/dev/full', 'w') }));
  for (let index = 0; index < 5; index++) output.add(Buffer.alloc(KEPT_BYTES, 'x'));
  output.close();
  expect(output.file()).toEqual({ path: '/dev/full', bytes: 0, problem: 'ENOSPC' });
});
