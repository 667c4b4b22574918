import type { Stream, StreamFunction } from '@cairn/memory';
import type { ToolDefinition, Tools } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import { AgentError } from '../../errors.ts';
import type { FunctionCallContext, FunctionOutcome, WorkflowFunction } from '../types.ts';
import { checkInput } from './check-input.ts';
import { schemaOf, type FunctionExtras } from './definition.ts';
import { outcomeOf, outcomeOfError } from './outcome.ts';

type Body = (input: unknown, context: FunctionCallContext) => unknown;

/** Calls a function. After an abort it is not waited for: its outcome is then unknown. */
async function call(body: Body, input: unknown, context: FunctionCallContext): Promise<FunctionOutcome> {
  const { signal } = context;
  signal.throwIfAborted();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return outcomeOf(await Promise.race([(async () => body(input, context))(), aborted]));
  } catch (error) {
    signal.throwIfAborted();
    return outcomeOfError(error);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
  }
}

interface Parts extends Pick<WorkflowFunction, 'name' | 'description' | 'inputSchema'>, FunctionExtras {
  readonly body: Body;
  /** Whether the function checks its input, and so gets it as the model wrote it. */
  readonly checksInput?: boolean;
  readonly tool?: ToolDefinition;
}

function createFunction(parts: Parts, language: Language): Omit<WorkflowFunction, 'toolName'> {
  const { name, description, inputSchema, body, aliases = [], readOnly = false, checksInput = false, tool } = parts;
  return {
    name,
    description,
    inputSchema,
    aliases,
    isReadOnly: readOnly,
    ...(tool && { tool }),
    execute: async (input, context) => {
      if (checksInput) return call(body, input, context);
      const checked = await checkInput({ name, inputSchema }, input, language);
      if (!checked.isValid) return { output: checked.problem, isError: true };
      return call(body, checked.output, context);
    },
  };
}

/** Returns the functions of a stream as {@link Stream.execute} calls them: `fn`, and `stream.fn` of a merged one with its root. */
function ofStream(stream: Pick<Stream, 'functions' | 'execute'>): Parts[] {
  return [...stream.functions].map(([name, one]): Parts => {
    const { description, parameters, execute, schema, ...extras }: StreamFunction & FunctionExtras = one;
    const body: Body = (input, { signal, callId }) => {
      if (execute === undefined) throw new Error(`${name} cannot be called here; use another function.`);
      return stream.execute({ type: name, params: input as Readonly<Record<string, unknown>> }, { signal, callId });
    };
    return { ...extras, name, description, inputSchema: schema ?? schemaOf(parameters), body };
  });
}

/** Returns the functions that tools are. A tool checks its input itself. */
function ofTools(tools: Tools): Parts[] {
  return Object.values(tools).map((tool): Parts => {
    const { name, description, inputSchema, annotations } = tool;
    const body: Body = (input, { signal, beforeChange }) => tool.execute(input, { signal, beforeChange });
    return { name, description, inputSchema, readOnly: annotations.readOnlyHint, checksInput: true, body, tool };
  });
}

const MAX_TOOL_NAME = 64;

/** Returns a name that every provider accepts for a tool, and that is not taken. */
function toolNameOf(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[^\w-]+/gu, '_')
    .slice(0, MAX_TOOL_NAME);
  const base = /[\da-z]/iu.test(plain) ? plain : 'function';
  const numbered = (count: number): string => `${base.slice(0, MAX_TOOL_NAME - String(count).length - 1)}_${count}`;
  let result = base;
  for (let count = 2; taken.has(result); count++) result = numbered(count);
  return result;
}

export interface FunctionSources {
  readonly stream: Pick<Stream, 'functions' | 'execute'>;
  readonly tools?: Tools | undefined;
  /** The function that asks the user, which the loop serves. @default none */
  readonly askUser?: WorkflowFunction | undefined;
  readonly reserved?: readonly string[] | undefined;
  readonly language?: Language | undefined;
}

/** Returns the functions of a workflow: of its stream and its tools. @throws {AgentError} `INVALID_FUNCTIONS` for a function and a tool of one name. */
export function workflowFunctions(sources: FunctionSources): WorkflowFunction[] {
  const { stream, tools = {}, askUser, reserved = [], language = 'en' } = sources;
  const all = [...ofStream(stream), ...ofTools(tools)].map((parts) => createFunction(parts, language));
  const names = all.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    const summary = `A function and a tool have the name ${JSON.stringify(twice)}`;
    throw new AgentError('INVALID_FUNCTIONS', [summary, 'Rename the function.']);
  }
  const taken = new Set([...reserved, ...(askUser === undefined ? [] : [askUser.toolName])]);
  const result = all.map((one): WorkflowFunction => {
    const toolName = toolNameOf(one.name, taken);
    taken.add(toolName);
    return { ...one, toolName };
  });
  if (askUser === undefined) return result;
  // A function of the user may have one of its aliases.
  const used = new Set(result.flatMap((one) => [one.name, ...one.aliases]));
  return [...result, { ...askUser, aliases: askUser.aliases.filter((alias) => !used.has(alias)) }];
}
