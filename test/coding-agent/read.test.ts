import { textOf } from '@cairn/tool';
import { expect, test } from 'vitest';
import { file, symlink } from '../support/tree.ts';
import { call, createBench, details, failure } from './support.ts';

const tag = '[0-9a-f]{8}';

test('a file is shown with its range, size and content tag', async () => {
  const { tools } = createBench({ 'a.txt': 'one\ntwo\n' });
  const result = await tools.read.execute({ path: 'a.txt' });
  expect(textOf(result)).toMatch(new RegExp(`^\\[a\\.txt: lines 1-2 of 2, 8 bytes, tag ${tag}\\]\none\ntwo$`, 'u'));
  expect(details(result)).toMatchObject({ kind: 'text', lines: ['one', 'two'], totalLines: 2, encoding: 'utf-8' });
});

const headers: readonly (readonly [reason: string, content: string | Uint8Array, header: RegExp])[] = [
  ['empty', '', /empty, 0 bytes/u],
  ['CRLF', 'a\r\nb\r\n', /lines 1-2 of 2.*CRLF line ends\]/u],
  ['mixed line ends', 'a\r\nb\n', /CRLF and LF line ends\]/u],
  ['a byte order mark', '\ufeffa', /byte order mark\]/u],
  ['bytes that are not valid UTF-8', Buffer.from([0x61, 0xff]), /\ufffd stands for bytes that are not valid utf-8\]/u],
  ['UTF-16 little endian', Buffer.from('\ufeffa\u0a0a\nb', 'utf16le'), /lines 1-2 of 2.*utf-16le\]\na\u0a0a\nb$/u],
  ['UTF-16 big endian', Buffer.from('\ufeffa\nb', 'utf16le').swap16(), /lines 1-2 of 2.*utf-16be\]\na\nb$/u],
];

test.each(headers)('the header says: %s', async (_reason, content, header) => {
  const { tools } = createBench({ 'a.txt': content });
  expect(textOf(await tools.read.execute({ path: 'a.txt' }))).toMatch(header);
});

const encodings: readonly (readonly [label: string, bytes: number[], text: string])[] = [
  ['windows-1252', [0x63, 0x61, 0x66, 0xe9], 'caf\u00e9'],
  ['latin1', [0xfc], '\u00fc'],
  ['shift_jis', [0x82, 0xa0], '\u3042'],
  ['utf-16le', [0x61, 0x00], 'a'],
];

test.each(encodings)('%s is decoded when it is named', async (encoding, bytes, text) => {
  const { tools } = createBench({ 'a.txt': Buffer.from(bytes) });
  expect(details(await tools.read.execute({ path: 'a.txt', encoding }))).toMatchObject({ lines: [text] });
});

test('an unknown encoding is rejected by name', async () => {
  const { tools } = createBench({ 'a.txt': 'a' });
  expect(failure(await tools.read.execute({ path: 'a.txt', encoding: 'klingon' }))).toMatch(/^ENCODING: .*"klingon"/u);
});

const numbers = (length: number): string => Array.from({ length }, (_, index) => `${index + 1}\n`).join('');

test('2,000 lines are shown, and the notice names the next call', async () => {
  const { tools } = createBench({ 'a.txt': numbers(4500) });
  const first = textOf(await tools.read.execute({ path: 'a.txt' }));
  expect(first).toMatch(/^\[a\.txt: lines 1-2000 of 4500/u);
  expect(first.endsWith('\n2000\n[cut by the number of lines: 2500 more lines; continue with offset=2001]')).toBe(true);
  const last = textOf(await tools.read.execute({ path: 'a.txt', offset: 4001 }));
  expect(last.split('\n').slice(1)).toEqual(numbers(4500).trim().split('\n').slice(4000));
});

test('50 KiB are shown', async () => {
  const { tools } = createBench({ 'a.txt': `${'x'.repeat(999)}\n`.repeat(100) });
  const text = textOf(await tools.read.execute({ path: 'a.txt' }));
  expect(text).toContain('[cut by the limit of 50.0 KB: 49 more lines; continue with offset=52]');
  expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024 + 200);
});

test('a line is cut at 2,000 characters, between characters', async () => {
  const { tools } = createBench({ 'a.txt': `${'x'.repeat(1999)}\u{1f600}yz\nb` });
  const text = textOf(await tools.read.execute({ path: 'a.txt' }));
  expect(text).toContain(`\n${'x'.repeat(1999)}\u2026 [4 more characters]\nb\n`);
  expect(text).toContain('[1 line cut to 2000 characters]');
});

test('a line of megabytes costs no more than its beginning', async () => {
  const { tools } = createBench({ 'a.txt': `first\n${'x'.repeat(3_000_000)}\nlast` });
  const text = textOf(await tools.read.execute({ path: 'a.txt' }));
  expect(text.length).toBeLessThan(3000);
  expect(text).toMatch(/\u2026 \[line cut\]\nlast/u);
});

