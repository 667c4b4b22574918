import { isPartlyDone } from '@cairn/memory/internal';
import type { Todo } from '@cairn/memory';
import type { Language } from '@cairn/tool/kernel';

const lines = (todos: readonly Todo[], textOf: (todo: Todo) => string): string =>
  todos.map((todo) => `- ${todo.content}${textOf(todo)}`).join('\n');

function reasonOf({ result }: Todo, colon: string): string {
  return typeof result === 'string' && result !== '' ? `${colon}${result}` : '';
}

function markOf(todo: Todo, [partly, needless]: readonly [partly: string, needless: string]): string {
  if (todo.closedBy !== undefined) return needless;
  return isPartlyDone(todo) ? partly : '';
}

const en = {
  stopped: (limitMs: number): string =>
    `It was stopped, or did not end within ${limitMs / 1000} s: outcome unknown. Check what it did before you repeat it.`,
  notRecorded: (problem: string): string => `The call was not made, because it cannot be recorded: ${problem}`,
  unknownCall: (name: string, names: readonly string[]): string =>
    `There is no function ${JSON.stringify(name)}. Nothing was done. Use ${names.join(', ')}, or answer without it.`,
  invalidCall: (name: string, problem: string): string => `Invalid call of ${name}. Nothing was done. ${problem}`,
  notJson: 'The arguments are not valid JSON; write one whole JSON object.',
  failedBefore: 'Not accepted: a call of the same answer failed. Read its result, then end the step.',
  emptyAnswer: 'The model answered with nothing.',
  cutAnswer: 'The answer was cut: it reached the limit of the model, or a filter ended it. Answer shorter.',
  error: (problem: string): string => `Error: ${problem}`,
  failedCall: (name: string, problem: string): string => `${name} failed: ${problem}`,
  incomplete: (completion: number): string => `The completion is ${completion}, and no next step is stated.`,
  approve: (name: string, input: string): string => `May ${name} be called with ${input}? Answer yes or no.`,
  tooMany: (iterations: number): string => `Stopped: ${iterations} steps began, and there are open steps.`,
  failedTodos: (todos: readonly Todo[]): string =>
    `${todos.length === 1 ? 'A step' : `${todos.length} steps`} failed:\n${lines(todos, (todo) => reasonOf(todo, ': '))}`,
  partial: (todos: readonly Todo[]): string =>
    `Partly done:\n${lines(todos, ({ completion = 0 }) => ` (${Math.round(completion * 100)} %)`)}`,
  /** The result of a step that a later one made needless. */
  closed: (by: string): string => `Not needed any more: ${by} finished without it.`,
  openTodos: (todos: readonly Todo[]): string => `Not done:\n${lines(todos, () => '')}`,
  callsLeftOut: (calls: number): string => `(${calls} earlier ${calls === 1 ? 'call is' : 'calls are'} left out)`,
  problem: (problem: string): string => `# Problems with the last answer\n- ${problem}`,
  finishStep: 'Ends the current step with a report.',
  createTodos: 'Makes the list of steps for a complex request. The steps are then worked on in sequence.',
  done: (todos: readonly Todo[]): string =>
    `Done:\n${lines(todos, (todo) => markOf(todo, [' (partly done)', ' (not needed)']))}`,
  noTools: (problem: string): string =>
    `The model is not offered tools and answers as text, because its server rejected them: ${problem}`,
  busy: (id: string): string => `The workflow ${id} already goes on. Your message is stored; its next step reads it.`,
  noReason: 'The user gave no reason.',
  cutShown: '(The answer was cut: it reached the limit of the model, or a filter ended it.)',
  secretInNote: (todo: string, secrets: readonly string[]): string =>
    `A note of ${todo} seems to have a secret (${secrets.join(', ')}). It is stored.`,
  notCalled: (action: string): string => `Not called, because the answer only quotes it: ${action}`,
  onlyOnce: (name: string): string =>
    `Not accepted: one answer has several calls of ${name}. Call it once, with everything.`,
};

const zh: typeof en = {
  stopped: (limitMs) =>
    `已被中止，或者没有在${limitMs / 1000}秒内结束：结果未知（outcome unknown）。先检查它做了什么，再决定是否重复。`,
  notRecorded: (problem) => `没有执行调用，因为无法记录：${problem}`,
  unknownCall: (name, names) =>
    `没有功能${JSON.stringify(name)}。没有执行任何操作。请使用${names.join('、')}，或者不用功能回答。`,
  invalidCall: (name, problem) => `${name}的调用无效。没有执行任何操作。${problem}`,
  notJson: '参数不是有效的JSON；请写一个完整的JSON对象。',
  failedBefore: '不接受：同一回答中有调用失败。先阅读它的结果，再结束步骤。',
  emptyAnswer: '模型的回答是空的。',
  cutAnswer: '回答被截断：达到模型的长度上限，或者被过滤器中止。请回答得更短。',
  error: (problem) => `错误：${problem}`,
  failedCall: (name, problem) => `${name}执行失败：${problem}`,
  incomplete: (completion) => `完成度是${completion}，没有写下一步。`,
  approve: (name, input) => `是否允许以${input}调用${name}？请回答“同意”或“拒绝”。`,
  tooMany: (iterations) => `已停止：步骤已执行${iterations}次，仍有未完成的步骤。`,
  failedTodos: (todos) => `${todos.length}个步骤失败：\n${lines(todos, (todo) => reasonOf(todo, '：'))}`,
  partial: (todos) => `部分完成：\n${lines(todos, ({ completion = 0 }) => `（${Math.round(completion * 100)}%）`)}`,
  closed: (by) => `不再需要：${by}已经完成，没有用到它。`,
  openTodos: (todos) => `未完成：\n${lines(todos, () => '')}`,
  callsLeftOut: (calls) => `（省略了${calls}次较早的调用）`,
  problem: (problem) => `【上次回答的问题】\n- ${problem}`,
  finishStep: '结束当前步骤，并报告结果。',
  createTodos: '为复杂任务列出步骤，然后逐个执行。',
  done: (todos) => `已完成：\n${lines(todos, (todo) => markOf(todo, ['（部分完成）', '（不再需要）']))}`,
  noTools: (problem) => `服务器拒绝了工具，所以不向模型提供工具，模型以文本回答：${problem}`,
  busy: (id) => `工作流${id}已经在继续执行。你的消息已保存，下一步会读取它。`,
  noReason: '用户没有说明原因。',
  cutShown: '（回答被截断：达到模型的长度上限，或者被过滤器中止。）',
  secretInNote: (todo, secrets) => `${todo}的笔记可能含有密钥（${secrets.join('、')}），已保存。`,
  notCalled: (action) => `没有执行，因为回答只是引用了它：${action}`,
  onlyOnce: (name) => `不接受：同一回答多次调用了${name}。只调用一次，写出全部内容。`,
};

export const loopTexts: Readonly<Record<Language, typeof en>> = { en, zh };
