/**
 * A process dies before each operation of a call, or in the middle of a write; so does the next one that recovers, at a random
 * operation. `CAIRN_KILLS=500 npm test -- ts test/coding-agent/kill-at.test.ts` lets it die at each one.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCodingTools } from '@cairn/coding-agent';
import type { CodingTools, ToolPolicy } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import { expect, test } from 'vitest';
import { newDirectory, removeTree, writeTree } from '../support/tree.ts';
import { deadlyCalls, filesBefore, hardLink } from './kill-at-calls.ts';
import type { DeadlyCall } from './kill-at-calls.ts';
import { createMortalOperations } from './mortal-operations.ts';
import { details } from './support.ts';

const MAX_MS = 10 * 60_000;
const isLong = process.env['CAIRN_KILLS'] !== undefined;
const policy: ToolPolicy = { staleGuard: 'off' };

interface Place {
  readonly root: string;
  readonly stateDirectory: string;
}

async function inPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const base = newDirectory();
  try {
    const place = { root: join(base, 'root'), stateDirectory: join(base, 'state') };
    writeTree(place.root, filesBefore);
    mkdirSync(place.stateDirectory, { mode: 0o700 });
    linkSync(join(place.root, 'hard/one.txt'), join(place.root, hardLink));
    return await use(place);
  } finally {
    removeTree(base);
  }
}

/** Runs a call that dies at an operation. Returns false when the call has fewer. */
async function dies(place: Place, moment: number, run: (tools: CodingTools) => Promise<unknown>): Promise<boolean> {
  const { operations, died } = createMortalOperations(moment);
  return (await Promise.race([run(createCodingTools({ ...place, operations, policy })), died])) === 'died';
}

function contents(root: string, paths: readonly string[]): Record<string, string | undefined> {
  const entries = paths.map((path) => {
    const file = join(root, path);
    return [path, existsSync(file) ? readFileSync(file, 'utf8') : undefined];
  });
  return Object.fromEntries(entries) as Record<string, string | undefined>;
}

/** Starts again and returns what is wrong. */
async function problems({ root, stateDirectory }: Place, { after }: DeadlyCall): Promise<string[]> {
  details(await createCodingTools({ root, stateDirectory }).ls.execute({}));
  const left = [
    ...readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.cairn-|\.saved-/u.test(path)),
    ...readdirSync(stateDirectory),
  ];
  const before: Readonly<Record<string, unknown>> = { ...filesBefore, [hardLink]: filesBefore['hard/one.txt'] };
  const found = contents(root, [...new Set([...Object.keys(before), ...Object.keys(after)])]);
  const differs = (wanted: Readonly<Record<string, unknown>>): string[] =>
    Object.keys(found).filter((path) => found[path] !== wanted[path]);
  const [old, fresh] = [differs(before), differs({ ...before, ...after })];
  const half = old.length > 0 && fresh.length > 0 ? [`not old: ${old.join(', ')}; not new: ${fresh.join(', ')}`] : [];
  return [...left.map((path) => `${path} is left`), ...half];
}

test.each(Object.entries(deadlyCalls))(
  'whenever a process dies under a %s, all files are old or all are new after the next start, whenever that dies, too',
  async (_, call) => {
    const wrong: string[] = [];
    let deaths = 0;
    const recover = (tools: CodingTools): Promise<unknown> => tools.ls.execute({});
    for (let isOver = false, moment = 0; !isOver; moment++) {
      for (let second = isLong ? 0 : Math.floor(Math.random() * 60), isLast = false; !isLast; second++) {
        await inPlace(async (place) => {
          const hasDied = await dies(place, moment, async (tools) => {
            const answer = await call.run(tools);
            if (answer.isError) throw new Error(textOf(answer));
          });
          isOver = !hasDied;
          deaths += Number(hasDied);
          isLast = isOver || !(await dies(place, second, recover)) || !isLong;
          const found = await problems(place, call);
          wrong.push(...found.map((what) => `died at ${moment}, recovery at ${second}: ${what}`));
        });
      }
    }
    expect(wrong).toEqual([]);
    expect(deaths).toBeGreaterThan(20);
  },
  MAX_MS,
);
