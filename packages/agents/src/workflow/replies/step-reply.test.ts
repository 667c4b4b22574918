import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StepReply } from '../types.ts';
import { parseReply, replyOfReport } from './step-reply.ts';

/** The three answers of the source's example. */
const SOURCE: readonly (readonly [text: string, reply: StepReply])[] = [
  [
    `完成度评估: 0.3
执行动作: 无
下一步建议: 需要询问用户表格的具体内容：行数、列数、表头、数据等
笔记: 用户需要创建表格，但具体内容未确定`,
    {
      completion: 0.3,
      actions: [],
      nextStep: '需要询问用户表格的具体内容：行数、列数、表头、数据等',
      note: '用户需要创建表格，但具体内容未确定',
      unread: [],
      problems: [],
    },
  ],
  [
    `完成度评估: 0.5
执行动作: [询问用户:请告诉我表格的具体内容，包括行数、列数、表头和数据]
下一步建议: 等待用户回复后创建Excel文件
笔记: 已询问用户表格内容，等待回复`,
    {
      completion: 0.5,
      actions: [
        {
          name: '询问用户',
          args: '请告诉我表格的具体内容，包括行数、列数、表头和数据',
          text: '[询问用户:请告诉我表格的具体内容，包括行数、列数、表头和数据]',
        },
      ],
      nextStep: '等待用户回复后创建Excel文件',
      note: '已询问用户表格内容，等待回复',
      unread: [],
      problems: [],
    },
  ],
  [
    `完成度评估: 0.8
执行动作: [生成Excel:表格.xlsx:[{"姓名":"张三","年龄":25,"城市":"北京"},{"姓名":"李四","年龄":30,"城市":"上海"},{"姓名":"王五","年龄":28,"城市":"深圳"}]]
下一步建议: 无
笔记: 已创建Excel文件，包含3行3列数据`,
    {
      completion: 0.8,
      actions: [
        {
          name: '生成Excel',
          args: '表格.xlsx:[{"姓名":"张三","年龄":25,"城市":"北京"},{"姓名":"李四","年龄":30,"城市":"上海"},{"姓名":"王五","年龄":28,"城市":"深圳"}]',
          text: '[生成Excel:表格.xlsx:[{"姓名":"张三","年龄":25,"城市":"北京"},{"姓名":"李四","年龄":30,"城市":"上海"},{"姓名":"王五","年龄":28,"城市":"深圳"}]]',
        },
      ],
      note: '已创建Excel文件，包含3行3列数据',
      unread: [],
      problems: [],
    },
  ],
];

test.each(SOURCE)('reads the answer of the source %#', (text, reply) => {
  expect(parseReply(text, { language: 'zh' })).toEqual(reply);
  expect(parseReply(text.replaceAll(/(?<=^.{2,5}): /gmu, '：'), { language: 'zh' })).toEqual(reply);
});

const plain = { completion: 0.3, actions: [], nextStep: 'go on', note: 'seen', unread: [], problems: [] };

test.each([
  ['plain', 'Completion: 0.3\nAction: None\nNext step: go on\nNote: seen'],
  ['another order', 'Note: seen\nNext step: go on\nCompletion: 0.3\nAction: none'],
  ['plural labels and full-width colons', 'Completion：0.3\nActions：no\nNext steps：go on\nNotes：seen'],
  ['both languages', '完成度评估：0.3\nAction: 无\n下一步建议: go on\nNote：seen'],
  ['bold labels', '**Completion:** 0.3\n**Action**: None\n**Next step:** go on\n__Note__: seen'],
  ['bold lines', '**Completion: 0.3**\n**Action: None**\n**Next step: go on**\n**Note: seen**'],
  ['a list', '- Completion: 0.3\n* Action: N/A\n• Next step: go on\n+ Note: seen'],
  ['a numbered list', '1. Completion: 0.3\n2) Action: -\n3、Next step: go on\n4. Note: seen'],
  ['headings', '## Completion\n0.3\n## Action\nNone.\n## Next step\ngo on\n## Note\nseen'],
  ['brackets', '【完成度评估】0.3\n【执行动作】无\n【下一步建议】go on\n【笔记】\nseen'],
  ['a code fence', '```text\nCompletion: 0.3\nAction: None\nNext step: go on\nNote: seen\n```'],
  ['Windows line ends', 'Completion: 0.3\r\nAction: None\r\nNext step: go on\r\nNote: seen\r\n'],
  ['old line ends', 'Completion: 0.3\rAction: None\u2028Next step: go on\u2029Note: seen\r'],
  ['a quotation', '> Completion: 0.3\n> Action: None\n> Next step: go on\n> Note: seen'],
  ['the heading of the format', '# Output format\nCompletion: 0.3\nAction: None\nNext step: go on\nNote: seen'],
  ['a range in the label', '完成度评估（0-1）：0.3\n执行动作: [无]\n下一步建议: go on\n笔记: seen'],
  ['JSON', '{"completion": 0.3, "actions": [], "next_step": "go on", "note": "seen"}'],
  ['JSON with labels', '{"完成度评估": "30%", "执行动作": "无", "下一步建议": "go on", "笔记": "seen"}'],
  [
    'JSON in a fence',
    '```json\n{\n  "completion": 0.3,\n  "action": null,\n  "nextStep": "go on",\n  "note": "seen"\n}\n```',
  ],
])('reads %s', (_, text) => {
  expect(parseReply(text)).toEqual(plain);
});

