/** The nine steps of the source's walk-through, with its own texts as the answers of the model, on every kind of store. */
import { isPartlyDone } from '@cairn/memory/internal';
import { expect, test, describe } from 'vitest';
import { backendKinds, useBackends } from '../memory/backends.ts';
import { systemPromptOf, transcriptOf } from '../support/model-server.ts';
import { startWorkflows, textOf } from './workflow-harness.ts';

useBackends();

const decision = `用户请求：帮我做一个表格

分析：
- 这是一个复杂任务，需要多步骤完成
- 需要：1. 确定表格内容 2. 创建Excel文件 3. 填写数据

决策：需要TODO工作流
TODO列表:
1. 询问用户表格的具体内容和格式
2. 创建Excel文件
3. 填写数据到表格`;

const first = `完成度评估: 0.3
执行动作: 无
下一步建议: 需要询问用户表格的具体内容：行数、列数、表头、数据等
笔记: 用户需要创建表格，但具体内容未确定`;

const second = `完成度评估: 0.5
执行动作: [询问用户:请告诉我表格的具体内容，包括行数、列数、表头和数据]
下一步建议: 等待用户回复后创建Excel文件
笔记: 已询问用户表格内容，等待回复`;

const third = `完成度评估: 0.8
执行动作: [生成Excel:表格.xlsx:[{"姓名":"张三","年龄":25,"城市":"北京"},{"姓名":"李四","年龄":30,"城市":"上海"},{"姓名":"王五","年龄":28,"城市":"深圳"}]]
下一步建议: 无
笔记: 已创建Excel文件，包含3行3列数据`;

const question = '请告诉我表格的具体内容，包括行数、列数、表头和数据';
const answer = '3行3列，表头是姓名、年龄、城市，数据是张三25北京、李四30上海、王五28深圳';

