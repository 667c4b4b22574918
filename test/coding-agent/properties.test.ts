import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

/** How many files each property writes; each costs a few fsyncs. */
const RUNS = 150;

interface Place {
  readonly root: string;
  readonly tools: CodingTools;
  readonly file: string;
}

function place(): Place {
  const root = temporaryDirectory();
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory(), policy: { staleGuard: 'off' } });
  return { root, tools, file: join(root, 'file') };
}

/** Bytes of all kinds, with more line ends, spaces and pieces of characters than chance has. */
const bytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .constantFrom('\r\n', '\n', '\r', ' ', '\t', '  \n', '\u00e9', '\u201c', '\ufeff', '$&')
        .map((text) => Buffer.from(text)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

/** Whether the file is what an edit takes for text, one byte after the other. */
function isPlainText(content: Buffer): boolean {
  const isUtf16 =
    content.subarray(0, 2).equals(Buffer.of(0xff, 0xfe)) || content.subarray(0, 2).equals(Buffer.of(0xfe, 0xff));
  return !isUtf16 && !content.includes(0);
}

test('a patch of a file of random lines changes no byte of another line', async () => {
  const { root, tools, file } = place();
  const line = bytes.map((content) => content.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0));
  const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, lines, fc.constantFrom('\n', '\r\n', ''), async (above, below, lineEnd) => {
      const join = (all: readonly (readonly [Uint8Array, string])[]): Buffer =>
        Buffer.concat(all.flatMap(([content, end]) => [content, Buffer.from(end)]));
      // Only a last line may lack its end.
      const rest = lineEnd === '' ? Buffer.alloc(0) : join(below);
      const content = (mark: string): Buffer => Buffer.concat([join(above), Buffer.from(mark + lineEnd), rest]);
      const before = content('<the line>');
      fc.pre(isPlainText(before));
      writeFileSync(file, before);
      const patch = ['*** Begin Patch', '*** Update File: file', '@@', '-<the line>', '+another', '*** End Patch', ''];
      expect(await tools.patch.execute({ patch: patch.join('\n') })).toMatchObject({ isError: false });
      expect(readFileSync(file)).toEqual(content('another'));
      expect(readdirSync(root)).toEqual(['file']);
    }),
    { numRuns: RUNS },
  );
});

type Change =
  | { readonly kind: 'write'; readonly content: string }
  | { readonly kind: 'edit'; readonly old_text: string; readonly new_text: string; readonly replace_all: boolean }
  | { readonly kind: 'patch'; readonly patch: string };

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const part = fc.constantFrom('', 'a', 'b', 'ab', '\n', 'a\nb', '\u201ca\u201d', '"a"', '\ud800', '  a', '\ta\n');
const calls: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), content: text }),
  fc.record({ kind: fc.constant('edit' as const), old_text: part, new_text: part, replace_all: fc.boolean() }),
  fc.record({
    kind: fc.constant('patch' as const),
    patch: fc.array(part).map((parts) => `*** Begin Patch\n*** Update File: file\n${parts.join('\n')}`),
  }),
);

function run(tools: CodingTools, change: Change): Promise<ToolResult> {
  const path = 'file';
  if (change.kind === 'write') return tools.write.execute({ path, content: change.content });
  if (change.kind === 'patch') return tools.patch.execute({ patch: change.patch });
  const { old_text, new_text, replace_all } = change;
  return tools.edit.execute({ path, edits: [{ old_text, new_text, replace_all }] });
}

test('whatever call is rejected, no byte changes; whatever is written, is there', async () => {
  const { root, tools, file } = place();
  const outcomes = { done: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(bytes, calls, async (content, call) => {
      writeFileSync(file, content);
      const answer = await run(tools, call);
      outcomes[answer.isError ? 'refused' : 'done']++;
      const found = readFileSync(file);
      expect(found.equals(content)).toBe(answer.isError);
      expect(readdirSync(root)).toEqual(['file']);
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0);
});

/** Files over the size from which the memory of one is used for the next; of some the edits fail. */
const LARGE_BYTES = 600_000;

test('edits of large files, in sequence and at once, see no byte of one another', async () => {
  const root = temporaryDirectory();
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  const change = fc.record({
    file: fc.nat(2),
    line: fc.nat(6000),
    text: fc.stringMatching(/^[a-z]{0,200}$/u),
    wait: fc.boolean(),
  });
  const lineOf = (file: number, line: number): string => `file ${file} line ${line};${'.'.repeat(100)}`;
  const expected = [0, 1, 2].map((file) => {
    const count = Math.ceil((LARGE_BYTES * (file + 1)) / 110);
    return Array.from({ length: count }, (_, line) => lineOf(file, line));
  });
  const pathOf = (file: number): string => `file-${file}`;
  for (const [file, lines] of expected.entries()) writeFileSync(join(root, pathOf(file)), lines.join('\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const running: Promise<void>[] = [];
      for (const { file, line, text, wait } of changes) {
        const lines = expected[file] ?? [];
        const old_text = lines[line] ?? 'no such line';
        const isThere = lines.filter((other) => other.includes(old_text)).length === 1;
        const new_text = `${lineOf(file, line)}${text}`;
        const isChange = new_text !== old_text;
        if (isThere && isChange) lines[line] = new_text;
        const call = tools.edit.execute({ path: pathOf(file), edits: [{ old_text, new_text }] }).then((answer) => {
          expect(answer.isError).toBe(!(isThere && isChange));
        });
        if (wait) await call;
        running.push(call);
      }
      await Promise.all(running);
      for (const [file, lines] of expected.entries()) {
        const content = readFileSync(join(root, pathOf(file)));
        expect(content.toString()).toBe(lines.join('\n'));
        const page = await tools.read.execute({ path: pathOf(file), limit: 1 });
        const hash = createHash('sha1').update(content).digest('hex');
        expect(textOf(page)).toContain(`tag ${hash.slice(0, 8)}`);
      }
    }),
    { numRuns: 25 },
  );
});
