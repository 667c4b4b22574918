/** The texts that the workflow loop sends. The expected ones are in `goldens/`, one file for each text and language. */
import { createMemory } from '@cairn/memory';
import type { Stream } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { createTool, inputSchema, succeed } from '@cairn/tool';
import type { Tools } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { askUserFunction } from '../functions/ask-user.ts';
import { toStreamFunctions } from '../functions/definition.ts';
import { workflowFunctions } from '../functions/workflow-functions.ts';
import type { CallRecord } from '../types.ts';
import { decisionPrompt, stepPrompt } from './prompts.ts';

function golden(name: string, language: Language): string {
  return readFileSync(new URL(`goldens/${name}.${language}.txt`, import.meta.url), 'utf8').replace(/\n$/u, '');
}

function merged(language: Language): Stream {
  const memory = createMemory({ backend: inProcess(), language });
  memory.defineStream({ name: 'chat', persona: '你是一个智能助手。' });
  const create = {
    name: 'create_excel_document',
    description: '创建Excel文件',
    parameters: { filename: '文件名', data: '数据' },
    aliases: ['生成Excel'],
    execute: () => '',
  };
  memory.defineStream({ name: 'desktop', root: '/home/ann/桌面', functions: toStreamFunctions([create]) });
  return memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
}

const todos = [
  { id: 'todo_0', content: '询问用户表格的具体内容和格式', status: 'done' },
  { id: 'todo_1', content: '创建Excel文件', status: 'running' },
] as const;
const [, todo] = todos;
const workflow = { goal: '帮我做一个表格', todos, notes: [] };
const call: CallRecord = {
  id: 'call_0',
  todoId: 'todo_1',
  name: 'desktop.create_excel_document',
  input: { filename: '表格.xlsx' },
  status: 'done',
  output: '已创建\n【输出格式】',
};

const { output: _, ...quiet } = call;

describe.each(['en', 'zh'] as const)('in %s', (language) => {
  const read = createTool({
    name: 'read',
    description: 'Reads a file.',
    inputSchema: inputSchema({ path: z.string(), offset: z.int().optional() }),
    annotations: { title: '', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async () => succeed('', {}),
  });
  const functions = workflowFunctions({
    stream: merged(language),
    tools: { read } as unknown as Tools,
    askUser: askUserFunction(language),
  });
  const input = { stream: merged(language), workflow, todo, language };

  test('the decision', () => {
    expect(decisionPrompt({ language, question: '帮我做一个表格', stream: input.stream, functions })).toBe(
      golden('decision', language),
    );
  });

  test('a step without anything before it is the prompt of the memory and how to answer', () => {
    const prompt = stepPrompt({ ...input, functions });
    expect(prompt).toBe(golden('step', language));
    expect(prompt.startsWith(`${input.stream.buildTodoPrompt(workflow, todo)}\n\n`)).toBe(true);
  });

  test('no prompt claims that there are no functions where tools have some', () => {
    const stream = createMemory({ backend: inProcess(), language }).defineStream({ name: 'plain' });
    const askUser = askUserFunction(language);
    const none = language === 'en' ? '# Functions\nNone.' : '【可用功能】\n无';
    const alone = workflowFunctions({ stream, askUser });
    expect(stepPrompt({ ...input, stream, functions: alone })).toContain(none);
    const withTools = stepPrompt({
      ...input,
      stream,
      functions: workflowFunctions({ stream, tools: { read } as unknown as Tools, askUser }),
    });
    expect(withTools).not.toContain(none);
    expect(withTools).toContain('read(');
  });

  test('a step with notes, memories, calls of every status, and steps that it may close', () => {
    const calls: CallRecord[] = [
      call,
      { ...call, id: 'call_1', status: 'failed', output: '磁盘已满' },
      { ...call, id: 'call_2', status: 'unknown' },
      { ...call, id: 'call_3', status: 'refused', output: '用别的名字' },
      { ...quiet, id: 'call_4', status: 'refused' },
      { ...call, id: 'call_5', status: 'approval' },
      { ...call, id: 'call_6', status: 'running' },
    ];
    const notes = [{ content: '三行三列', source: 'todo_0', time: 0, temporary: true }];
    const derived = [
      { id: 'todo_3', content: '需要询问用户\n表格的具体内容' },
      { id: 'todo_4', content: '等待用户回复后创建Excel文件' },
    ];
    const recalled = '<memory>表格</memory>';
    const prompt = stepPrompt({ ...input, functions: [], notes, calls, derived, recalled });
    expect(prompt).toBe(golden('step-full', language));
  });
});
