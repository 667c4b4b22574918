/** What the loop adds to the prompts of the memory, in both languages. */
import type { Note, Stream, Todo, WorkflowRecord } from '@cairn/memory';
import type { Language } from '@cairn/tool/kernel';
import { ASK_USER } from '../functions/ask-user.ts';
import { listParameters, parametersOf } from '../functions/parameters.ts';
import type { CallRecord, WorkflowFunction } from '../types.ts';

const en = {
  request: '# Request',
  decision: [
    '# Decision',
    'Decide first whether the request is simple or complex.',
    '- Simple: it needs no work in several steps. Answer the user now; you may call functions.',
    '- Complex: it needs several steps, or information that only the user has. Call create_todos with the steps in their order.',
  ],
  decisionForm: [
    'If you cannot call tools, answer a complex request in this form:',
    'Decision: complex',
    'TODO list:',
    '1. [the first step]',
    '2. [the next step]',
  ],
  recalled: '# Recalled memories',
  calls: '# Calls of this step',
  call: ({ id, name, input, status, output = '' }: CallRecord): string => {
    const head = `- ${id} ${name}(${JSON.stringify(input)})`;
    if (status === 'unknown') {
      return `${head}: outcome unknown: it began, and its runner ended before the result was recorded. Check what it did before you repeat it.`;
    }
    if (status === 'refused') return `${head}: the user rejected it${output === '' ? '.' : `: ${output}`}`;
    if (status === 'approval' || status === 'asked') return `${head}: waits for the user.`;
    if (status === 'running') return `${head}: runs.`;
    return `${head}: ${status}: ${output}`;
  },
  derived: (todos: readonly Pick<Todo, 'id' | 'content'>[]): readonly string[] => [
    '# Steps that were added because earlier ones were unfinished',
    ...todos.map(({ id, content }) => `- ${id}: ${content}`),
    'If the user has answered since, or a call that had failed was made, these steps are closed when this one is done without a next step. If one of them is still needed, write it as the next step.',
  ],
  answer: [
    '# How to answer',
    '- Call functions as tools. End the step with one call of finish_step, which has the fields of the output format. A completion of 0.8 or more means that the task is done.',
    '- If you cannot call tools, answer with the labels of the output format, each in a line of its own.',
    '- An action is then [function:argument], with ":" between arguments in the order of the list, or one JSON object with their names: [function:{"name":"value"}]. Put an argument that has ":" in double quotes, unless it is the only one. Several actions may follow each other.',
    '- To ask the user, call ask_user, or write [ask_user:question]. The workflow waits for the answer.',
  ],
  tools: (names: string): string => `- Functions of tools: ${names}`,
  aliases: (pairs: string): string => `- Other names in actions: ${pairs}`,
};

const zh: typeof en = {
  request: '【用户请求】',
  decision: [
    '【智能决策】',
    '先判断用户请求是简单任务还是复杂任务。',
    '- 简单任务：不需要多步骤完成。现在就回答用户，可以调用功能。',
    '- 复杂任务：需要多步骤完成，或者需要只有用户知道的信息。用create_todos按顺序列出步骤。',
  ],
  decisionForm: [
    '如果不能调用工具，复杂任务按以下格式回答：',
    '决策: 需要TODO工作流',
    'TODO列表:',
    '1. [第一个步骤]',
    '2. [下一个步骤]',
  ],
  recalled: '【相关记忆】',
  calls: '【本步骤的调用】',
  call: ({ id, name, input, status, output = '' }) => {
    const head = `- ${id} ${name}(${JSON.stringify(input)})`;
    if (status === 'unknown')
      return `${head}：结果未知（outcome unknown）：已开始执行，但在记录结果之前中断。先检查它做了什么，再决定是否重复。`;
    if (status === 'refused') return `${head}：用户拒绝了${output === '' ? '。' : `：${output}`}`;
    if (status === 'approval' || status === 'asked') return `${head}：等待用户。`;
    if (status === 'running') return `${head}：正在执行。`;
    return `${head}：${status === 'done' ? '完成' : '失败'}：${output}`;
  },
  derived: (todos) => [
    '【因之前的步骤未完成而添加的步骤】',
    ...todos.map(({ id, content }) => `- ${id}：${content}`),
    '如果此后用户已经回答，或者之前失败的调用已经成功，那么本步骤完成且没有下一步建议时，这些步骤将被关闭。如果其中某一步仍然需要，请把它写为下一步建议。',
  ],
  answer: [
    '【回答方式】',
    '- 功能作为工具调用。步骤结束时调用一次finish_step，它的字段就是输出格式的各项。完成度达到0.8表示任务完成。',
    '- 如果不能调用工具，按输出格式回答，每个标签单独写一行。',
    '- 这时执行动作写成[功能名:参数]，多个参数按列表的顺序用":"分隔，或者用一个JSON对象写出参数名：[功能名:{"参数名":"值"}]。有多个参数时，含有":"的参数写在双引号里。可以连续写多个动作。',
    '- 需要询问用户时，调用ask_user，或者写[询问用户:问题]。工作流会等待回答。',
  ],
  tools: (names) => `- 工具的功能：${names}`,
  aliases: (pairs) => `- 执行动作中的其他名称：${pairs}`,
};

