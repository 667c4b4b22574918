import type { UnifiedMessage } from '@cairn/context';
import type { Language } from '@cairn/tool/kernel';
import { estimateTokens } from '@cairn/tool/prompt';
import { asSchema, tool, type ModelMessage, type ToolSet } from 'ai';
import type { z } from 'zod';
import { AgentError, asError } from '../errors.ts';
import { requestModel, resultOf, type ModelCall } from '../run/model-request.ts';
import { makeCall, type CallContext } from './calls.ts';
import { ASK_USER } from './functions/ask-user.ts';
import { checkInput } from './functions/check-input.ts';
import { loopTexts } from './loop-texts.ts';
import type { FunctionOutcome } from './types.ts';
import type { WorkflowContext } from './workflow-context.ts';

/** A tool that ends a turn: the engine acts on its input. */
interface ControlTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
}

/** What the model is sent at the start of a turn. It may change while calls are made. */
export interface TurnPrompt {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
}

export interface TurnOptions
  extends CallContext, Pick<WorkflowContext, 'model' | 'maxRequests' | 'maxTokens' | 'addUsage'> {
  readonly prompt: () => Promise<TurnPrompt>;
  readonly control: ControlTool | undefined;
  /** The step; absent before a record exists. */
  readonly todoId: string | undefined;
}

export type TurnEnd =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  /** `text`: the text next to the call. */
  | { readonly kind: 'control'; readonly input: unknown; readonly text: string }
  /** A call waits for a person, as the record states. `input`: of the control call of the same answer, unless another call failed. */
  | { readonly kind: 'paused'; readonly input?: unknown };

/** Returns the tools that the model is offered, and their tokens as a provider reads them. */
async function toolsOf({ functions, control }: TurnOptions): Promise<{ tools: ToolSet; toolTokens: number }> {
  const all = [...functions.map((one) => ({ ...one, name: one.toolName })), ...(control ? [control] : [])];
  const entries = all.map(({ name, description, inputSchema }) => [name, tool({ description, inputSchema })] as const);
  const tokens = all.map(async ({ name, description, inputSchema }) =>
    estimateTokens(JSON.stringify([name, description, await asSchema(inputSchema).jsonSchema])),
  );
  const toolTokens = (await Promise.all(tokens)).reduce((sum, one) => sum + one, 0);
  return { tools: Object.fromEntries(entries) as ToolSet, toolTokens };
}

/** Tokens of the prompt by the estimate of all budgets. */
function tokensOf(system: string, messages: readonly unknown[]): number {
  return estimateTokens(system) + estimateTokens(JSON.stringify(messages));
}

/** Returns the answer to a call with invalid arguments. The SDK's own would repeat them whole. */
async function refusalOf(
  { name, input, invalid }: ModelCall,
  inputSchema: z.ZodType,
  language: Language,
): Promise<FunctionOutcome> {
  const texts = loopTexts[language];
  if (typeof input === 'string') return { isError: true, output: texts.invalidCall(name, texts.notJson) };
  const checked = await checkInput({ name, inputSchema }, input, language);
  const problem = checked.isValid ? (invalid instanceof Error ? invalid.message : '') : checked.problem;
  return { isError: true, output: texts.invalidCall(name, problem) };
}

interface MadeCall {
  readonly call: ModelCall;
  readonly outcome: FunctionOutcome;
}

/** Runs the calls of an answer in order; neighbours that change nothing run together. After one that waits for a person, no other runs. */
async function makeCalls(
  calls: readonly ModelCall[],
  { todoId = 'todo_0', ...options }: TurnOptions,
): Promise<{ readonly outcomes: readonly MadeCall[]; readonly isPaused: boolean }> {
  const { functions, approvals, language } = options;
  const outcomes: MadeCall[] = [];
  const make = async (call: ModelCall): Promise<FunctionOutcome | undefined> => {
    const fn = functions.find(({ toolName }) => toolName === call.name);
    if (fn && call.invalid === undefined) return makeCall(options, { todoId, fn, input: call.input });
    if (fn) return refusalOf(call, fn.inputSchema, language);
    const names = functions.map(({ toolName }) => toolName);
    return { isError: true, output: loopTexts[language].unknownCall(call.name, names) };
  };
  const isFree = async (call: ModelCall): Promise<boolean> => {
    const fn = functions.find(({ toolName }) => toolName === call.name);
    return fn !== undefined && fn.name !== ASK_USER && approvals.isFree(fn, call.input);
  };
  for (let from = 0; from < calls.length;) {
    let to = from + 1;
    if (await isFree(calls[from] as ModelCall))
      while (to < calls.length && (await isFree(calls[to] as ModelCall))) to += 1;
    const group = calls.slice(from, to);
    const settled = await Promise.allSettled(group.map(make));
    for (const [index, one] of settled.entries()) {
      if (one.status === 'rejected') throw one.reason;
      if (one.value === undefined) return { outcomes, isPaused: true };
      outcomes.push({ call: group[index] as ModelCall, outcome: one.value });
    }
    from = to;
  }
  return { outcomes, isPaused: false };
}

