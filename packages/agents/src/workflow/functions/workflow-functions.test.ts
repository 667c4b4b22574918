import { createMemory } from '@cairn/memory';
import type { Stream } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { Tools } from '@cairn/tool';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { FunctionCallContext, WorkflowFunction } from '../types.ts';
import { askUserFunction } from './ask-user.ts';
import { toStreamFunctions } from './definition.ts';
import type { FunctionDefinition } from './definition.ts';
import { cutOutput } from './outcome.ts';
import { resolveAction } from './resolve-action.ts';
import { workflowFunctions } from './workflow-functions.ts';

const context: FunctionCallContext = { signal: new AbortController().signal, callId: 'call_0' };

function find(functions: readonly WorkflowFunction[], name: string): WorkflowFunction {
  const found = functions.find((one) => one.name === name);
  if (!found) throw new Error(`${name} is missing`);
  return found;
}

function merged(functions: readonly FunctionDefinition[], root?: string): Stream {
  const memory = createMemory({ backend: inProcess() });
  memory.defineStream({ name: 'chat', functions: { greet: { description: 'greets', execute: () => 'hello' } } });
  memory.defineStream({ name: 'desktop', functions: toStreamFunctions(functions), root });
  return memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
}

const echo: FunctionDefinition = {
  name: 'create_excel_document',
  description: '创建Excel文件',
  parameters: { filename: '文件名', 'data?': '数据' },
  aliases: ['生成Excel'],
  execute: (input, given) => ({ input, root: given['root'], callId: given.callId, isAborted: given.signal.aborted }),
};

test('a merged stream has the functions of its parents, with aliases, schemas and roots', async () => {
  const stream = merged([echo], '/desk');
  expect(stream.buildFunctionsPrompt()).toBe(
    '- greet(): greets\nWith the root /desk:\n- desktop.create_excel_document(filename: 文件名, data?: 数据): 创建Excel文件',
  );
  const functions = workflowFunctions({ stream });
  expect(functions.map(({ name, toolName, aliases, isReadOnly }) => ({ name, toolName, aliases, isReadOnly }))).toEqual(
    [
      { name: 'greet', toolName: 'greet', aliases: [], isReadOnly: false },
      {
        name: 'desktop.create_excel_document',
        toolName: 'desktop_create_excel_document',
        aliases: ['生成Excel'],
        isReadOnly: false,
      },
    ],
  );
  const resolved = await resolveAction(functions, { name: '生成Excel', args: 'a.xlsx:[1]', text: '' });
  const { fn, input } = resolved.isValid ? resolved : { fn: undefined, input: undefined };
  const outcome = await fn?.execute(input, context);
  expect(JSON.parse(outcome?.output ?? '')).toEqual({
    input: { filename: 'a.xlsx', data: [1] },
    root: '/desk',
    callId: 'call_0',
    isAborted: false,
  });
  expect(await find(functions, 'greet').execute({}, context)).toEqual({ output: 'hello', isError: false });
});

test('a call with wrong arguments does not run', async () => {
  let calls = 0;
  const functions = workflowFunctions({ stream: merged([{ ...echo, execute: () => calls++ }]) });
  const outcome = await find(functions, 'desktop.create_excel_document').execute({ file: 'a' }, context);
  expect(outcome).toEqual({
    output:
      'desktop.create_excel_document: missing parameter filename; unknown parameter file (parameters: filename, data?); call it again with these parameters.',
    isError: true,
  });
  expect(calls).toBe(0);
});

test.each([
  ['a text', () => 'done', 'done', false],
  ['an object', () => ({ rows: 3 }), '{"rows":3}', false],
  ['a promise', async () => 1, '1', false],
  ['nothing', () => undefined, 'The function returned no value.', false],
  ['a value that is not JSON', () => 1n, 'The function returned a value that is not JSON.', false],
  ['the result of a tool', () => ({ isError: true, content: [{ type: 'text', text: 'no' }], details: {} }), 'no', true],
  [
    'an error',
    () => {
      throw new Error('disk full');
    },
    'disk full',
    true,
  ],
])('%s is the outcome', async (_, execute, output, isError) => {
  const functions = workflowFunctions({ stream: merged([{ name: 'f', description: 'f', execute }]) });
  expect(await find(functions, 'desktop.f').execute({}, context)).toEqual({ output, isError });
});

