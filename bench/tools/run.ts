/**
 * How long do the tools take on large files?
 *
 *     npm run bench -- tools [--rounds 15] [--case <part of a title>]... [--json]
 *
 * Each case runs in a process of its own. "Besides the fsync" is the whole time less that spent in waiting for the disk: leaving
 * the fsync out would not do, since ext4 then begins to write the new file in the rename that replaces the old one.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools, FileOperations } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { readMemory } from '../lib/memory.ts';
import { median } from '../lib/statistics.ts';

const MIB = 1024 * 1024;
const LINE_BYTES = 80;
const EDITED_BYTES = 10 * MIB;
const READ_BYTES = 1024 * MIB;

interface Case {
  readonly title: string;
  readonly fileBytes: number;
  /** For what takes seconds. */
  readonly maxRounds?: number;
  /** The time spent waiting for the disk is subtracted. */
  readonly unsynced?: boolean;
  /** Calls in a row; the figure is their mean, garbage collection included. */
  readonly calls?: number;
  readonly goal?: { readonly ms: number; readonly mb?: number };
  run(tools: CodingTools, round: number): Promise<ToolResult>;
}

function lineOf(number: number): string {
  return `line ${number} `.padEnd(LINE_BYTES - 1, '.');
}

function lineCount(bytes: number): number {
  return Math.floor(bytes / LINE_BYTES);
}

/** Changes a line back and forth. */
function editAt(share: number, bytes: number = EDITED_BYTES): Case['run'] {
  const number = Math.max(1, Math.floor(lineCount(bytes) * share));
  return (tools, round) => {
    const versions = [lineOf(number), lineOf(number).replace('line', 'LINE')];
    const [old_text = '', new_text = ''] = round % 2 === 0 ? versions : versions.toReversed();
    return tools.edit.execute({ path: 'file.txt', edits: [{ old_text, new_text }] });
  };
}

function readAt(share: number): Case['run'] {
  const offset = Math.max(1, Math.floor(lineCount(READ_BYTES) * share) - 500);
  return (tools) => tools.read.execute({ path: 'file.txt', offset, limit: 500 });
}

const places = [
  ['beginning', 0],
  ['middle', 0.5],
  ['end', 1],
] as const;

const cases: readonly Case[] = [
  ...places.map(([place, share]): Case => {
    const title = `edit of one line of 10 MiB, ${place}, besides the fsync`;
    return { title, fileBytes: EDITED_BYTES, unsynced: true, goal: { ms: 30 }, run: editAt(share) };
  }),
  ...[EDITED_BYTES, MIB].map((bytes): Case => {
    const calls = bytes === MIB ? 200 : 40;
    const title = `edits of one line of ${bytes / MIB} MiB, ${calls} in a row, besides the fsync`;
    return { title, fileBytes: bytes, maxRounds: 3, unsynced: true, calls, run: editAt(0.5, bytes) };
  }),
  ...places.map(([place, share]): Case => {
    const more = place === 'beginning' ? { goal: { ms: 20, mb: 8 } } : { maxRounds: 3 };
    return { title: `read of 500 lines of 1 GiB, ${place}`, fileBytes: READ_BYTES, ...more, run: readAt(share) };
  }),
];

interface Measured {
  readonly title: string;
  readonly medianMs: number;
  readonly minimumMs: number;
  /** The most memory that one call took in addition to what was there. */
  readonly peakMb: number;
  readonly answer: string;
}

function makeFile(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  const lines = lineCount(bytes);
  const BLOCK = 10_000;
  for (let from = 1; from <= lines; from += BLOCK) {
    const block = Array.from({ length: Math.min(BLOCK, lines - from + 1) }, (_, index) => `${lineOf(from + index)}\n`);
    writeSync(file, block.join(''));
  }
  closeSync(file);
}

