/** What a model reads when its answer cannot be used, in both languages. Each states what to write instead. */
import { quoted, type Language } from '@cairn/tool/kernel';

const MAX_QUOTED = 200;

const quotedPart = (text: string): string => quoted(text, MAX_QUOTED);

const en = {
  noCompletion: 'The answer states no completion; write a line "Completion: " with a number from 0 to 1.',
  invalidCompletion: (text: string): string =>
    `Invalid completion ${quotedPart(text)}; write only a number from 0 to 1, such as 0.5.`,
  twoCompletions: (texts: readonly string[]): string =>
    `The answer states different completions (${texts.map(quotedPart).join(', ')}); write one line "Completion: ".`,
  sameLine: 'Several labels are in one line; write each label in a line of its own.',
  noAction: (text: string): string =>
    `The action ${quotedPart(text)} is not a call; write [function:arguments], or "None".`,
  unclosed: (text: string): string =>
    `The action ${quotedPart(text)} has no closing bracket; write the whole action again.`,
  noneAndAction: (text: string): string =>
    `The action ${quotedPart(text)} is both none and a call; write the call, or only "None".`,
  outside: (text: string): string =>
    `The call ${quotedPart(text)} was not made, because it does not follow the label "Action: "; write it after the label.`,
  invalidField: (name: string): string => `Invalid value of "${name}"; write a text.`,
  emptyAnswer: 'The answer is empty; answer the request, or list todos.',
  noDecision:
    'The answer has a TODO list but no decision; write "Decision: complex" before the list, or "Decision: simple" before an answer.',
  unclearDecision: (text: string): string =>
    `Unclear decision ${quotedPart(text)}; write "Decision: complex" or "Decision: simple".`,
  noTodos:
    'The decision is complex, but there is no TODO list; write "TODO list:" and one numbered line for each step.',
};

const zh: typeof en = {
  noCompletion: '回答没有完成度；请写一行“完成度评估: ”，后面是0到1之间的小数。',
  invalidCompletion: (text) => `完成度${quotedPart(text)}无效；只写一个0到1之间的小数，例如0.5。`,
  twoCompletions: (texts) => `回答有不同的完成度（${texts.map(quotedPart).join('、')}）；只写一行“完成度评估: ”。`,
  sameLine: '一行里有多个标签；每个标签单独写一行。',
  noAction: (text) => `执行动作${quotedPart(text)}不是命令；请写[功能名:参数]，或者写“无”。`,
  unclosed: (text) => `执行动作${quotedPart(text)}缺少右括号；请重新写出完整的命令。`,
  noneAndAction: (text) => `执行动作${quotedPart(text)}既是“无”又有命令；写命令，或者只写“无”。`,
  outside: (text) => `命令${quotedPart(text)}没有执行，因为它不在“执行动作: ”之后；请写在这个标签之后。`,
  invalidField: (name) => `“${name}”的值无效；请写文本。`,
  emptyAnswer: '回答是空的；请回答用户的请求，或者列出TODO列表。',
  noDecision:
    '回答有TODO列表，但没有决策；请在列表前写“决策: 需要TODO工作流”，或者在回答前写“决策: 不需要TODO工作流”。',
  unclearDecision: (text) => `决策${quotedPart(text)}不明确；请写“决策: 需要TODO工作流”或“决策: 不需要TODO工作流”。`,
  noTodos: '决策是需要TODO工作流，但没有TODO列表；请写“TODO列表:”，每个步骤一行并编号。',
};

export const problems: Readonly<Record<Language, typeof en>> = { en, zh };
