import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecision } from './decision.ts';

const SOURCE = `用户请求：帮我做一个表格

分析：
- 这是一个复杂任务，需要多步骤完成
- 需要：1. 确定表格内容 2. 创建Excel文件 3. 填写数据

决策：需要TODO工作流
TODO列表:
1. 询问用户表格的具体内容和格式
2. 创建Excel文件
3. 填写数据到表格`;

test('reads the decision of the source', () => {
  expect(parseDecision(SOURCE, { language: 'zh' })).toEqual({
    kind: 'complex',
    todos: ['询问用户表格的具体内容和格式', '创建Excel文件', '填写数据到表格'],
  });
});

test.each([
  ['numbers', 'Decision: complex\nTODO list:\n1. a\n2. b'],
  ['full-width numbers', '决策: 复杂任务\nTODO列表：\n1、a\n2、b'],
  ['brackets', '决策: 需要\n待办列表:\n（1）a\n（2）b'],
  ['circled numbers', '决策: 需要\n任务列表:\n① a\n② b'],
  ['marks', '**Decision:** complex\n**TODO list:**\n- a\n* b'],
  ['boxes', '## Decision: needed\n## TODO list\n- [ ] a\n- [ ] b'],
  ['ids', 'Decision: complex\nTodos:\ntodo_0: a\ntodo_1: b'],
  ['one line', 'Decision: complex\nTODO list: 1. a 2. b'],
  ['lines without marks', 'Decision: complex\nTODO list:\na\nb'],
])('reads a list with %s', (_, text) => {
  expect(parseDecision(text)).toEqual({ kind: 'complex', todos: ['a', 'b'] });
});

test('a todo has indented lines, and numbers inside it stay', () => {
  const text = 'Decision: complex\nTODO list:\n1. a\n   more\n2. use 1. x 3. y\nThat is all.';
  expect(parseDecision(text)).toMatchObject({ todos: ['a\nmore', 'use 1. x 3. y'] });
});

test.each([
  ['Paris is the capital of France.', 'Paris is the capital of France.'],
  ['决策：不需要TODO工作流\n你好！', '你好！'],
  ['Decision: simple\nHello!', 'Hello!'],
  ['Decision: no TODO workflow needed\nHello!', 'Hello!'],
  ['Decision: simple\nTODO list:\n1. milk\n2. bread', '1. milk\n2. bread'],
  ['Hello!\n\n决策: 简单任务\nTODO列表: 无', 'Hello!\n无'],
])('%j is a simple answer', (text, answer) => {
  expect(parseDecision(text)).toEqual({ kind: 'simple', answer });
});

test.each([
  ['', '回答是空的；请回答用户的请求，或者列出TODO列表。'],
  ['决策: 不需要TODO工作流', '回答是空的；请回答用户的请求，或者列出TODO列表。'],
  [
    'TODO列表:\n1. a',
    '回答有TODO列表，但没有决策；请在列表前写“决策: 需要TODO工作流”，或者在回答前写“决策: 不需要TODO工作流”。',
  ],
  ['决策: 需要TODO工作流', '决策是需要TODO工作流，但没有TODO列表；请写“TODO列表:”，每个步骤一行并编号。'],
  ['决策: 也许', '决策"也许"不明确；请写“决策: 需要TODO工作流”或“决策: 不需要TODO工作流”。'],
  [
    '决策: 简单任务，但需要工作流\nTODO列表: 1. a',
    '决策"简单任务，但需要工作流"不明确；请写“决策: 需要TODO工作流”或“决策: 不需要TODO工作流”。',
  ],
  [
    '决策: 需要\n决策: 不需要\nTODO列表: 1. a',
    '决策"需要 / 不需要"不明确；请写“决策: 需要TODO工作流”或“决策: 不需要TODO工作流”。',
  ],
])('%j is invalid, and states what to write', (text, problem) => {
  expect(parseDecision(text, { language: 'zh' })).toEqual({ kind: 'invalid', problem });
});

test('the problems exist in English', () => {
  expect(parseDecision('TODO list:\n- a')).toEqual({
    kind: 'invalid',
    problem:
      'The answer has a TODO list but no decision; write "Decision: complex" before the list, or "Decision: simple" before an answer.',
  });
});

const labels = { en: ['Decision: complex', 'TODO list:'], zh: ['决策：需要TODO工作流', 'TODO列表:'] } as const;

test.each(['en', 'zh'] as const)('what is printed in %s is read again', (language) => {
  const todo = fc
    .array(fc.constantFrom('表', 'a', ' ', '：', '2. ', '-', 'b'), { maxLength: 8 })
    .map((parts) => `x${parts.join('')}y`);
  fc.assert(
    fc.property(fc.array(todo, { minLength: 2, maxLength: 5 }), (todos) => {
      const [decision, list] = labels[language];
      const text = [decision, list, ...todos.map((one, index) => `${index + 1}. ${one}`)].join('\n');
      const read = parseDecision(text, { language });
      expect(read.kind === 'complex' && read.todos).toEqual(todos);
    }),
  );
});

test('random text never throws, and loses no word', () => {
  const part = fc.oneof(
    fc.constantFrom('决策：', 'Decision: ', '需要', 'simple', 'TODO列表:', '\n', '1. ', '- ', '  ', '[ ]', '```', '无'),
    fc.stringMatching(/^w[a-z\d]{4,8}$/u),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const read = parseDecision(text);
      const heads = text.match(/(?:决策|decision).*/giu)?.join('\n') ?? '';
      // The line of a decision itself is read, and an invalid answer is repeated as a whole.
      const words = read.kind === 'invalid' ? [] : (text.match(/w[a-z\d]{4,8}/gu) ?? []);
      const lost = words.filter((word) => !heads.includes(word) && !JSON.stringify(read).includes(word));
      expect(lost).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
