import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCodingTools } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

const child = fileURLToPath(new URL('parallel-child.ts', import.meta.url));
const MINUTES_MS = 5 * 60_000;

function lines(workers: number, edits: number, state: string): string {
  return Array.from({ length: edits }, (_, edit) =>
    Array.from({ length: workers }, (__, worker) => `worker ${worker} edit ${edit} ${state}\n`).join(''),
  ).join('');
}

async function run(args: readonly string[]): Promise<void> {
  const running = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let trouble = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
  const [code] = await once(running, 'close');
  expect(code, trouble).toBe(0);
}

test.each([
  ['without a check', 'off', 8, 100],
  ['with the guard against stale files', 'strict', 4, 10],
])(
  'processes that edit one file at the same time, %s, lose no edit',
  async (_reason, guard, workers, edits) => {
    const [root, state] = [temporaryDirectory(), temporaryDirectory()];
    const shared = join(root, 'shared.txt');
    writeFileSync(shared, lines(workers, edits, 'to do'));
    await Promise.all(
      Array.from({ length: workers }, (_, worker) => run([root, state, `${worker}`, `${edits}`, guard])),
    );
    expect(readFileSync(shared, 'utf8')).toBe(lines(workers, edits, 'done'));
    expect([readdirSync(root), readdirSync(state)]).toEqual([['shared.txt'], []]);
  },
  MINUTES_MS,
);

test('calls of two sets of tools in one process lose no edit either', async () => {
  const [root, stateDirectory] = [temporaryDirectory(), temporaryDirectory()];
  const shared = join(root, 'shared.txt');
  writeFileSync(shared, lines(2, 50, 'to do'));
  const sets = [0, 1].map(() => createCodingTools({ root, stateDirectory, policy: { staleGuard: 'off' } }));
  await Promise.all(
    sets.flatMap((tools, worker) =>
      Array.from({ length: 50 }, async (_, edit) => {
        const name = `worker ${worker} edit ${edit}`;
        const edits = [{ old_text: `${name} to do\n`, new_text: `${name} done\n` }];
        expect(await tools.edit.execute({ path: 'shared.txt', edits })).toMatchObject({ isError: false });
      }),
    ),
  );
  expect(readFileSync(shared, 'utf8')).toBe(lines(2, 50, 'done'));
});