describe('what stands for nothing', () => {
  test.each([
    '无',
    '无。',
    '"无"',
    '「无」',
    '暂无',
    '无需',
    'None',
    'none.',
    'NONE',
    'no',
    'N/A',
    '[None]',
    '**None**',
    '-',
    '',
    '不需要更多步骤',
    'No further steps needed',
  ])('%j is not a next step', (nothing) => {
    const reply = parseReply(`Completion: 1\nAction: ${nothing}\nNext step: ${nothing}\nNote: ${nothing}`);
    expect(reply).toEqual({ completion: 1, actions: [], unread: [], problems: [] });
    expect(replyOfReport({ completion: 1, next_step: nothing, note: nothing })).toEqual(reply);
  });

  test('the reason after it is given back, and is not a next step', () => {
    const reply = parseReply(
      '完成度评估: 1\n执行动作: 无\n下一步建议: 无（任务已完成）\n笔记: None. The file is there.',
    );
    expect(reply).toEqual({
      completion: 1,
      actions: [],
      unread: ['（任务已完成）', 'The file is there.'],
      problems: [],
    });
  });

  test.each(['无法打开文件', '没有问题，继续创建文件', 'No, ask the user first', 'Nonetheless go on', '无锡的数据'])(
    '%j is a next step',
    (text) => {
      expect(parseReply(`Completion: 0.1\nNext step: ${text}`).nextStep).toBe(text);
    },
  );
});

test('a value has several lines, until the next label', () => {
  const reply = parseReply('笔记: 第一行\n  第二行\n\n- 第三行\n下一步建议:\n1. a\n2. b\n完成度评估: 0.5');
  expect(reply.note).toBe('第一行\n  第二行\n\n- 第三行');
  expect(reply.nextStep).toBe('1. a\n2. b');
});

test('a repeated label adds to its value', () => {
  const reply = parseReply('Completion: 0.5\nNote: a\nNote: b\nCompletion: 50%');
  expect(reply).toEqual({ completion: 0.5, actions: [], note: 'a\nb', unread: [], problems: [] });
});

test('words like labels inside a line or a word are not labels', () => {
  const reply = parseReply('Completion: 0.5\nNote: a\nNotebook: b\nnote that Action: c\nThe next step: d\n[Note: e]');
  expect(reply.note).toBe('a\nNotebook: b\nnote that Action: c\nThe next step: d\n[Note: e]');
});

test('text round the labels is given back', () => {
  const reply = parseReply('Sure!\n```\nCompletion: 0.5 (half of it)\nNote: a\n```\nAsk me.');
  expect(reply).toEqual({
    completion: 0.5,
    actions: [],
    note: 'a',
    unread: ['Sure!', 'Ask me.', '(half of it)'],
    problems: [],
  });
});

test('text round JSON is given back, and so are its unknown fields', () => {
  const reply = parseReply('Sure!\n{"completion":1,"mood":"good"}\nBye.');
  expect(parseReply('```python\nCompletion: 1\n```').unread).toEqual(['python']);
  expect(parseReply('```python\n{"completion":1}\n```').unread).toEqual(['python']);
  expect(reply).toEqual({ completion: 1, actions: [], unread: ['mood: "good"', 'Sure!', 'Bye.'], problems: [] });
});

test('several actions with text between them are read, and the text is given back', () => {
  const { actions, unread, problems } = parseReply('完成度: 0.5\n执行动作: 先 [a:1] 、[b:2]\n【询问用户：几行？】');
  expect(actions.map(({ name, args }) => [name, args])).toEqual([
    ['a', '1'],
    ['b', '2'],
    ['询问用户', '几行？'],
  ]);
  expect(unread).toEqual(['先']);
  expect(problems).toEqual([]);
});

test('actions as JSON are read', () => {
  const call = '{"name":"f","arguments":{"x":1}}';
  for (const text of [
    `Completion: 0.5\nAction: ${call}`,
    `Completion: 0.5\nAction: [${call}]`,
    `{"completion":0.5,"actions":[${call}]}`,
    `{"completion":0.5,"actions":${JSON.stringify(call)}}`,
  ]) {
    expect(parseReply(text).actions.map(({ name, args }) => [name, args])).toEqual([['f', '{"x":1}']]);
  }
  expect(parseReply('{"completion":0.5,"action":["[f:1]","[g:2]"]}').actions.map(({ name }) => name)).toEqual([
    'f',
    'g',
  ]);
});

