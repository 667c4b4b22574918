import type { ContextMode } from '@cairn/context';
import type { Language } from '@cairn/tool/kernel';

const en = {
  /** Before the last request of a run, when the one before it called tools. */
  lastStep: (steps: number): string =>
    `This is the last of ${steps} steps: no more tools can be called. Answer now. State what is done and what is left.`,
  aborted: (reason: string | undefined): string => `the run was aborted${reason === undefined ? '' : ` (${reason})`}`,
  timeout: (seconds: number): string => `the run reached its time limit of ${seconds} s`,
  steps: (steps: number): string => `the run reached its limit of ${steps} steps`,
  tokens: (tokens: number): string => `the run reached its limit of ${tokens} tokens`,
  length: 'the answer reached the largest size that the model can write',
  filter: 'a filter of the provider cut the answer',
  noText: 'the model ended its last answer without a text',
  error: (message: string): string => `the model failed: ${message}`,
  notRun: (reason: string): string => `Not called: ${reason}. Nothing was done.`,
  stopped: (reason: string): string => `Stopped: ${reason}. Check what the call changed before you repeat it.`,
  unknownOutcome: (reason: string): string =>
    `Outcome unknown: ${reason} before the call ended. Check what it changed before you repeat it.`,
  /** For the user: a store or a set of tools did not answer before the run was ended. */
  notBegun: 'The run ended before it could begin: the store or the tools did not answer. Nothing was sent or stored.',
  summaryPending:
    'The run will let the model summarize the main conversation again; sentences of it are shown here instead.',
  /** For the user: parts of the turn that the history has not whole. */
  notKept: (parts: readonly string[]): string =>
    `Not kept whole in the history, because no message can hold it: ${parts.join('; ')}`,
  /** For the user: the mode shows something of main. */
  emptyMain: (mode: ContextMode): string =>
    `The main conversation of this session is empty, so the agent sees nothing of it in the mode ${mode}. Runs in the mode shared and answers in the mode handback are added to it.`,
  /** For the user: a call that no person could be asked about. */
  notAllowed: (name: string, hint: string): string => `${name} was not run, because it needs an approval. ${hint}`,
  noKnowledge: (problem: string): string => `The index of the knowledge is not in the system prompt: ${problem}`,
  invalidJson: (name: string, problem: string): string =>
    `${name}: the arguments are not valid JSON (${problem}). Nothing was done. Call it again with a JSON object.`,
  invalidInput: (name: string, problem: string): string =>
    `${name}: invalid arguments: ${problem}. Nothing was done. Call it again with other arguments.`,
  tooLarge: (name: string, size: string, most: string): string =>
    `${name} was called, but its result of ${size} is not shown: at most ${most} fit into a message. Call it so that it returns less.`,
  threw: (name: string, problem: string): string =>
    `${name} failed unexpectedly: ${problem}. Check what it changed before you repeat it.`,
};

const zh: typeof en = {
  lastStep: (steps) => `这是 ${steps} 步中的最后一步：不能再调用工具。请现在作答，说明已完成的和未完成的部分。`,
  aborted: (reason) => `运行被中止${reason === undefined ? '' : `（${reason}）`}`,
  timeout: (seconds) => `运行达到了 ${seconds} 秒的时间上限`,
  steps: (steps) => `运行达到了 ${steps} 步的上限`,
  tokens: (tokens) => `运行达到了 ${tokens} 个 token 的上限`,
  length: '回答达到了模型的输出上限',
  filter: '服务商的过滤器截断了回答',
  noText: '模型的最后一次回答没有文本',
  error: (message) => `模型失败：${message}`,
  notRun: (reason) => `未调用：${reason}。没有执行任何操作。`,
  stopped: (reason) => `已停止：${reason}。重试之前，请先检查这次调用改变了什么。`,
  unknownOutcome: (reason) => `结果未知：调用结束之前，${reason}。重试之前，请先检查它改变了什么。`,
  notBegun: '运行在开始之前就结束了：存储或工具没有响应。没有发送或保存任何内容。',
  summaryPending: '运行时模型会重新总结主会话；这里改为显示其中的句子。',
  notKept: (parts) => `历史中未完整保存，因为消息无法容纳：${parts.join('；')}`,
  emptyMain: (mode) =>
    `本会话的主会话是空的，agent 以 ${mode} 模式看不到其中的任何内容。shared 模式的运行和 handback 模式的回答会被加入主会话。`,
  notAllowed: (name, hint) => `未执行 ${name}，因为它需要批准。${hint}`,
  noKnowledge: (problem) => `系统提示中没有知识索引：${problem}`,
  invalidJson: (name, problem) =>
    `${name}：参数不是有效的 JSON（${problem}）。没有执行任何操作。请用 JSON 对象重新调用。`,
  invalidInput: (name, problem) => `${name}：参数无效：${problem}。没有执行任何操作。请换用其他参数重新调用。`,
  tooLarge: (name, size, most) =>
    `${name} 已被调用，但其 ${size} 的结果没有显示：一条消息最多容纳 ${most}。请换一种调用方式以返回较少的内容。`,
  threw: (name, problem) => `${name} 意外失败：${problem}。重试之前，请先检查它改变了什么。`,
};

export const runTexts: Readonly<Record<Language, typeof en>> = { en, zh };
