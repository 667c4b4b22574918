/**
 * Another program saves a file while a tool changes it. Whatever that program has saved is in the file afterwards: as it was saved,
 * or with the change of the tool. Otherwise the tool was rejected.
 */
import type { CodingTools, FileOperations } from '@cairn/coding-agent';
import { nodeFileOperations } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { textOf } from '@cairn/tool';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { editorSaves } from './editor-save.ts';
import { createBench } from './support.ts';

const ROUNDS = Number(process.env['CAIRN_RACES'] ?? 300);
const MAX_MS = 10 * 60_000;

const BASE = 'base\nold\n';
const SAVED = 'saved\nold\n';
const patch = '*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n*** End Patch\n';

const calls: Readonly<Record<string, (tools: CodingTools) => Promise<ToolResult>>> = {
  edit: (tools) => tools.edit.execute({ path: 'a', edits: [{ old_text: 'old', new_text: 'new' }] }),
  patch: (tools) => tools.patch.execute({ patch }),
  'patch with a move': (tools) => tools.patch.execute({ patch: patch.replace('@@', '*** Move to: b\n@@') }),
  write: (tools) => tools.write.execute({ path: 'a', content: 'base\nnew\n' }),
  rename: (tools) => tools.rename.execute({ from: 'a', to: 'b' }),
  delete: (tools) => tools.delete.execute({ path: 'a' }),
};

/** Whether a save is there: itself, or with the change that was made on it. After a rejected call it is in its place. */
function isKept(root: string, result: ToolResult): boolean {
  const contentOf = (name: string): string => readFileSync(join(root, name), 'utf8');
  if (result.isError) return existsSync(join(root, 'a')) && contentOf('a') === SAVED;
  return readdirSync(root).some((name) => [SAVED, SAVED.replace('old', 'new')].includes(contentOf(name)));
}

function describeLoss(root: string, result: ToolResult): string {
  const files = readdirSync(root).map((name) => `${name}: ${JSON.stringify(readFileSync(join(root, name), 'utf8'))}`);
  return `${files.join(', ')} after: ${textOf(result)}`;
}

/** The operations of this machine, with a call before each and one after each. */
function between(onGap: () => void): FileOperations {
  const wrap = <T extends object>(object: T): T =>
    Object.fromEntries(
      Object.entries(object).map(([name, run]) => [
        name,
        async (...values: unknown[]) => {
          onGap();
          const result: unknown = await (run as (...values: unknown[]) => unknown)(...values);
          onGap();
          return name === 'open' ? wrap(result as object) : result;
        },
      ]),
    ) as T;
  return wrap(nodeFileOperations);
}

test.each(['edit', 'write', 'patch'])(
  'permissions that another program sets between any two operations of %s are not lost',
  async (name) => {
    let gap = Number.NaN;
    let changeAt = 0;
    let path = '';
    let hasChanged = false;
    const operations = between(() => {
      if (gap++ !== changeAt) return;
      hasChanged = existsSync(path);
      if (hasChanged) chmodSync(path, 0o600);
    });
    const { tools, root } = createBench({ a: BASE }, undefined, { operations });
    path = join(root, 'a');
    const lost: string[] = [];
    let changes = 0;
    for (let isOver = false; !isOver; changeAt++) {
      for (const left of readdirSync(root)) rmSync(join(root, left), { recursive: true });
      writeFileSync(path, BASE);
      chmodSync(path, 0o644);
      await tools.read.execute({ path: 'a' });
      [gap, hasChanged] = [0, false];
      const result = (await calls[name]?.(tools)) as ToolResult;
      isOver = gap <= changeAt;
      gap = Number.NaN;
      if (hasChanged) changes++;
      const modes = readdirSync(root).map((file) => statSync(join(root, file)).mode & 0o7777);
      if (hasChanged && !modes.includes(0o600)) lost.push(`${changeAt}: ${describeLoss(root, result)}`);
    }
    expect(lost).toEqual([]);
    expect(changes).toBeGreaterThan(10);
  },
  MAX_MS,
);

describe.each(Object.keys(editorSaves))('a save %s', (way) => {
  test.each(Object.keys(calls))(
    'between any two operations of %s is not lost',
    async (name) => {
      let gap = Number.NaN;
      let saveAt = 0;
      let path = '';
      let hasSaved = false;
      const operations = between(() => {
        if (gap++ !== saveAt) return;
        hasSaved = existsSync(path);
        if (hasSaved) editorSaves[way]?.(path, SAVED);
      });
      const { tools, root } = createBench({ a: BASE }, undefined, { operations });
      path = join(root, 'a');
      const lost: string[] = [];
      let saves = 0;
      for (let isOver = false; !isOver; saveAt++) {
        for (const left of readdirSync(root)) rmSync(join(root, left), { recursive: true });
        writeFileSync(path, BASE);
        // A call that knows what it changes must reject anything else.
        await tools.read.execute({ path: 'a' });
        [gap, hasSaved] = [0, false];
        const result = (await calls[name]?.(tools)) as ToolResult;
        isOver = gap <= saveAt;
        gap = Number.NaN;
        if (hasSaved) saves++;
        if (hasSaved && !isKept(root, result)) lost.push(`${saveAt}: ${describeLoss(root, result)}`);
      }
      expect(lost).toEqual([]);
      expect(saves).toBeGreaterThan(10);
    },
    MAX_MS,
  );

  test(
    `of another process is not lost in ${ROUNDS} races with an edit`,
    async () => {
      let exchangedAt: bigint | undefined;
      const operations: FileOperations = {
        ...nodeFileOperations,
        exchange: async (left, right) => {
          const isDone = await nodeFileOperations.exchange(left, right);
          exchangedAt = process.hrtime.bigint();
          return isDone;
        },
      };
      const { tools, root } = createBench({ a: BASE }, { staleGuard: 'off' }, { operations });
      const editor = spawn(process.execPath, [fileURLToPath(new URL('editor-child.ts', import.meta.url))], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(async () => {
        editor.stdin.end();
        await once(editor, 'close');
      });
      const answers = createInterface({ input: editor.stdout })[Symbol.asyncIterator]();
      const lost: string[] = [];
      let [edited, refused] = [0, 0];
      let usualMs = 2;
      let round = 0;
      // The machine decides which of both is first.
      for (; round < ROUNDS || (edited === 0 && round < 10 * ROUNDS); round++) {
        writeFileSync(join(root, 'a'), BASE);
        exchangedAt = undefined;
        editor.stdin.write(`${JSON.stringify([way, join(root, 'a'), SAVED, Math.random() * usualMs * 1000])}\n`);
        const began = performance.now();
        const result = (await calls['edit']?.(tools)) as ToolResult;
        usualMs = (usualMs * 9 + performance.now() - began) / 10;
        const { value } = await answers.next();
        const [, over = 0n] = (JSON.parse(String(value)) as string[]).map(BigInt);
        if (result.isError) refused++;
        else edited++;
        // A save in place that is not over when the names are exchanged goes on in the old file, perhaps after the comparison.
        const isTooLate = way === 'in place' && exchangedAt !== undefined && over > exchangedAt;
        if (!isKept(root, result) && !isTooLate) lost.push(`${round}: ${describeLoss(root, result)}`);
      }
      expect(lost).toEqual([]);
      expect(edited + refused).toBe(round);
      expect(edited).toBeGreaterThan(0);
    },
    MAX_MS,
  );
});
