import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { median, textOf, time } from './texts.ts';

/** The figures of one store with many messages. Times in milliseconds. */
export interface Large {
  readonly what: string;
  readonly addEach: number;
  readonly addBatch: number;
  readonly historyNewest: number;
  readonly historyAll: number;
  readonly retrieveFirst: number;
  readonly retrieveAgain: number;
  /** The first search of another process, which finds the term index in the store. */
  readonly retrieveElsewhere: number;
  readonly bytes: number;
  readonly textBytes: number;
}

/** Adds messages to one group without limits, the first tenth one by one, and searches for them. */
export async function measureLarge(
  what: string,
  {
    open,
    bytesOf,
    messages,
  }: { readonly open: () => MemoryBackend; readonly bytesOf: () => Promise<number>; readonly messages: number },
): Promise<Large> {
  const retention = { maxMessages: Infinity, messageLifetimeMs: Infinity };
  const memory = createMemory({ backend: open(), retention });
  const place = { stream: 's', group: 'g' };
  const single = Math.floor(messages / 10);
  await memory.messages.history(place);
  const each = await time(async () => {
    for (let index = 0; index < single; index++) await memory.messages.add(place, { content: textOf(index) });
  });
  const batch = await time(async () => {
    for (let start = single; start < messages; start += 200) {
      const end = Math.min(start + 200, messages);
      await memory.messages.addAll(
        place,
        Array.from({ length: end - start }, (_, offset) => ({ content: textOf(start + offset) })),
      );
    }
  });
  const newest: number[] = [];
  for (let round = 0; round < 20; round++) newest.push(await time(() => memory.messages.history(place, { limit: 50 })));
  const historyAll = await time(async () => {
    const { length } = await memory.messages.history(place);
    if (length !== messages) throw new Error(`${length} messages instead of ${messages}`);
  });
  const query = '表格内容 redis timeout 77777';
  const ask = (): Promise<unknown> => memory.recall({ ...place, query, limit: 10 });
  const retrieveFirst = await time(ask);
  const again: number[] = [];
  for (let round = 0; round < 5; round++) again.push(await time(ask));
  const other = createMemory({ backend: open(), retention });
  await other.messages.history(place, { limit: 1 });
  const retrieveElsewhere = await time(() => other.recall({ ...place, query, limit: 10 }));
  await other.close();
  await memory.close();
  const textBytes = Array.from({ length: messages }, (_, index) => Buffer.byteLength(textOf(index))).reduce(
    (a, b) => a + b,
    0,
  );
  return {
    what,
    addEach: each / single,
    addBatch: batch / (messages - single),
    historyNewest: median(newest),
    historyAll,
    retrieveFirst,
    retrieveAgain: median(again),
    retrieveElsewhere,
    bytes: await bytesOf(),
    textBytes,
  };
}
