import type { AssistantMessage, ToolCallPart, ToolResultPart } from '@cairn/context';
import { streamText, ToolChoiceViolationError } from 'ai';
import type { LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from 'ai';
import { asError } from '../errors.ts';
import { isBlock } from '../model/thoughts.ts';

export interface ModelRequest {
  /** A model that repeats requests by itself and fails with `AgentError`s: see `resolveModel`. */
  readonly model: LanguageModel;
  /** @default none */
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  /** Their `execute` is not called: the caller runs the calls of the answer. */
  readonly tools?: ToolSet | undefined;
  /** @default 'auto' */
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  readonly onReasoning?: ((text: string) => void) | undefined;
}

export interface ModelCall {
  readonly id: string;
  /** As the model wrote it. In messages it is {@link sendableName}. */
  readonly name: string;
  /** The arguments; the text of them when they are not JSON. */
  readonly input: ToolCallPart['input'];
  /** Why the call is invalid: there is no such tool, or its input does not fit. */
  readonly invalid?: Error;
}

export interface ModelAnswer {
  /** What the model wrote, with its calls; absent when it wrote nothing. */
  readonly message: AssistantMessage | undefined;
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /**
   * `aborted`: the signal ended the request. `error`: see `error`. `tool-calls` without calls: the model made calls though
   * `toolChoice` was `none`.
   */
  readonly finishReason: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'aborted' | 'error';
  /** Absent when the request failed. Counts that the server left out are `undefined`. */
  readonly usage: LanguageModelUsage | undefined;
  readonly error?: Error;
}

type Content = Exclude<AssistantMessage['content'], string>;

/** The names of tools that the servers of models accept. */
const SENDABLE = /^[\w-]{1,64}$/u;

/** Returns the name of a tool for messages. A server rejects each later request that repeats a name with other characters. */
function sendableName(name: string): string {
  return SENDABLE.test(name) ? name : name.replaceAll(/[^\w-]/gu, '_').slice(0, 64) || 'unnamed';
}

export function resultOf({ id, name }: ModelCall, output: ToolResultPart['output']): ToolResultPart {
  return { type: 'tool-result', toolCallId: id, toolName: sendableName(name), output };
}

/** Returns a message with the names that servers accept, without thoughts that were text. `undefined` when nothing is left. */
function sendableMessage(message: AssistantMessage): AssistantMessage | undefined {
  if (typeof message.content === 'string') return message;
  const isSendable = (part: Content[number]): boolean =>
    part.type === 'tool-call' ? SENDABLE.test(part.toolName) : !isBlock(part);
  if (message.content.every(isSendable)) return message;
  const content = message.content.flatMap((part): Content => {
    if (part.type === 'tool-call') return [{ ...part, toolName: sendableName(part.toolName) }];
    return isBlock(part) ? [] : [part];
  });
  return content.length === 0 ? undefined : { ...message, content };
}

/** Removes `execute`, so that the SDK leaves the calls to the caller. */
function withoutExecute(tools: ToolSet): ToolSet {
  const entries = Object.entries(tools).map(([name, { execute: _, ...tool }]) => [name, tool]);
  return Object.fromEntries(entries) as ToolSet;
}

/** What arrived of an answer that was cut. */
class Received {
  readonly content: Content = [];
  readonly calls: ModelCall[] = [];
  text = '';

  addText(text: string): void {
    this.text += text;
    const last = this.content.at(-1);
    if (last?.type === 'text') last.text += text;
    else this.content.push({ type: 'text', text });
  }

  addCall(call: ModelCall): void {
    this.calls.push(call);
    const input = typeof call.input === 'object' && call.input !== null ? call.input : {};
    this.content.push({ type: 'tool-call', toolCallId: call.id, toolName: sendableName(call.name), input });
  }

  /** Reasoning is left out: a provider rejects it without its signature, which comes at its end. */
  get message(): AssistantMessage | undefined {
    return this.content.length > 0 ? { role: 'assistant', content: this.content } : undefined;
  }
}

/** Sends one request and streams its answer. Never rejects: a failure is in the answer, with what arrived before it. */
export async function requestModel(request: ModelRequest): Promise<ModelAnswer> {
  const { system = '', tools = {}, toolChoice, maxOutputTokens, signal } = request;
  const received = new Received();
  const cut = (error: unknown): ModelAnswer => ({
    message: received.message,
    text: received.text,
    calls: received.calls,
    finishReason: signal?.aborted ? 'aborted' : 'error',
    usage,
    ...(error !== undefined && { error: asError(error) }),
  });
  let usage: LanguageModelUsage | undefined;
  let whole: AssistantMessage | undefined;
  let finishReason: ModelAnswer['finishReason'] = 'stop';
  try {
    const { stream } = streamText({
      model: request.model,
      ...(system !== '' && { instructions: system }),
      messages: [...request.messages],
      ...(Object.keys(tools).length > 0 && { tools: withoutExecute(tools), toolChoice: toolChoice ?? 'auto' }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(signal && { abortSignal: signal }),
      maxRetries: 0,
      // The default prints it.
      onError: () => undefined,
      onStepEnd: (step) => {
        const first = step.response.messages.find((message) => message.role === 'assistant');
        whole = first && sendableMessage(first as AssistantMessage);
      },
    });
    let error: unknown;
    let isForbidden = false;
    for await (const part of stream) {
      if (part.type === 'text-delta') {
        received.addText(part.text);
        request.onText?.(part.text);
      } else if (part.type === 'reasoning-delta') request.onReasoning?.(part.text);
      else if (part.type === 'tool-call') {
        const { toolCallId: id, toolName: name, input, invalid, error: problem } = part;
        // The provider itself runs the others, and their results are in the message.
        if (part.providerExecuted !== true)
          received.addCall({ id, name, input, ...(invalid === true && { invalid: asError(problem) }) });
      } else if (part.type === 'error') {
        // The SDK withholds calls that `none` forbids, and the rest of the answer counts.
        if (toolChoice === 'none' && ToolChoiceViolationError.isInstance(part.error)) isForbidden = true;
        else error ??= part.error;
      } else if (part.type === 'finish-step') {
        usage = part.usage;
        if (part.finishReason === 'interrupted') error ??= new Error('The provider interrupted the answer');
        else if (part.finishReason !== 'other') finishReason = part.finishReason;
      } else if (part.type === 'abort') return cut(part.reason);
    }
    if (isForbidden && error === undefined) {
      return { message: received.message, text: received.text, calls: [], finishReason: 'tool-calls', usage };
    }
    if (error !== undefined || finishReason === 'error') {
      return cut(error ?? new Error('The model reported an error without a reason'));
    }
    return { message: whole, text: received.text, calls: received.calls, finishReason, usage };
  } catch (error) {
    return cut(error);
  }
}
