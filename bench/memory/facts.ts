import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { median, textOf, time } from './texts.ts';

/** The figures of one store with many facts. Times in milliseconds. */
export interface ManyFacts {
  readonly what: string;
  readonly facts: number;
  /** Of 120 facts. */
  readonly kept: number;
  readonly rememberFirst: number;
  readonly rememberLast: number;
  readonly recall: number;
  /** The first one of another process. */
  readonly recallElsewhere: number;
  readonly list: number;
  readonly startBlock: number;
  /** Of a fact that was just remembered, with its text erased from the store. */
  readonly forget: number;
}

const PROJECT = 'p';
/** `remember` is measured with this many of the first and of the last facts. */
const MEASURED = 200;
/** The facts that are remembered and forgotten. */
const FORGOTTEN = 50;

async function remember({ facts }: Memory, from: number, to: number): Promise<number> {
  const times: number[] = [];
  for (let index = from; index < to; index++) times.push(await time(() => facts.remember(textOf(index))));
  return median(times);
}

async function forget({ facts }: Memory): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < FORGOTTEN; index++) {
    const { fact } = await facts.remember(`to forget ${textOf(index)}`);
    times.push(await time(() => facts.forget(fact.id)));
  }
  return median(times);
}

/** Remembers facts one by one, reads them, and forgets some. */
export async function measureFacts(
  what: string,
  { open, facts: count }: { readonly open: () => MemoryBackend; readonly facts: number },
): Promise<ManyFacts> {
  const memory = createMemory({ backend: open(), project: PROJECT });
  const { facts } = memory;
  for (let index = 0; index < 120; index++) await facts.remember(`of the user ${textOf(index)}`, { scope: 'user' });
  const { total: kept } = await facts.list({ scope: 'user' });
  const rememberFirst = await remember(memory, 0, MEASURED);
  await remember(memory, MEASURED, count - MEASURED);
  const rememberLast = await remember(memory, count - MEASURED, count);
  const { total } = await facts.list({ scope: 'project' });
  if (total !== count) throw new Error(`${total} facts instead of ${count}`);
  const query = '表格内容 redis timeout 7777';
  const other = createMemory({ backend: open(), project: PROJECT });
  await other.backend.now();
  const recallElsewhere = await time(() => other.facts.recall({ query }));
  await other.close();
  const repeat = async (run: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 10; round++) times.push(await time(run));
    return median(times);
  };
  const recall = await repeat(() => facts.recall({ query }));
  const list = await repeat(() => facts.list());
  // Each size is another block: one that is kept would cost nothing.
  let maxCharacters = 2000;
  const startBlock = await repeat(() => facts.startBlock({ maxCharacters: maxCharacters++ }));
  const forgetOne = await forget(memory);
  await memory.close();
  const reads = { recall, recallElsewhere, list, startBlock };
  return { what, facts: count, kept, rememberFirst, rememberLast, ...reads, forget: forgetOne };
}
