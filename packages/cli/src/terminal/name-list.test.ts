import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { quotePath } from '@cairn/tool/paths';
import { expect, onTestFinished, test } from 'vitest';
import { NameReader } from './name-list.ts';

function read(...parts: readonly (string | Uint8Array)[]): readonly string[] {
  const reader = new NameReader();
  for (const part of parts) reader.add(Buffer.from(part));
  reader.end();
  return reader.list.names;
}

test.each([
  ['lines', 'a\nb c\n', ['a', 'b c']],
  ['a last line without an end', 'a\nb', ['a', 'b']],
  ['lines with CRLF', 'a\r\nb\r\n', ['a', 'b']],
  ['empty lines', '\na\n\n', ['a']],
  ['nothing', '', []],
  ['names with NULs', 'a\nb\0c\r\0', ['a\nb', 'c\r']],
  ['a last name without a NUL', 'a\0b', ['a', 'b']],
  ['names as Cairn prints them', '"a\\nb"\n" c"\n', ['a\nb', ' c']],
  ['names as git prints them', '"gr\\303\\274n\\t.txt"\n"a\\"b"\n', ['grün\t.txt', 'a"b']],
  ['quotes that are a part of the name', '"a"\n"b\n"\n', ['"a"', '"b', '"']],
  ['quotes before a NUL', '"a\\nb"\0', ['"a\\nb"']],
])('reads %s', (_what, text, names) => {
  expect(read(text)).toEqual(names);
});

test('names that are not valid UTF-8 are known, the others are not affected', () => {
  const reader = new NameReader();
  reader.add(Buffer.concat([Buffer.from('ä\n'), Buffer.of(0xff, 0x61), Buffer.from('\r\nö\n"\\377b"\n')]));
  reader.end();
  expect(reader.list.names).toEqual(['ä', '\ufffda', 'ö', '\ufffdb']);
  expect([...reader.list.lossyNames]).toEqual(['\ufffda', '\ufffdb']);
});

test.each([true, false])('parts of any size give the same names, with NULs: %s', (hasNuls) => {
  const names = ['first', 'a\nb', ' x', 'grün', '😀', '"', '\r', '日本\u2028', 'last'];
  const bytes = Buffer.from(names.map((name) => (hasNuls ? `${name}\0` : `${quotePath(name)}\n`)).join(''));
  // The first NUL comes with the first part, as it does from a program that writes whole names.
  const first = hasNuls ? bytes.indexOf(0) + 1 : 0;
  for (let size = 1; size <= bytes.length; size++) {
    const parts = Array.from({ length: Math.ceil((bytes.length - first) / size) }, (_, index) =>
      bytes.subarray(first + index * size, first + (index + 1) * size),
    );
    expect(read(bytes.subarray(0, first), ...parts), `parts of ${size}`).toEqual(names);
  }
});

test.skipIf(process.platform !== 'linux')('git lists unusual names so that they are read back', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'cairn-names-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const names = ['grün.txt', 'a\tb\n.txt', 'back\\slash', '"quoted"', 'bell\u0007\u001b', 'plain'];
  for (const name of names) writeFileSync(join(cwd, name), '');
  execFileSync('git', ['init', '--quiet'], { cwd });
  execFileSync('git', ['add', '--all'], { cwd });
  for (const flags of [[], ['-z'], ['--full-name']]) {
    const output = execFileSync('git', ['-c', 'core.quotePath=true', 'ls-files', ...flags], { cwd });
    expect(read(output).toSorted()).toEqual(names.toSorted());
  }
});