describe.each(backendKinds)('the walk-through on $name', (kind) => {
  test.skipIf(kind.isSkipped)('makes a table of three rows from the answers of the source', async () => {
    const { backend } = await kind.open();
    const tables: unknown[] = [];
    const { memory, workflows, server, events, onEvent } = await startWorkflows({
      backend,
      language: 'zh',
      script: [decision, first, second, third].map((text) => ({ text })),
      functions: [
        {
          name: 'create_excel_document',
          description: '创建Excel文件',
          parameters: { filename: '文件名', data: '数据，对象的数组' },
          aliases: ['生成Excel'],
          execute: (table: never) => {
            tables.push(table);
            return '已创建';
          },
        },
      ],
    });
    const stream = workflows.stream('chat');
    const event = { group: 'group_123', user: 'ann' };
    const options = { mergeStreams: ['desktop'], enableTodo: true, enableMemory: true, onEvent };
    const asked = await stream.process(event, '帮我做一个表格', options);
    expect(server.refusals).toEqual([]);

    // Steps 1 to 6: the list of todos, and the question in the second one.
    expect(asked).toMatchObject({ status: 'waiting', text: question, waitsFor: { kind: 'answer' } });
    const id = asked.workflow ?? '';
    expect(id).toMatch(/^workflow_\d+_[\da-z]+$/u);
    expect(await workflows.get(id)).toMatchObject({
      goal: '帮我做一个表格',
      streamName: 'chat-desktop',
      groupId: 'group_123',
      status: 'waiting',
      todos: [
        { id: 'todo_0', content: '询问用户表格的具体内容和格式', status: 'done', completion: 0.3 },
        { id: 'todo_1', content: '创建Excel文件', status: 'done', completion: 0.5 },
        { id: 'todo_2', content: '填写数据到表格', status: 'pending' },
        { id: 'todo_3', content: '需要询问用户表格的具体内容：行数、列数、表头、数据等', status: 'pending' },
        { id: 'todo_4', content: '等待用户回复后创建Excel文件', status: 'pending' },
      ],
      notes: [
        { content: '已询问用户表格内容，等待回复', source: 'todo_1', temporary: true },
        { content: '用户需要创建表格，但具体内容未确定', source: 'todo_0', temporary: true },
      ],
    });
    expect(await workflows.get(id)).not.toHaveProperty('lease');

    // Steps 7 to 9: the user answers, and the table is made.
    const made = await stream.process(event, answer, options);
    expect(server.refusals).toEqual([]);
    expect(made).toMatchObject({ status: 'done', workflow: id, text: '已创建Excel文件，包含3行3列数据' });
    expect(tables).toEqual([
      {
        filename: '表格.xlsx',
        data: [
          { 姓名: '张三', 年龄: 25, 城市: '北京' },
          { 姓名: '李四', 年龄: 30, 城市: '上海' },
          { 姓名: '王五', 年龄: 28, 城市: '深圳' },
        ],
      },
    ]);
    const record = await workflows.get(id);
    expect(record).toMatchObject({ status: 'done', notes: [] });
    expect(record.todos.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done', 'done']);
    // The answer and the table are there, so that the steps which waited for them need no request.
    expect(record.todos.map(({ closedBy }) => closedBy)).toEqual([undefined, undefined, undefined, 'todo_2', 'todo_2']);
    expect(record.todos.map(isPartlyDone)).toEqual([true, true, false, false, false]);
    expect(server.requests).toHaveLength(4);
    expect(events.filter((event) => event.type === 'todo-end').map(({ todo, closedBy }) => [todo, closedBy])).toEqual([
      ['todo_0', undefined],
      ['todo_1', undefined],
      ['todo_2', undefined],
      ['todo_3', 'todo_2'],
      ['todo_4', 'todo_2'],
    ]);

    // The system prompt is that of the source, with the merged functions and the memory space.
    const [decide, one, two, three] = server.requests as [never, never, never, never];
    const system = systemPromptOf(decide);
    expect(system).toContain(
      '- desktop.create_excel_document(filename: 文件名, data: 数据，对象的数组): 创建Excel文件',
    );
    expect(system).toContain('- 你的记忆存储在：ai:memory:chat-desktop:group_123');
    expect([one, two, three].map(systemPromptOf)).toEqual([system, system, system]);
    expect(textOf(decide, -1)).toContain('帮我做一个表格');
    expect(textOf(one, -1)).toContain(`【当前任务】
询问用户表格的具体内容和格式

【工作流目标】
帮我做一个表格

【工作流笔记】（所有步骤共享，30分钟有效）
暂无笔记`);
    expect(textOf(two, -1)).toContain(
      '【工作流笔记】（所有步骤共享，30分钟有效）\n1. 用户需要创建表格，但具体内容未确定',
    );
    expect(textOf(three, -1)).toContain(
      '【工作流笔记】（所有步骤共享，30分钟有效）\n1. 已询问用户表格内容，等待回复\n2. 用户需要创建表格，但具体内容未确定',
    );
    expect(textOf(three, -1)).toContain(`【因之前的步骤未完成而添加的步骤】
- todo_3：需要询问用户表格的具体内容：行数、列数、表头、数据等
- todo_4：等待用户回复后创建Excel文件
`);
    // The third step reads the answer of the user, which is among the newest messages of the group.
    expect(transcriptOf(three).slice(0, 3)).toEqual([
      'user: ann: 帮我做一个表格',
      `assistant: ${question}`,
      `user: ann: ${answer}`,
    ]);
    expect((await memory.stream('chat-desktop').history('group_123')).map(({ role }) => role)).toEqual([
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(events.filter(({ type }) => ['question', 'workflow-start', 'end'].includes(type))).toMatchObject([
      { type: 'workflow-start', workflow: id, isResumed: false },
      { type: 'question', workflow: id, text: question },
      { type: 'end', status: 'waiting' },
      { type: 'workflow-start', workflow: id, isResumed: true },
      { type: 'end', status: 'done' },
    ]);
  });
});
