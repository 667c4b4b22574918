/** A store with an overwritten page, and the records that its export must have. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { createMemoryTools } from '@cairn/memory/tools';
import { textOf } from '@cairn/tool';

export const PAGE_BYTES = 4096;

/** Something that is in each part of a record's text, and no word that is found, so that only the record's own pages have it. */
function markOf(number: number): string {
  return `|${number.toString(2).padStart(12, '0').replaceAll('0', '<').replaceAll('1', '>')}|`;
}

/** A record of every seventeenth number has several pages of its own. */
function textOfRecord(number: number): string {
  const mark = markOf(number);
  return `${mark} record ${number} of redis ${number % 7} ${mark.repeat(number % 17 === 0 ? 900 : 6)}`;
}

/** A store as it was before the damage. */
export interface SoundStore {
  readonly bytes: Buffer;
  readonly pages: number;
  /** The lines of its export, each with the mark of its record. */
  readonly lines: ReadonlyMap<string, string>;
}

export async function exportOf(memory: Memory): Promise<{ readonly lines: string[]; readonly problems: string[] }> {
  const problems: string[] = [];
  const lines = await Array.fromAsync(memory.export({ onProblem: ({ message }) => problems.push(message) }));
  return { lines: lines.filter((line) => !line.startsWith('{"kind":"export"')), problems };
}

export function openStore(path: string): Memory {
  return createMemory({ backend: sqlite({ path }), project: 'p', retention: { maxMessages: Infinity } });
}

/** Fills a store with facts, messages and documents, and reads its bytes. */
export async function soundStore(path: string, facts: number): Promise<SoundStore> {
  const memory = openStore(path);
  const now = Date.now();
  const numbers = Array.from({ length: facts }, (_, index) => index);
  await memory.import(
    numbers.map((number) => {
      if (number % 5 === 4) {
        const line = { kind: 'message', stream: 's', group: `g${number % 30}`, id: `m${number}`, role: 'user' };
        return JSON.stringify({ ...line, time: now - number, content: textOfRecord(number) });
      }
      const fact = { id: `f${number}`, text: textOfRecord(number), tags: [], createdAt: now, updatedAt: now + number };
      return JSON.stringify({ kind: 'fact', scope: 'project', project: `p${number % 4}`, fact });
    }),
  );
  const documents = memory.namespace('n');
  for (const number of [0, 1, 2]) {
    await documents.swap(`d${number}`, {
      expected: undefined,
      next: `${markOf(4000 + number).repeat(number * 500 + 1)}\n`,
    });
  }
  const { lines, problems } = await exportOf(memory);
  await memory.close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  // So that no page has a part of a record that is elsewhere now.
  const database = new DatabaseSync(path);
  database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const bytes = readFileSync(path);
  const marked = lines.map((line): [string, string] => [line, /\|[<>]{12}\|/u.exec(line)?.[0] ?? '']);
  if (marked.some(([, mark]) => mark === '')) throw new Error('a line without a mark');
  return { bytes, pages: bytes.length / PAGE_BYTES, lines: new Map(marked) };
}

/** Overwrites a page of a store in a new file. */
export function writeDamaged(path: string, { bytes }: SoundStore, page: number, content: Buffer): void {
  const damaged = Buffer.from(bytes);
  content.copy(damaged, (page - 1) * PAGE_BYTES, 0, PAGE_BYTES);
  writeFileSync(path, damaged, { mode: 0o600 });
}

/** Compares the export of a damaged store with what its pages had, and returns the differences. */
export async function differencesOf(path: string, store: SoundStore, page: number): Promise<string[]> {
  const memory = openStore(path);
  try {
    const { lines, problems } = await exportOf(memory);
    const differences: string[] = [];
    if (problems.length === 0) differences.push('the damage was not reported');
    const found = new Set(lines);
    for (const line of found) if (!store.lines.has(line)) differences.push(`not in the store: ${line.slice(0, 200)}`);
    const overwritten = store.bytes.subarray((page - 1) * PAGE_BYTES, page * PAGE_BYTES);
    const missing = [...store.lines].filter(([line]) => !found.has(line));
    for (const [line, mark] of missing) {
      if (!overwritten.includes(mark)) differences.push(`lost, but on another page: ${line.slice(0, 200)}`);
    }
    const lost = problems
      .map((one) => Number(/^Lost (\d+) /u.exec(one)?.[1] ?? 0))
      .reduce((sum, count) => sum + count, 0);
    if (lost !== missing.length) differences.push(`${missing.length} records are lost, and ${lost} were reported`);
    return differences.map((one) => `page ${page}: ${one}`);
  } finally {
    await memory.close();
  }
}

/** Returns the first answers of the tools on a store. */
export async function firstAnswersOf(path: string): Promise<{ readonly recall: string; readonly remember: string }> {
  const answers: string[] = [];
  for (const [name, input] of [
    ['recall', { query: 'record 7 of redis' }],
    ['remember', { text: 'the store has a new fact' }],
  ] as const) {
    const memory = openStore(path);
    const tools = createMemoryTools({ memory });
    answers.push(textOf(await tools[name].execute(input as never)));
    await memory.close();
  }
  const [recall = '', remember = ''] = answers;
  return { recall, remember };
}