test('a long text is cut, and states how much is missing', async () => {
  const functions = workflowFunctions({
    stream: merged([{ name: 'f', description: 'f', execute: () => '表'.repeat(40_000) }]),
  });
  const { output } = await find(functions, 'desktop.f').execute({}, context);
  expect(output.length).toBeLessThanOrEqual(32_000);
  expect(output.endsWith(`… [${40_000 - output.indexOf('…')} more characters]`)).toBe(true);
});

test('the record of a workflow keeps at most 2,000 characters, and states how many are missing', () => {
  expect(cutOutput('short')).toBe('short');
  for (const start of ['', 'a']) {
    const text = start + '😀'.repeat(2000);
    const cut = cutOutput(text);
    expect(cut.length).toBeLessThanOrEqual(2000);
    // No half of a character is left.
    expect(cut).toMatch(/😀… \[\d+ more characters\]$/u);
    expect(cut).toContain(`[${text.length - cut.indexOf('…')} more characters]`);
  }
});

test('an abort ends the waiting for a function that ignores it', async () => {
  const controller = new AbortController();
  let start = (): void => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const execute = (): Promise<never> => {
    start();
    return new Promise(() => {});
  };
  const functions = workflowFunctions({ stream: merged([{ name: 'f', description: 'f', execute }]) });
  const call = find(functions, 'desktop.f').execute({}, { ...context, signal: controller.signal });
  await started;
  const reason = new Error('stop');
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
});

const tools: Tools = {
  count: createTool({
    name: 'count',
    description: 'counts',
    inputSchema: inputSchema({ text: z.string() }, { aliases: [['text', 'string']] }),
    annotations: {
      title: 'Count',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: async ({ text }) => {
      if (text === '') throw new ToolError('NOT_FOUND', ['Nothing to count', 'Pass a text.']);
      return succeed(`${text.length} characters`, {});
    },
  }),
} as unknown as Tools;

test('tools of the run are functions that check their input themselves', async () => {
  const count = find(workflowFunctions({ stream: merged([]), tools }), 'count');
  expect(count.isReadOnly).toBe(true);
  expect(await count.execute({ string: 'abc' }, context)).toEqual({ output: '3 characters', isError: false });
  expect(await count.execute({ text: '' }, context)).toEqual({
    output: 'Nothing to count. Pass a text.',
    isError: true,
  });
  expect(await resolveAction([count], { name: 'count', args: '{"string":"abc"}', text: '' })).toMatchObject({
    isValid: true,
  });
});

test('names for providers are unique, even for names without Latin letters', () => {
  const define = (name: string): FunctionDefinition => ({ name, description: name, execute: () => '' });
  const stream = merged(['生成', '删除', 'a-b', 'a_b', 'x'.repeat(64)].map(define));
  const names = workflowFunctions({ stream, reserved: ['greet'] }).map(({ toolName }) => toolName);
  expect(names).toEqual([
    'greet_2',
    'desktop_',
    'desktop__2',
    'desktop_a-b',
    'desktop_a_b',
    `desktop_${'x'.repeat(56)}`,
  ]);
});

test('the function that asks the user comes last, and a function of the user may have its alias', () => {
  const stream = merged([{ ...echo, aliases: ['询问用户'] }]);
  const asked = find(workflowFunctions({ stream, askUser: askUserFunction('zh') }), 'ask_user');
  expect(asked.aliases).toEqual(['ask user', 'ask']);
});

test('a tool and a function with one name are rejected', () => {
  const memory = createMemory({ backend: inProcess() });
  const stream = memory.defineStream({ name: 'chat', functions: { count: { description: 'counts' } } });
  expect(() => workflowFunctions({ stream, tools })).toThrow(
    'A function and a tool have the name "count". Rename the function.',
  );
});

test('a function of a stream that other code calls states that', async () => {
  const memory = createMemory({ backend: inProcess() });
  const stream = memory.defineStream({ name: 'chat', functions: { f: { description: 'f' } } });
  expect(await find(workflowFunctions({ stream }), 'f').execute({}, context)).toEqual({
    output: 'f cannot be called here; use another function.',
    isError: true,
  });
});
