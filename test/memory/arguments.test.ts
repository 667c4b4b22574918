/** A call with any arguments, as a program without types can make it, ends with a result or with a coded error. */
import { createMemory, MemoryError } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { expect, test } from 'vitest';

const values = [undefined, null, 5, true, '', 'x', {}, [], [5], { stream: 5 }, { limit: 'x' }, Symbol.iterator];
const others = [undefined, null, 5, {}];

/** The functions of an object with their names, also those of objects in it. */
function functionsOf(api: object, prefix: string): [string, (...given: unknown[]) => unknown][] {
  return Object.entries(api).flatMap(([name, value]): [string, (...given: unknown[]) => unknown][] => {
    if (typeof value === 'function') return [[`${prefix}${name}`, value as (...given: unknown[]) => unknown]];
    const isApi = typeof value === 'object' && value !== null && ['facts', 'messages', 'workflows'].includes(name);
    return isApi ? functionsOf(value as object, `${prefix}${name}.`) : [];
  });
}

/** Returns an error without a code as text. */
async function rawErrorOf(call: () => unknown): Promise<string | undefined> {
  try {
    const result = call();
    const isPages = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
    await (isPages ? Array.fromAsync(result as AsyncIterable<unknown>) : result);
    return undefined;
  } catch (error) {
    return MemoryError.isInstance(error) ? undefined : String(error);
  }
}

test('no function fails without a code, whatever it is given', async () => {
  const memory = createMemory({ backend: inProcess(), project: 'p' });
  const stream = memory.defineStream({ name: 'plain', functions: { f: { description: 'd' } } });
  const { id } = await memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 'plain' });
  const run = await memory.workflows.acquire(id);
  const { close: _, [Symbol.asyncDispose]: __, ...calls } = memory;
  const all = [
    ...functionsOf(calls, ''),
    ...functionsOf(stream, 'stream.'),
    ...functionsOf(memory.graph(), 'graph.'),
    ...functionsOf(memory.namespace('n'), 'namespace.'),
    ...functionsOf(run, 'run.'),
  ];
  expect(all.length).toBeGreaterThan(60);
  const raw = new Map<string, string>();
  for (const [name, one] of all) {
    for (const first of values) {
      for (const second of others) {
        for (const third of [undefined, null]) {
          const error = await rawErrorOf(() => one(first, second, third));
          if (error !== undefined) raw.set(name, error);
        }
      }
    }
  }
  expect(Object.fromEntries(raw)).toEqual({});
});

test.each([
  [
    (memory: ReturnType<typeof createMemory>) => memory.messages.add(undefined as never, { content: 'a' }),
    'Argument 1 of add is not an object. Pass an object.',
  ],
  [
    (memory: ReturnType<typeof createMemory>) => memory.facts.list(null as never),
    'Argument 1 of list is not an object. Pass an object, or omit it.',
  ],
  [
    (memory: ReturnType<typeof createMemory>) => memory.graph().open([5] as never),
    'Argument 1 of open is not an array of strings. Pass an array of strings.',
  ],
  [
    (memory: ReturnType<typeof createMemory>) => memory.import('x' as never),
    'Argument 1 of import is not an array or an iterable of lines. Pass an array or an iterable of lines.',
  ],
])('an argument of another kind rejects with what is expected', async (call, message) => {
  const memory = createMemory({ backend: inProcess(), project: 'p' });
  const error: unknown = await call(memory).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'INVALID_INPUT', message });
});
