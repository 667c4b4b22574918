import type { ContextMode } from '@cairn/context';
import type { Language } from '@cairn/tool/kernel';

type Problem = readonly [summary: string, hint: string];

const en = {
  title: 'Delegate to an agent',
  description:
    'Give a task to another agent and get its answer. It works with its own tools and knows only its own history: put all that it needs into prompt. Several calls at once run concurrently.',
  name: 'the agent',
  prompt: 'the task, complete in itself',
  contextMode: 'what it sees of the main conversation; default: its own setting',
  otherContextMode:
    'what it sees of the main conversation, which belongs to these agents and not to you; default: its own setting',
  continues: (tool: string): string =>
    `id of an earlier run of this agent, from an answer of ${tool}: it continues that run`,
  offset: 'with continue and without prompt: read the answer of that run from this character on',
  list: 'The agents:',
  alsoNamed: (names: string): string => `More agents: ${names}`,
  notListed: (count: number): string =>
    `${count} more agents are not listed: a wrong name is answered with similar names.`,
  noAgents: 'No agent is defined.',
  listTitle: 'List the agents',
  listDescription: (tool: string): string =>
    `List the agents that ${tool} runs, with their whole descriptions, modes and tools.`,
  listOffset: 'the number of agents to skip',
  range: (from: number, to: number, total: number): string => `Agents ${from} to ${to} of ${total}, by name.`,
  more: (tool: string, offset: number): string => `More: ${tool} with offset ${offset}.`,
  noAgentAt: (offset: number, total: number): Problem => [
    `There is no agent at offset ${offset}; the number of agents is ${total}`,
    'Use a smaller offset.',
  ],
  problems: 'Definitions that cannot be used:',
  /** The last line of an answer: how to continue. */
  done: (agent: string, run: string): string => `[agent ${agent}; to continue: continue "${run}"]`,
  cut: (from: number, to: number, total: number, next: string): string =>
    `[characters ${from} to ${to} of ${total}; the rest: ${next}]`,
  noText: '[the agent ended without a text]',
  /** For a mode that uses main: whose main it is. */
  otherMain: (session: string): string =>
    `[the main conversation belongs to the agents in the session ${session}, not to you: put what they need of yours into prompt]`,
  emptyMain: '[the main conversation was empty: the agent saw nothing of it]',
  otherMode: (wanted: ContextMode): string =>
    `[it ran isolated instead of ${wanted}: the run that called it does not see the main conversation]`,
  self: (agent: string): Problem => [
    `The agent ${agent} is at work already and waits for this run`,
    'Do the work yourself, or choose another agent.',
  ],
  noMain: (mode: ContextMode, allowed: string): Problem => [
    `context_mode ${mode} is not allowed, because this run does not see the main conversation`,
    `Use ${allowed}, and put what the agent needs into prompt.`,
  ],
  noPrompt: (tool: string): Problem => [
    'prompt is missing',
    `Pass prompt, or continue and offset to read an earlier answer of ${tool}.`,
  ],
  unneededOffset: ['offset reads an earlier answer', 'Leave out offset, or pass continue and no prompt.'] as Problem,
  noOffset: (offset: number, total: number): Problem => [
    `There is nothing at offset ${offset}; the answer has ${total} characters`,
    'Use a smaller offset.',
  ],
  unknownRun: (run: string, agent: string): Problem => [
    `There is no run ${run} of the agent ${agent} in this session`,
    'Leave out continue to begin a new run, or use an id of an earlier answer of this agent.',
  ],
  noAnswer: (run: string, agent: string): Problem => [
    `The run ${run} of the agent ${agent} has no answer`,
    'Pass a prompt to continue it.',
  ],
  ended: (agent: string, why: string, hint: string): Problem => [`The agent ${agent} did not finish: ${why}`, hint],
  why: {
    steps: 'the limit of its steps is reached',
    tokens: 'the limit of its tokens is reached',
    timeout: 'its time ran out',
    aborted: 'it was aborted',
    length: 'its model cut the answer',
    'content-filter': 'the content filter of its model ended the answer',
    error: 'it failed',
  },
  continueHint: (run: string): string =>
    `Pass continue "${run}" with a prompt to let it go on, or do the rest yourself.`,
  failedHint: 'Do the work yourself, choose another agent, or tell the user.',
  partial: 'What it wrote last:',
};

