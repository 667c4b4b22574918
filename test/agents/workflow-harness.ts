import { createWorkflows, toStreamFunctions } from '@cairn/agents';
import type { AgentWorkflows, FunctionDefinition, WorkflowEvent, WorkflowsOptions } from '@cairn/agents';

import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import type { Language } from '@cairn/tool/kernel';
import { onTestFinished } from 'vitest';
import { startModelServer } from '../support/model-server.ts';
import type { ModelReply, ModelRequest, ModelScript, ModelServer } from '../support/model-server.ts';

export interface Harness {
  readonly memory: Memory;
  readonly backend: MemoryBackend;
  readonly server: ModelServer;
  readonly workflows: AgentWorkflows;
  readonly events: WorkflowEvent[];
  /** Keeps the events of a call. */
  readonly onEvent: (event: WorkflowEvent) => void;
}

export interface HarnessOptions extends Partial<Omit<WorkflowsOptions, 'memory' | 'model'>> {
  readonly script: ModelScript;
  /** The functions of `desktop`, which is merged into `chat`. */
  readonly functions?: readonly FunctionDefinition[];
  readonly chatFunctions?: readonly FunctionDefinition[];
  readonly backend?: MemoryBackend;
  readonly language?: Language;
}

/** Starts a model server, and workflows over the streams `chat` and `desktop`. */
export async function startWorkflows(options: HarnessOptions): Promise<Harness> {
  const { script, backend = inProcess(), ...others } = options;
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return attach(server, backend, others);
}

/** Opens workflows as another process would: with a memory of their own on the same store. */
export function attach(server: ModelServer, backend: MemoryBackend, options: Omit<HarnessOptions, 'script'>): Harness {
  const { functions = [], chatFunctions = [], language = 'en', ...others } = options;
  const memory = createMemory({ backend, language });
  const persona = language === 'zh' ? '你是一个智能助手。' : 'You are a helper.';
  memory.defineStream({ name: 'chat', persona, functions: toStreamFunctions(chatFunctions) });
  memory.defineStream({ name: 'desktop', functions: toStreamFunctions(functions) });
  const requests = { maxRetries: 0 };
  const workflows = createWorkflows({ memory, model: 'm', baseUrl: server.url, language, requests, ...others });
  onTestFinished(async () => {
    await workflows.close();
    await memory.close();
  });
  const events: WorkflowEvent[] = [];
  return { memory, backend, server, workflows, events, onEvent: (event) => events.push(event) };
}

/** The todos of a request, as the model lists them. */
export function todos(...list: string[]): ModelReply {
  return { toolCalls: [{ name: 'create_todos', input: { todos: list } }] };
}

/** A call of a function of `desktop`. */
export function call(name: string, input: object = {}): ModelReply {
  return { toolCalls: [{ name: `desktop_${name}`, input }] };
}

/** The text of a message of a request. */
export function textOf({ chat }: ModelRequest, index: number): string {
  const content = chat.messages.at(index)?.content;
  if (typeof content !== 'string') throw new Error(`message ${index} is not a text`);
  return content;
}

/** A report of a step. */
export function report(
  completion: number,
  more: { next_step?: string; note?: string; result?: string } = {},
): ModelReply {
  return { toolCalls: [{ name: 'finish_step', input: { completion, ...more } }] };
}
