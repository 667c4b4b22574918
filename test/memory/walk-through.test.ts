/**
 * The nine steps of the specification's walk-through, with scripted decisions in place of a model.
 */
import { formatNotes } from '@cairn/memory';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from './backends.ts';

useBackends();

describe.each(backendKinds)('the walk-through on $name', (kind) => {
  test.skipIf(kind.isSkipped)('makes a table in nine steps, remembers its subject, and leaves no notes', async () => {
    const { memory, advance } = await openMemory(kind);
    const created: unknown[] = [];
    memory.defineStream({
      name: 'chat',
      persona: '你是一个智能助手。',
      functions: { ask: { description: '询问用户' } },
    });
    memory.defineStream({
      name: 'desktop',
      functions: {
        create_excel_document: {
          description: '创建Excel文件',
          execute: (params) => {
            created.push(params);
            return `${String(params['filename'])} created`;
          },
        },
      },
    });
    const group = 'group_123';

    // 1 and 2: the request arrives, and the plugin merges desktop into chat.
    const stream = memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
    expect(stream.name).toBe('chat-desktop');
    await stream.addMessage(group, { role: 'user', content: '帮我做一个表格' });

    // 3: the prompt states the functions and the memory space, and the model decides on a list of todos.
    const prompt = stream.buildSystemPrompt({ group });
    for (const part of [
      '你是一个智能助手。',
      'ask',
      'desktop.create_excel_document',
      'ai:memory:chat-desktop:group_123',
    ]) {
      expect(prompt).toContain(part);
    }

    // 4: the workflow.
    const todos = ['询问用户表格的具体内容和格式', '创建Excel文件', '填写数据到表格'];
    const { id } = await memory.workflows.create({
      goal: '帮我做一个表格',
      todos,
      streamName: stream.name,
      groupId: group,
    });
    expect(id).toMatch(/^workflow_1703123456789_[\da-z]{12}$/u);
    expect(await memory.workflows.get(id)).toMatchObject({
      id,
      goal: '帮我做一个表格',
      todos: todos.map((content, index) => ({ id: `todo_${index}`, content, status: 'pending' })),
      notes: [],
      streamName: 'chat-desktop',
    });
    const run = await memory.workflows.acquire(id);

    // 5: the first step finds no notes and adds one.
    expect(await stream.getNotes(id)).toEqual([]);
    const uncertain = '用户需要创建表格，但具体内容未确定';
    const first = await stream.storeNote(id, uncertain, 'todo_0', { temporary: true });
    expect(first).toEqual({ content: uncertain, source: 'todo_0', time: 1_703_123_456_789, temporary: true });
    await run.updateTodo('todo_0', { status: 'done', result: { completion: 0.3 } });

    // 6: the second finds it.
    await advance(1101);
    expect(formatNotes(await stream.getNotes(id))).toBe(`1. ${uncertain}`);
    const asked = '已询问用户表格内容，等待回复';
    const second = await stream.storeNote(id, asked, 'todo_1', { temporary: true });
    expect(second.time).toBe(1_703_123_457_890);
    await run.updateTodo('todo_1', { status: 'done', result: { completion: 0.5 } });

    // 7: the user answers.
    const answer = '3行3列，表头是姓名、年龄、城市，数据是张三25北京、李四30上海、王五28深圳的表格内容';
    await stream.addMessage(group, { role: 'user', content: answer });
    await stream.addMessage(group, { role: 'user', content: '今天天气很好' });

    // 8: the third step has all notes, recalls the answer, and makes the table.
    expect(await stream.getNotes(id)).toEqual([second, first]);
    const contexts = await stream.retrieveRelevantContexts({
      group,
      query: '表格内容',
      includeNotes: true,
      workflowId: id,
    });
    expect(contexts.map(({ content }) => content)).toContain(answer);
    expect(contexts.map(({ content }) => content)).toContain(asked);
    expect(contexts.map(({ content }) => content)).not.toContain('今天天气很好');
    const messages = await stream.retrieveRelevantContexts({ group, query: '表格内容' });
    expect(messages[0]).toMatchObject({
      kind: 'message',
      content: answer,
      origin: 'ai:memory:chat-desktop:group_123',
    });
    const params = { filename: '表格.xlsx', data: [{ 姓名: '张三', 年龄: 25, 城市: '北京' }] };
    expect(await stream.execute({ type: 'desktop.create_excel_document', params })).toBe('表格.xlsx created');
    expect(created).toEqual([params]);
    await stream.storeNote(id, '已创建Excel文件，包含3行3列数据', 'todo_2', { temporary: true });
    expect(formatNotes(await stream.getNotes(id))).toBe(
      `1. 已创建Excel文件，包含3行3列数据\n2. ${asked}\n3. ${uncertain}`,
    );
    await run.updateTodo('todo_2', { status: 'done', result: { completion: 0.8 } });

    // 9: the end. The notes are gone, the messages stay, and the parents have no messages.
    await run.finish();
    expect(await stream.getNotes(id)).toEqual([]);
    expect((await stream.history(group)).map(({ content }) => content)).toEqual([
      '今天天气很好',
      answer,
      '帮我做一个表格',
    ]);
    for (const parent of ['chat', 'desktop']) expect(await memory.stream(parent).history(group)).toEqual([]);
    expect(await memory.workflows.get(id)).toMatchObject({ status: 'done', notes: [] });
  });
});