/** File operations that say how long they waited for the disk. Nothing else of a call goes on meanwhile. */
function timingSyncs(): { readonly operations: FileOperations; readonly waitedMs: () => number } {
  let waited = 0;
  const timed = async (sync: () => Promise<void>): Promise<void> => {
    const start = performance.now();
    await sync();
    waited += performance.now() - start;
  };
  const operations: FileOperations = {
    ...nodeFileOperations,
    open: async (...args) => {
      const file = await nodeFileOperations.open(...args);
      return { ...file, sync: () => timed(() => file.sync()) };
    },
    syncDirectory: (path) => timed(() => nodeFileOperations.syncDirectory(path)),
  };
  return { operations, waitedMs: () => waited };
}

/** Calls that are not timed; their memory counts. */
const WARM_UP = 2;

/** Linux forgets the peak when 5 is written there. */
function forgetPeak(): void {
  writeFileSync('/proc/self/clear_refs', '5');
}

async function measure(one: Case, directory: string, rounds: number): Promise<Measured> {
  const { operations, waitedMs } = timingSyncs();
  const tools = createCodingTools({
    root: join(directory, 'root'),
    stateDirectory: join(directory, 'state'),
    operations,
  });
  const times: number[] = [];
  const peaks: number[] = [];
  await tools.read.execute({ path: 'small.txt' });
  let answer = '';
  for (let round = 0; round < Math.min(rounds, one.maxRounds ?? rounds) + WARM_UP; round++) {
    globalThis.gc?.();
    forgetPeak();
    const { residentMb } = readMemory('self');
    const waited = waitedMs();
    const start = performance.now();
    const { calls = 1 } = one;
    for (let call = 0; call < calls; call++) answer = textOf(await one.run(tools, round * calls + call));
    const ms = (performance.now() - start - (one.unsynced === true ? waitedMs() - waited : 0)) / calls;
    answer = answer.split('\n')[0] ?? '';
    peaks.push(readMemory('self').peakMb - residentMb);
    if (round >= WARM_UP) times.push(ms);
  }
  const [minimumMs, peakMb] = [Math.min(...times), Math.max(...peaks)];
  return { title: one.title, medianMs: median(times), minimumMs, peakMb, answer };
}

function measureApart(title: string, directory: string, rounds: number): Measured {
  const program = fileURLToPath(import.meta.url);
  const args = ['--expose-gc', program, '--inside', directory, '--case', title, '--rounds', `${rounds}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${title}: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

function line(one: Case, { title, medianMs, minimumMs, peakMb, answer }: Measured): string {
  const { goal } = one;
  const met = goal && medianMs <= goal.ms && (goal.mb === undefined || peakMb <= goal.mb);
  const wanted = goal
    ? `, goal ${goal.ms} ms${goal.mb === undefined ? '' : ` and ${goal.mb} MB`}: ${met ? 'met' : 'MISSED'}`
    : '';
  const figures = `median ${medianMs.toFixed(1)} ms, minimum ${minimumMs.toFixed(1)} ms, peak ${peakMb.toFixed(1)} MB`;
  return `${title}: ${figures}${wanted}\n    ${answer}`;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    case: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    /** A directory with the file, for the process of one case. */
    inside: { type: 'string' },
  },
});
const chosen = cases.filter(
  ({ title }) => values.case.length === 0 || values.case.some((part) => title.includes(part)),
);
const rounds = Number(values.rounds);
if (values.inside !== undefined) {
  const [one] = chosen;
  if (one === undefined) throw new Error('there is no such case');
  process.stdout.write(JSON.stringify(await measure(one, values.inside, rounds)));
} else {
  const all: Measured[] = [];
  for (const one of chosen) {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
    try {
      const root = join(directory, 'root');
      mkdirSync(root);
      makeFile(join(root, 'file.txt'), one.fileBytes);
      makeFile(join(root, 'small.txt'), LINE_BYTES);
      const measured = measureApart(one.title, directory, rounds);
      all.push(measured);
      if (!values.json) process.stdout.write(`${line(one, measured)}\n`);
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  if (values.json) process.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
}