test('a file above 16 MiB is read only for the page, and the tag names the bytes that it covers', async () => {
  const { tools } = createBench({ 'a.txt': 'some line or other\n'.repeat(1_000_000) });
  const result = await tools.read.execute({ path: 'a.txt', offset: 900_000, limit: 2 });
  expect(textOf(result)).toMatch(
    /^\[a\.txt: lines 900000-900001, 18\.1 MB, tag [0-9a-f]{8} of the first \d+ bytes\]\nsome.*\nsome.*\n\[cut by the number of lines: more lines follow; continue with offset=900002\]$/u,
  );
  expect(details(result)).not.toHaveProperty('totalLines');
});

test('an offset after the last line is rejected with the number of lines', async () => {
  const { tools } = createBench({ 'a.txt': 'a\nb' });
  expect(failure(await tools.read.execute({ path: 'a.txt', offset: 3 }))).toMatch(
    /^INVALID_INPUT: a\.txt has 2 lines/u,
  );
});

test('a directory gives its listing', async () => {
  const { tools } = createBench({ d: { 'b.txt': '', a: {}, link: symlink('b.txt') } });
  const result = await tools.read.execute({ path: 'd' });
  expect(textOf(result)).toBe('[d: 3 entries]\na/\nb.txt\nlink -> b.txt');
  expect(details(result)).toMatchObject({ kind: 'directory', total: 3 });
});

const images: readonly (readonly [type: string, bytes: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\nrest'],
  ['image/jpeg', '\xff\xd8\xff\xe0rest'],
  ['image/gif', 'GIF89arest'],
  ['image/webp', 'RIFF\x01\x02\x03\x04WEBPrest'],
];

test.each(images)('%s is an image part', async (mimeType, text) => {
  const bytes = Buffer.from(text, 'latin1');
  const { tools } = createBench({ image: bytes });
  const result = await tools.read.execute({ path: 'image' });
  expect(result.content[1]).toEqual({ type: 'image', mimeType, data: bytes.toString('base64') });
  expect(tools.read.toModelOutput({ output: result })).toMatchObject({
    type: 'content',
    value: [{ type: 'text' }, { type: 'file', mediaType: mimeType }],
  });
});

test('an image that is too large is rejected with its size', async () => {
  const { tools } = createBench({
    image: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(4e6)]),
  });
  expect(failure(await tools.read.execute({ path: 'image' }))).toMatch(/^TOO_LARGE: image is a PNG image of 3\.8 MB/u);
});

const binaries: readonly (readonly [type: string, bytes: Uint8Array])[] = [
  ['ELF program or library', Buffer.from('\x7fELF\x02\x01\x01\0\0', 'latin1')],
  ['PDF document', Buffer.from('%PDF-1.7\n\0\0')],
  ['binary data', Buffer.from('some\0thing')],
];

test.each(binaries)('%s is rejected with type and size', async (type, bytes) => {
  const { tools } = createBench({ blob: bytes });
  const text = failure(await tools.read.execute({ path: 'blob' }));
  expect(text).toContain(`BINARY: blob is not a text file: ${type}, ${bytes.length} bytes.`);
});

test('a NUL after the probed bytes makes the page binary', async () => {
  const { tools } = createBench({ a: `${'x\n'.repeat(5000)}\0` });
  expect(details(await tools.read.execute({ path: 'a', limit: 10 }))).toMatchObject({ lines: Array(10).fill('x') });
  expect(failure(await tools.read.execute({ path: 'a', offset: 5001 }))).toMatch(/^BINARY/u);
});

test('a path with only the letters of a missing file is not a near name', async () => {
  const { tools } = createBench({ pages: { with: { hints: { for: { agents: { in: { 'coloured.md': '' } } } } } } });
  expect(failure(await tools.read.execute({ path: 'gitignore' }))).not.toContain('Did you mean');
});

test('a missing file answers with near names', async () => {
  const { tools } = createBench({
    src: { 'handler.ts': '', 'handlers.ts': '', 'other.md': '' },
    lib: { 'util.ts': '' },
  });
  expect(failure(await tools.read.execute({ path: 'src/handlr.ts' }))).toMatch(
    /^NOT_FOUND: src\/handlr\.ts does not exist\. Did you mean src\/handlers?\.ts, src\/handlers?\.ts\?/u,
  );
  expect(failure(await tools.read.execute({ path: 'src/util.ts' }))).toContain('Did you mean lib/util.ts?');
  expect(failure(await tools.read.execute({ path: 'wrong/util.ts' }))).toContain('Did you mean lib/util.ts?');
  expect(failure(await tools.read.execute({ path: 'qqqqq' }))).toContain(
    'Check the path: list the directory it should be in.',
  );
});

test('a link is followed', async () => {
  const { tools } = createBench({ a: 'text', link: symlink('a') });
  expect(details(await tools.read.execute({ path: 'link' }))).toMatchObject({ path: 'link', lines: ['text'] });
});

test('numbers as text, other names and null are accepted', async () => {
  const { tools } = createBench({ a: file('1\n2\n3\n') });
  for (const name of ['path', 'file_path', 'filePath']) {
    const result = await call(tools.read, { [name]: 'a', offset: '2', limit: ' 1 ', encoding: null });
    expect(details(result)).toMatchObject({ lines: ['2'] });
  }
});