describe('an answer that is not usable states a problem', () => {
  test.each([
    ['无标签', '', '回答没有完成度；请写一行“完成度评估: ”，后面是0到1之间的小数。'],
    ['完成度: 很高', '', '完成度"很高"无效；只写一个0到1之间的小数，例如0.5。'],
    ['完成度: 0.3\n完成度: 0.5', '', '回答有不同的完成度（"0.3"、"0.5"）；只写一行“完成度评估: ”。'],
    ['完成度: 0.3 / 执行动作: 无 / 下一步建议: 填写', 0.3, '一行里有多个标签；每个标签单独写一行。'],
    ['完成度: 0.3\n执行动作: 创建文件', 0.3, '执行动作"创建文件"不是命令；请写[功能名:参数]，或者写“无”。'],
    ['完成度: 0.3\n执行动作: [f:[1]', 0.3, '执行动作"[f:[1]"缺少右括号；请重新写出完整的命令。'],
    ['{"completion":0.3,"note":["a"]}', 0.3, '“note”的值无效；请写文本。'],
  ])('%j', (text, completion, problem) => {
    const reply = parseReply(text, { language: 'zh' });
    expect(reply.problems).toEqual([problem]);
    expect(reply.completion ?? '').toBe(completion);
  });

  test('in English too', () => {
    expect(parseReply('hello')).toEqual({
      actions: [],
      unread: ['hello'],
      problems: ['The answer states no completion; write a line "Completion: " with a number from 0 to 1.'],
    });
  });
});

/** A line of a value: no label, nothing that stands for nothing, and no decoration at its ends. */
const line = fc
  .array(fc.constantFrom('表', '格', 'a', 'b', ' ', ',', '3', '：', '[', ']', 'note'), { minLength: 1, maxLength: 12 })
  .map((parts) => `x${parts.join('')}y`);
const value = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'));
const printed = {
  en: { completion: 'Completion: ', action: 'Action: ', nextStep: 'Next step: ', note: 'Note: ', none: 'None' },
  zh: { completion: '完成度评估：', action: '执行动作: ', nextStep: '下一步建议：', note: '笔记: ', none: '无' },
} as const;

test.each(['en', 'zh'] as const)(
  'what is printed in %s is read again, in any order and with any decoration',
  (language) => {
    const words = printed[language];
    fc.assert(
      fc.property(
        fc.record({
          completion: fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000),
          actions: fc.array(
            fc.tuple(fc.constantFrom('f', '生成Excel', 'desktop.make'), fc.jsonValue({ maxDepth: 3 })),
            { maxLength: 3 },
          ),
          nextStep: fc.option(value, { nil: undefined }),
          note: fc.option(value, { nil: undefined }),
          order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
          decorate: fc.constantFrom(
            (label: string) => label,
            (label: string) => `- **${label}** `,
            (label: string) => `2. ${label}`,
          ),
        }),
        ({ completion, actions, nextStep, note, order, decorate }) => {
          const calls = actions.map(([name, args]) => `[${name}:${JSON.stringify({ value: args })}]`);
          const parts = [
            `${decorate(words.completion)}${completion}`,
            `${decorate(words.action)}${calls.length === 0 ? words.none : calls.join(' ')}`,
            `${decorate(words.nextStep)}${nextStep ?? words.none}`,
            `${decorate(words.note)}${note ?? words.none}`,
          ];
          const reply = parseReply(order.map((index) => parts[index]).join('\n'), { language });
          expect(reply.completion).toBe(completion);
          expect(reply.actions.map((action) => [action.name, JSON.parse(action.args)])).toEqual(
            actions.map(([name, args]) => [name, JSON.parse(JSON.stringify({ value: args }))]),
          );
          expect([reply.nextStep, reply.note]).toEqual([nextStep, note]);
          expect([reply.unread, reply.problems]).toEqual([[], []]);
        },
      ),
    );
  },
);

test('random text never throws, and loses no word', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '完成度评估: ',
      'Action: ',
      '下一步建议：',
      'Note:',
      '无',
      'None',
      '[',
      ']',
      '【',
      '】',
      '```',
      '{',
      '}',
      '"',
      '**',
      '- ',
      '\n',
      '\n\n',
      '\r\n',
      ':',
      '：',
      '0.5',
      '80%',
      '（',
      '\u2028',
    ),
    fc.stringMatching(/^w[a-z\d]{4,8}$/u),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const reply = parseReply(text);
      const all = JSON.stringify(reply);
      for (const word of text.match(/w[a-z\d]{4,8}/gu) ?? []) expect(all).toContain(word);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['brackets', '['.repeat(100_000)],
  ['brackets with names', '[a:'.repeat(50_000)],
  ['quotes', `[a:${'"'.repeat(100_000)}`],
  ['quotes at the start of values', `[a:${',"'.repeat(50_000)}`],
  ['spaces', `${' '.repeat(100_000)}x`],
  ['marks', `${'*'.repeat(100_000)}Completion`],
  ['list marks', `Completion: ${'- '.repeat(50_000)}x`],
  ['numbers', `Completion: ${'1'.repeat(100_000)}`],
  ['words', `Note: ${'无需再任何'.repeat(20_000)}x`],
  ['none', `Note: none${' more'.repeat(20_000)}x`],
])('a long run of %s is read in linear time', (_, text) => {
  // A quadratic reading of these takes minutes, so the time limit of the test is the assertion.
  expect(parseReply(`${text}\nAction: ${text}`).problems.length).toBeGreaterThan(0);
});