/** The models of servers that rejected a request because of its tools. They answer as text. */
const withoutTools = new WeakSet<object>();

/** Whether a server rejected a request because it has tools, such as one for a model that cannot call any. */
function refusesTools(error: unknown): error is AgentError {
  return (
    AgentError.isInstance(error) && error.code === 'MODEL_REFUSED' && /\btools?\b|function.?call/iu.test(error.message)
  );
}

/**
 * Lets the model work: requests and calls of functions, until it answers with text, calls the control tool, or a call waits for a
 * person. When the calls fill the budget, the turn goes on from a new prompt, which states the calls of the record.
 *
 * @throws {AgentError} of the model; `TURN_TOO_LONG`, `TOO_LARGE`. @throws {MemoryError} of the store.
 */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { model, prompt, control, todoId, maxRequests, signal, emit, addUsage, language } = options;
  const place = todoId === undefined ? {} : { todo: todoId };
  const { tools, toolTokens } = await toolsOf(options);
  const maxTokens = options.maxTokens - toolTokens;
  let { system, messages: start } = await prompt();
  let added: UnifiedMessage[] = [];
  for (let request = 0; request < maxRequests; request += 1) {
    if (added.length > 0 && tokensOf(system, [...start, ...added]) > maxTokens) {
      ({ system, messages: start } = await prompt());
      added = [];
    }
    const tokens = tokensOf(system, start);
    if (added.length === 0 && tokens > maxTokens) {
      throw new AgentError('TOO_LARGE', [
        `The prompt has about ${Math.ceil(tokens + toolTokens)} tokens, more than the ${options.maxTokens} of the budget`,
        'Shorten the request, offer fewer functions, or raise `maxTokens`',
      ]);
    }
    const answer = await requestModel({
      model,
      system,
      messages: [...start, ...(added as ModelMessage[])],
      tools: withoutTools.has(model) ? {} : tools,
      signal,
      onText: (text) => emit({ type: 'text', text, ...place }),
      onReasoning: (text) => emit({ type: 'reasoning', text, ...place }),
    });
    addUsage(answer.usage);
    if (answer.finishReason === 'aborted') throw signal?.aborted ? signal.reason : answer.error;
    if (answer.finishReason === 'error') {
      if (!refusesTools(answer.error) || withoutTools.has(model)) throw asError(answer.error);
      withoutTools.add(model);
      emit({ type: 'notice', text: loopTexts[language].noTools(answer.error.message) });
      continue;
    }
    const { calls, text, message } = answer;
    const isCut = answer.finishReason === 'length' || answer.finishReason === 'content-filter';
    if (calls.length === 0 || message === undefined) return { kind: 'text', text, isCut };
    added.push(message);
    const others = calls.filter((call) => call.name !== control?.name);
    const controls = calls.filter((call) => call.name === control?.name);
    const { outcomes, isPaused } = await makeCalls(others, options);
    const [first] = controls;
    const hasFailed = outcomes.some(({ outcome }) => outcome.isError);
    const isAccepted = first !== undefined && controls.length === 1 && first.invalid === undefined && !hasFailed;
    if (isPaused) return { kind: 'paused', ...(isAccepted && { input: first.input }) };
    if (isAccepted) return { kind: 'control', input: first.input, text };
    const refuse = async (call: ModelCall): Promise<FunctionOutcome> => {
      if (hasFailed || !control) return { isError: true, output: loopTexts[language].failedBefore };
      if (call.invalid === undefined) return { isError: true, output: loopTexts[language].onlyOnce(call.name) };
      return refusalOf(call, control.inputSchema, language);
    };
    const refused = await Promise.all(controls.map(async (call) => ({ call, outcome: await refuse(call) })));
    const content = [...outcomes, ...refused].map(({ call, outcome: { isError, output } }) =>
      resultOf(call, { type: isError ? 'error-text' : 'text', value: output }),
    );
    added.push({ role: 'tool', content });
  }
  throw new AgentError('TURN_TOO_LONG', [
    `The model made ${maxRequests} requests without ending the ${todoId === undefined ? 'turn' : 'step'}`,
    'Let it do less at once, or raise `maxRequests`',
  ]);
}
