/**
 * How soon does `cairn grep` print its first line, counted from when Node itself would have started?
 *
 *     npm run bench -- first-line [--tree <directory>] [--rounds 20]
 *
 * The searched word is one that occurs first near the end of the first hundredth of the paths. Each round starts Node with one
 * line to print, then the command, and stops the command at its first line. The tree is the kernel's source, unless named.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FileType, glob, grep } from '@cairn/natives';
import { kernel } from '../lib/corpora/kernel.ts';
import { median } from '../lib/statistics.ts';

const { values } = parseArgs({ options: { tree: { type: 'string' }, rounds: { type: 'string', default: '20' } } });
const root = values.tree === undefined ? await kernel() : resolve(values.tree);
const rounds = Number(values.rounds);
const cairn = fileURLToPath(new URL('../../packages/cli/bin/cairn.js', import.meta.url));

const { matches: files } = await glob({ pattern: '**', path: root, hidden: true, fileType: FileType.File });
const paths = files.map(({ path }) => path);
const hundredth = Math.ceil(paths.length / 100);

/** Returns the word of the last file of the first hundredth with a first occurrence as far from the start as possible. */
async function chooseWord(): Promise<{ word: string; place: number }> {
  const text = readFileSync(join(root, paths[hundredth - 1] ?? ''), 'utf8');
  const words = [...new Set(text.match(/\w{6,}/gu))].toSorted((a, b) => b.length - a.length).slice(0, 20);
  const found = await Promise.all(
    words.map(async (word) => {
      const { matches } = await grep({ pattern: word, literal: true, path: root, maxCount: 1 });
      return { word, place: paths.indexOf(matches[0]?.path ?? '') };
    }),
  );
  const [last] = found.toSorted((a, b) => b.place - a.place);
  if (last === undefined) throw new Error(`no word in ${paths[hundredth - 1]}: name another --tree`);
  return last;
}

/** Returns the milliseconds from the start of Node to the first byte on its standard output. */
async function firstByte(args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const time = performance.now() - startMs;
  child.stdout.destroy();
  await once(child, 'close');
  return time;
}

const { word, place } = await chooseWord();
const times: { node: number[]; grep: number[]; more: number[] } = { node: [], grep: [], more: [] };
await firstByte([cairn, 'grep', word]);
for (let round = 0; round < rounds; round++) {
  const node = await firstByte(['--eval', "process.stdout.write('\\n')"]);
  const command = await firstByte([cairn, 'grep', word]);
  times.node.push(node);
  times.grep.push(command);
  times.more.push(command - node);
}

const show = (figures: readonly number[]): string =>
  `${median(figures).toFixed(0).padStart(6)} ms, at least ${Math.min(...figures).toFixed(0)} ms`;
process.stdout.write(
  `${root}: ${word} occurs first in path ${place + 1} of ${paths.length}; medians of ${rounds} rounds
Node alone                  ${show(times.node)}
first line of cairn grep    ${show(times.grep)}
after Node                  ${show(times.more)}
`,
);