const zh: typeof en = {
  title: '委派给 agent',
  description:
    '把任务交给另一个 agent 并取得其回答。它使用自己的工具，只知道自己的历史：请把所需信息全部写入 prompt。同时发出的多个调用会并行执行。',
  name: 'agent 的名称',
  prompt: '任务，须完整自足',
  contextMode: '它能看到主会话的哪些内容；默认按其自身设置',
  otherContextMode: '它能看到主会话的哪些内容；主会话属于这些 agent，不是你的对话；默认按其自身设置',
  continues: (tool) => `该 agent 先前一次运行的 id，见 ${tool} 的回答：继续那次运行`,
  offset: '与 continue 一起使用且不带 prompt：从该字符位置起读取那次运行的回答',
  list: 'agent 列表：',
  alsoNamed: (names) => `其他 agent：${names}`,
  notListed: (count) => `还有 ${count} 个 agent 未列出：名称有误时会提示相近的名称。`,
  noAgents: '没有定义任何 agent。',
  listTitle: '列出 agent',
  listDescription: (tool) => `列出 ${tool} 可运行的 agent，包括完整说明、模式和工具。`,
  listOffset: '跳过的 agent 数量',
  range: (from, to, total) => `按名称排列，第 ${from} 至 ${to} 个 agent，共 ${total} 个。`,
  more: (tool, offset) => `其余：用 offset ${offset} 调用 ${tool}。`,
  noAgentAt: (offset, total) => [`位置 ${offset} 处没有 agent；共 ${total} 个`, '请使用更小的 offset。'],
  problems: '无法使用的定义：',
  done: (agent, run) => `[agent ${agent}；继续时传 continue "${run}"]`,
  cut: (from: number, to: number, total: number, next: string): string =>
    `[第 ${from} 至 ${to} 个字符，共 ${total} 个；其余：${next}]`,
  noText: '[agent 结束时没有文字回答]',
  otherMain: (session) => `[主会话是会话 ${session} 中各 agent 的对话，不是你的对话：请把它们需要的内容写入 prompt]`,
  emptyMain: '[主会话是空的：agent 没有看到其中的任何内容]',
  otherMode: (wanted) => `[已按 isolated 而非 ${wanted} 运行：调用它的运行看不到主会话]`,
  self: (agent) => [`agent ${agent} 已在运行，并在等待本次运行`, '请自行完成，或选择其他 agent。'],
  noMain: (mode, allowed) => [
    `本次运行看不到主会话，不能使用 context_mode ${mode}`,
    `请使用 ${allowed}，并把 agent 所需信息写入 prompt。`,
  ],
  noPrompt: (tool) => ['缺少 prompt', `请传 prompt；或传 continue 和 offset 读取 ${tool} 先前的回答。`],
  unneededOffset: ['offset 用于读取先前的回答', '请去掉 offset，或传 continue 且不带 prompt。'],
  noOffset: (offset, total) => [`位置 ${offset} 处没有内容；回答共 ${total} 个字符`, '请使用更小的 offset。'],
  unknownRun: (run, agent) => [
    `本次会话中没有 agent ${agent} 的运行 ${run}`,
    '请去掉 continue 以开始新的运行，或使用该 agent 先前回答中的 id。',
  ],
  noAnswer: (run, agent) => [`agent ${agent} 的运行 ${run} 没有回答`, '请传 prompt 以继续。'],
  ended: (agent, why, hint) => [`agent ${agent} 未完成：${why}`, hint],
  why: {
    steps: '已达步数上限',
    tokens: '已达 token 上限',
    timeout: '已超时',
    aborted: '已中止',
    length: '其模型截断了回答',
    'content-filter': '其模型的内容过滤终止了回答',
    error: '运行失败',
  },
  continueHint: (run) => `可传 continue "${run}" 和 prompt 让它继续，或自行完成其余部分。`,
  failedHint: '请自行完成、选择其他 agent，或告知用户。',
  partial: '它最后的文字：',
};

export const delegationTexts: Readonly<Record<Language, typeof en>> = { en, zh };
