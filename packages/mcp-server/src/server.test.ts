import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { OpenToolSet, ToolDefinition, ToolSet, ToolSetContext } from '@cairn/tool';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMcpServer } from './server.ts';
import type { McpServerOptions } from './server.ts';

function toolOf(name: string, readOnlyHint: boolean = true): ToolDefinition {
  return createTool<object, object>({
    name,
    description: name,
    inputSchema: inputSchema({}),
    annotations: { title: name, readOnlyHint, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async () => succeed(name, {}),
  }) as ToolDefinition;
}

interface CountedSet extends ToolSet {
  closed: number;
  readonly contexts: ToolSetContext[];
}

/** Makes a set that counts how often it was closed, and keeps the contexts of its clients. */
function setOf(
  name: string,
  tools: readonly ToolDefinition[],
  { open, close }: { readonly open?: () => Promise<void>; readonly close?: () => Promise<void> } = {},
): CountedSet {
  const set: CountedSet = {
    name,
    closed: 0,
    contexts: [],
    open: async (context): Promise<OpenToolSet> => {
      await open?.();
      set.contexts.push(context);
      return { tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])) };
    },
    close: async () => {
      set.closed += 1;
      await close?.();
    },
  };
  return set;
}

const make = (
  toolSets: readonly ToolSet[],
  options: Partial<McpServerOptions> = {},
): ReturnType<typeof createMcpServer> => createMcpServer({ roots: [tmpdir()], toolSets, ...options });

test('tools are offered in the order of their sets', async () => {
  const server = await make([setOf('one', [toolOf('b')]), setOf('two', [toolOf('a')])]);
  expect(server.toolNames).toEqual(['b', 'a']);
  await server.close();
});

test('two sets with a tool of the same name are rejected and closed', async () => {
  const sets = [setOf('one', [toolOf('find')]), setOf('two', [toolOf('find')])];
  await expect(make(sets)).rejects.toMatchObject({
    code: 'TOOL_NAME_TAKEN',
    message: 'the tool sets one and two both have a tool find; leave one set out',
  });
  expect(sets.map(({ closed, contexts }) => [closed, contexts[0]?.signal.aborted])).toEqual([
    [1, true],
    [1, true],
  ]);
});

test('a tool that only its own process may call is rejected, and its set is closed', async () => {
  const set = setOf('commands', [{ ...toolOf('shell'), isLocal: true }]);
  await expect(make([set])).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: 'the tool shell of the tool set commands cannot be served; leave it out',
  });
  expect([set.closed, set.contexts[0]?.signal.aborted]).toEqual([1, true]);
});

test('when a set cannot open, the others finish opening before they are closed', async () => {
  const events: string[] = [];
  const broken = setOf('broken', [], {
    open: () => Promise.reject(new ToolError('INVALID_OPTION', ['the profile x is unknown', 'Use default.'])),
  });
  const slow = setOf('slow', [], {
    open: async () => {
      await setTimeout(5);
      events.push('opened');
    },
    close: async () => void events.push('closed'),
  });
  await expect(make([slow, broken])).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  expect(events).toEqual(['opened', 'closed']);
  expect(slow.contexts[0]?.signal.aborted).toBe(true);
  expect(broken.closed).toBe(1);
});

test('a set that fails to open and to close reports both errors', async () => {
  const errors: string[] = [];
  const set = setOf('broken', [], {
    open: () => Promise.reject(new Error('open')),
    close: () => Promise.reject(new Error('close')),
  });
  await expect(make([set], { onError: ({ message }) => errors.push(message) })).rejects.toThrow('open');
  expect(errors).toEqual(['close']);
});

test('all sets close once, even when one fails to close', async () => {
  const broken = setOf('broken', [toolOf('a')], { close: () => Promise.reject(new Error('close')) });
  const other = setOf('other', [toolOf('b')]);
  const server = await make([broken, other]);
  await expect(server.close()).rejects.toThrow('close');
  await expect(server.close()).rejects.toThrow('close');
  expect([broken.closed, other.closed]).toEqual([1, 1]);
  await expect(server.open()).rejects.toThrow('the server is closed');
});

test('each client has its own session, which all sets share, and the first one is opened at once', async () => {
  const [one, two] = [setOf('one', []), setOf('two', [])];
  const server = await make([one, two]);
  expect(one.contexts).toHaveLength(1);
  const clients = [await server.open(), await server.open()];
  const ids = one.contexts.map(({ session }) => session.id);
  expect(new Set(ids).size).toBe(2);
  expect(two.contexts.map(({ session }) => session.id)).toEqual(ids);
  await clients[0]?.close();
  await clients[0]?.close();
  expect(one.contexts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  await clients[1]?.close();
  await server.close();
});

test('a set may have no tools', async () => {
  const server = await make([setOf('none', [])]);
  expect(server.toolNames).toEqual([]);
  await server.close();
});

test.each([
  ['an unknown tool', { tools: ['a', 'x', 'y'] }, 'unknown tool x, y; the tools are a, b'],
  ['a tool that writes', { tools: ['b'], readOnly: true }, 'not a read-only tool: b; the read-only tools are a'],
  ['an empty list', { tools: [] }, 'the list of tools is empty; the tools are a, b'],
  ['no root', { roots: [] }, 'the list of roots is empty; name at least one directory'],
])('%s is an invalid option', async (_, options, message) => {
  const set = setOf('one', [toolOf('a'), toolOf('b', false)]);
  await expect(make([set], options)).rejects.toMatchObject({ code: 'INVALID_OPTION', message });
});

test('a relative root is rejected', async () => {
  await expect(make([], { roots: ['here'] })).rejects.toMatchObject({
    code: 'INVALID_ROOT',
    path: 'here',
    message: 'the root here is not absolute; use a directory that can be read',
  });
});
