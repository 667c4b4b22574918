import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';

/** The time of an import into a group that has as many messages. */
export interface Import {
  readonly what: string;
  readonly messages: number;
  readonly olderMs: number;
  /** Between those that the group has. */
  readonly betweenMs: number;
}

const START_MS = 1_700_000_000_000;

function* linesOf(group: string, messages: number, timeOf: (index: number) => number): Generator<string> {
  for (let index = 0; index < messages; index++) {
    const time = timeOf(index);
    yield JSON.stringify({
      kind: 'message',
      stream: 's',
      group,
      id: `message_${time}`,
      role: 'user',
      content: `message ${index} of the table, 表格内容 ${time}`,
      time,
    });
  }
}

/** Imports older messages, and messages in between, into groups that have messages. */
export async function measureImport(
  what: string,
  { open, messages }: { readonly open: () => MemoryBackend; readonly messages: number },
): Promise<Import> {
  const memory = createMemory({
    backend: open(),
    retention: { maxMessages: Infinity, messageLifetimeMs: Infinity },
  });
  const measure = async (group: string, timeOf: (index: number) => number): Promise<number> => {
    await memory.import(linesOf(group, messages, (index) => START_MS + index * 10));
    const began = performance.now();
    const { added } = await memory.import(linesOf(group, messages, timeOf));
    if (added !== messages) throw new Error(`${added} messages instead of ${messages}`);
    return performance.now() - began;
  };
  const olderMs = await measure('older', (index) => START_MS - 1_000_000_000 + index);
  const betweenMs = await measure('between', (index) => START_MS + index * 10 + 5);
  await memory.close();
  return { what, messages, olderMs, betweenMs };
}
