import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession } from '@cairn/tool';
import type { ToolSetContext } from '@cairn/tool';
import { expect, test } from 'vitest';

function context(): ToolSetContext {
  return {
    roots: ['/'],
    naming: 'claude',
    readOnly: false,
    session: createToolSession(),
    signal: new AbortController().signal,
  };
}

/** Opens an in-memory store, and counts. `failures` fail first. */
function opener(failures: number = 0): { readonly open: () => Promise<Memory>; readonly log: string[] } {
  const log: string[] = [];
  let left = failures;
  return {
    log,
    open: async () => {
      log.push('open');
      if (left-- > 0) throw new Error('not yet');
      const backend = memory();
      return createMemory({ project: 'app', backend: { ...backend, close: async () => void log.push('close') } });
    },
  };
}

test('the first call opens the memory, all sessions share it, and closing the set closes it', async () => {
  const { open, log } = opener();
  const set = memoryToolSet({ open });
  const [one, two] = [await set.open(context()), await set.open(context())];
  expect(Object.keys(one.tools)).toEqual(['remember', 'recall', 'update_fact', 'forget_fact', 'notes']);
  expect(log).toEqual([]);
  await one.tools['remember']?.execute({ text: 'the tests need redis-server' });
  expect(await two.tools['recall']?.execute({ query: 'redis' })).toMatchObject({
    details: { hits: [{ kind: 'fact', text: 'the tests need redis-server' }] },
  });
  await set.close?.();
  expect(log).toEqual(['open', 'close']);
});

test('opensAtStart reports a failure with the first session, and the next session tries again', async () => {
  const { open, log } = opener(1);
  const set = memoryToolSet({ open, opensAtStart: true, naming: 'mcp-memory' });
  await expect(set.open(context())).rejects.toThrow('not yet');
  expect(Object.keys((await set.open(context())).tools)).toContain('create_entities');
  expect(log).toEqual(['open', 'open']);
});

test('closing a set that was never used opens nothing', async () => {
  const { open, log } = opener();
  await memoryToolSet({ open }).close?.();
  expect(log).toEqual([]);
});

test('the start block is a resource, and only of the own tools', async () => {
  const { open } = opener();
  const set = memoryToolSet({ open });
  const { tools, resources } = await set.open(context());
  const options = { signal: new AbortController().signal };
  expect((await resources?.list(undefined, options))?.resources).toMatchObject([{ uri: 'cairn://memory/start' }]);
  await tools['remember']?.execute({ text: 'Deploy on Fridays' });
  expect(await resources?.read('cairn://memory/start', options)).toMatchObject([
    { text: expect.stringContaining('Deploy on Fridays') },
  ]);
  expect(await resources?.read('cairn://memory/other', options)).toBeUndefined();
  await expect(resources?.list('2', options)).rejects.toThrow('List again without a cursor');
  const graph = await memoryToolSet({ open, naming: 'mcp-memory' }).open(context());
  expect([graph.resources, graph.instructions]).toEqual([undefined, undefined]);
});

test('the instructions of a session that only reads do not ask to write', async () => {
  const set = memoryToolSet({ open: opener().open });
  expect((await set.open(context())).instructions).toContain('Write with remember');
  expect((await set.open({ ...context(), readOnly: true })).instructions).not.toContain('remember');
});

test('in a stream, an agent keeps and finds facts of this stream, and no other stream has them', async () => {
  const { open } = opener();
  const set = memoryToolSet({ open });
  const desktop = await set.open({ ...context(), agent: 'desktop', stream: 'desktop' });
  const chat = await set.open({ ...context(), agent: 'chat', stream: 'chat' });
  await desktop.tools['remember']?.execute({ text: 'the user is called master' });
  const found = (tools: typeof desktop): unknown => tools.tools['recall']?.execute({ query: 'master' });
  expect(await found(desktop)).toMatchObject({ details: { hits: [{ text: 'the user is called master' }] } });
  expect(await found(chat)).toMatchObject({ details: { hits: [] } });
  await set.close?.();
});