const texts: Readonly<Record<Language, typeof en>> = { en, zh };

interface PromptInput {
  readonly stream: Pick<Stream, 'functions'>;
  /** Those that are not of the stream are listed by name and parameters. */
  readonly functions: readonly WorkflowFunction[];
  readonly language: Language;
}

/** Returns the functions of a run that are not of its stream, apart from `ask_user`. */
export function toolsBeside({ stream, functions }: Omit<PromptInput, 'language'>): WorkflowFunction[] {
  return functions.filter((one) => one.name !== ASK_USER && !stream.functions.has(one.name));
}

/** Returns the functions that the prompts of the stream do not list, by name: for a model that cannot call tools. */
function otherFunctions(input: PromptInput): string[] {
  const shown = toolsBeside(input).map((one) => `${one.name}(${listParameters(parametersOf(one.inputSchema))})`);
  return shown.length === 0 ? [] : [texts[input.language].tools(shown.join(', '))];
}

export function decisionPrompt({ question, ...others }: PromptInput & { readonly question: string }): string {
  const { request, decision, decisionForm } = texts[others.language];
  const lines = [...decision, ...otherFunctions(others), ...decisionForm];
  return `${request}\n${question}\n\n${lines.join('\n')}`;
}

export interface StepPromptInput extends PromptInput {
  readonly stream: Pick<Stream, 'buildTodoPrompt' | 'functions'>;
  readonly workflow: Pick<WorkflowRecord, 'goal' | 'todos' | 'notes'>;
  readonly todo: Pick<Todo, 'content'>;
  /** @default the notes of the record */
  readonly notes?: readonly Note[] | undefined;
  readonly calls?: readonly CallRecord[] | undefined;
  /** Memories as `wrapContexts` marks them. */
  readonly recalled?: string | undefined;
  /** The open steps that were added because earlier ones were unfinished: the end of this one may close them. */
  readonly derived?: readonly Pick<Todo, 'id' | 'content'>[] | undefined;
}

/** Indents the later lines of an entry, so that none of them looks like a heading. */
function indented(text: string): string {
  return text.replaceAll(/\r\n?|[\n\u2028\u2029]/gu, '\n  ');
}

/** Returns the prompt of a step: {@link Stream.buildTodoPrompt}, then what the loop adds. */
export function stepPrompt(input: StepPromptInput): string {
  const { stream, workflow, todo, notes, functions, calls = [], recalled = '', language } = input;
  const { derived = [] } = input;
  const text = texts[language];
  const aliases = functions
    .filter((one) => one.aliases.length > 0)
    .map((one) => `${one.aliases.join(', ')} = ${one.name}`);
  const sections = [
    recalled === '' ? [] : [text.recalled, recalled],
    calls.length === 0 ? [] : [text.calls, ...calls.map((call) => indented(text.call(call)))],
    derived.length === 0 ? [] : text.derived(derived.map(({ id, content }) => ({ id, content: indented(content) }))),
    [
      ...text.answer,
      ...otherFunctions({ stream, functions, language }),
      ...(aliases.length === 0 ? [] : [text.aliases(aliases.join('; '))]),
    ],
  ];
  const added = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  const hasTools = toolsBeside({ stream, functions }).length > 0;
  return [stream.buildTodoPrompt(workflow, todo, notes, { language, hasTools }), ...added].join('\n\n');
}
