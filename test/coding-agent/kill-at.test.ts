/**
 * A process dies before one of the operations of a call, or in the middle of a write. One moment in four is tried, beginning at
 * random; `CAIRN_KILLS=500 npm test -- ts test/coding-agent/kill-at.test.ts` tries all of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCodingTools } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { removeTree, newDirectory, writeTree } from '../support/tree.ts';
import { deadlyCalls, filesAfter, filesBefore } from './kill-at-calls.ts';

const MAX_MS = 5 * 60_000;
/** The moments are tried side by side. */
const AT_ONCE = 4;

const STRIDE = process.env['CAIRN_KILLS'] === undefined ? 4 : 1;

const child = fileURLToPath(new URL('kill-at-child.ts', import.meta.url));
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/cairn-compile', import.meta.url));

/** Whether the process died; it did not when its call has fewer operations. */
async function dies(root: string, state: string, call: string, moment: number): Promise<boolean> {
  const running = spawn(process.execPath, [child, root, state, call, `${moment}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  let trouble = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
  const [code, signal] = await once(running, 'close');
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${call}, moment ${moment}: ${trouble}`);
  return signal === 'SIGKILL';
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Runs a call that is killed at one operation, starts again, and returns what is wrong. */
async function tryMoment(call: string, moment: number): Promise<{ died: boolean; wrong: string[] }> {
  const base = newDirectory();
  try {
    const [root, state] = [join(base, 'root'), join(base, 'state')];
    writeTree(root, filesBefore);
    mkdirSync(state);
    linkSync(join(root, 'hard/one.txt'), join(root, 'hard/two.txt'));
    const before: Readonly<Record<string, string>> = {
      ...filesBefore,
      'hard/two.txt': filesBefore['hard/one.txt'] ?? '',
    };
    const died = await dies(root, state, call, moment);
    const tools = createCodingTools({ root, stateDirectory: state });
    await tools.ls.execute({ path: '.' });

    const temporary = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes('.cairn-'),
    );
    const wrong = [...temporary, ...readdirSync(state)].map((path) => `${path} is left`);
    for (const path of new Set([...Object.keys(before), ...Object.keys(filesAfter[call] ?? {})])) {
      const found = contentOf(join(root, path));
      const allowed = [
        ...(died ? [before[path]] : []),
        path in (filesAfter[call] ?? {}) ? filesAfter[call]?.[path] : before[path],
      ];
      if (!allowed.includes(found)) wrong.push(`${path} holds ${found?.slice(0, 20)}, ${found?.length} characters`);
    }
    if (contentOf(join(root, 'hard/one.txt')) !== contentOf(join(root, 'hard/two.txt')))
      wrong.push('the hard link is torn');
    if (call === 'rename' && existsSync(join(root, 'a.txt')) === existsSync(join(root, 'm/a.txt')))
      wrong.push('not at one place');
    return { died, wrong: wrong.map((what) => `moment ${moment}: ${what}`) };
  } finally {
    removeTree(base);
  }
}

test.each(Object.keys(deadlyCalls))(
  'whenever a process dies under a %s, every file is old or new after the next start',
  async (call) => {
    const wrong: string[] = [];
    let deaths = 0;
    let moment = Math.floor(Math.random() * STRIDE);
    for (let over = false; !over; moment += AT_ONCE * STRIDE) {
      const moments = Array.from({ length: AT_ONCE }, (_, index) => moment + index * STRIDE);
      const tried = await Promise.all(moments.map((one) => tryMoment(call, one)));
      deaths += tried.filter(({ died }) => died).length;
      wrong.push(...tried.flatMap((one) => one.wrong));
      over = tried.some(({ died }) => !died);
    }
    expect(wrong).toEqual([]);
    expect(deaths).toBeGreaterThan(0);
  },
  MAX_MS,
);
