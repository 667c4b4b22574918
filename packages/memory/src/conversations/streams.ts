import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { quoted, type Language } from '@cairn/tool/kernel';
import { refuse } from '../records/checks.ts';
import { callOptions, type CallOptions } from '../records/backend.ts';
import { checkArguments, MemoryError } from '../errors.ts';
import { isSameStream, nameInUse, type Claims } from './claims.ts';
import type { Message, NewMessage } from './message.ts';
import type { AddedMessage, Messages } from './messages.ts';
import type { Note, Notes } from '../workflows/notes.ts';
import type { Todo, WorkflowRecord } from '../workflows/workflow-record.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { functionsPrompt, systemPrompt, todoPrompt } from './prompts.ts';
import { retrieve, type Recall, type RecalledContext, type RetrieveOptions } from './recall.ts';
import { mergeShapes, shapeOf } from './stream.ts';
import type { FunctionContext, StreamDefinition, StreamFunction, StreamShape } from './stream.ts';

/** A call of a stream's function. */
interface FunctionCall {
  /** `fn`, or `stream.fn` for a secondary stream of a merge. */
  readonly type: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A stream with a separate memory, which no other stream sees. Before its memory is first used, its name and the names of its
 * parents are claimed in the store. Then a call fails with `STREAM_EXISTS` when another stream has the name, in any process.
 */
export interface Stream extends Notes {
  readonly name: string;
  readonly persona: string;
  /** The functions by the names that {@link Stream.execute} accepts. */
  readonly functions: ReadonlyMap<string, StreamFunction>;
  /** The merged streams, the main one first; empty for a plain stream. */
  readonly parents: readonly string[];
  /** The language of its prompts. */
  readonly language: Language;
  /**
   * Stores a message as the newest of its group. With an id the call can be repeated. A message of the user tells which workflow
   * it resumes; `workflows.acquire` resumes it.
   *
   * @throws {MemoryError} `MESSAGE_EXISTS`, `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`.
   */
  readonly addMessage: (group: string, message: NewMessage, options?: CallOptions) => Promise<ConversationMessage>;
  /** Returns the messages of a group, newest first, at most `limit`. */
  readonly history: (
    group: string,
    options?: CallOptions & { readonly limit?: number | undefined },
  ) => Promise<Message[]>;
  /**
   * Recalls messages and notes of a group by a query, best first. When fewer than the limit match, the newest messages of the
   * group follow, marked with `isRecent`.
   */
  readonly retrieveRelevantContexts: {
    (options: RetrieveOptions): Promise<RecalledContext[]>;
    (group: string, query: string, includeNotes?: boolean, workflowId?: string): Promise<RecalledContext[]>;
  };
  /** Returns the list of functions for a prompt, one per line, with their roots. */
  readonly buildFunctionsPrompt: (options?: PromptOptions) => string;
  /** Returns the system prompt: the persona, the functions and the memory space. */
  readonly buildSystemPrompt: (context: SystemPromptOptions) => string;
  /**
   * Returns the prompt of a step: the task, the goal, the notes, the functions, and the format of the answer. The notes take at
   * most 4,000 characters, newest first; the text states what is left out. The results of steps follow whose notes have expired.
   *
   * @param notes the notes, or a string with them. Default: the notes of the record, which `workflows.get` reads
   */
  readonly buildTodoPrompt: (
    workflow: Pick<WorkflowRecord, 'goal' | 'todos' | 'notes'>,
    todo: Pick<Todo, 'content'>,
    notes?: string | readonly Note[],
    options?: FunctionsPromptOptions,
  ) => string;
  /**
   * Calls a function. A stream with a `root` adds it to the context.
   *
   * @throws {MemoryError} `UNKNOWN_FUNCTION`; and every error of the function.
   */
  readonly execute: (call: FunctionCall, context?: FunctionContext) => Promise<unknown>;
}

/** A message of a conversation as it was stored. */
interface ConversationMessage extends AddedMessage {
  /** The id of the workflow that waits for this message of the user: of several, the one that asked last. */
  readonly resumes?: string;
}

interface PromptOptions {
  /** @default the language of the stream */
  readonly language?: Language | undefined;
}

/** Options of a prompt that states the functions. */
interface FunctionsPromptOptions extends PromptOptions {
  /** Whether the model can also call tools, so that a stream without functions does not state that there are none. @default false */
  readonly hasTools?: boolean | undefined;
}

interface SystemPromptOptions extends FunctionsPromptOptions {
  readonly group: string;
  /** Whether to state the memory space; `false` for a run without a memory. @default true */
  readonly includeMemory?: boolean | undefined;
}

interface MergeOptions {
  /** @default the names of the streams, joined by `-` */
  readonly name?: string | undefined;
  readonly main: string;
  readonly secondary: readonly string[];
}

/** The streams of a memory. */
export interface Streams {
  /** Defines a stream. @throws {MemoryError} `STREAM_EXISTS`, `INVALID_NAME`. */
  readonly defineStream: (definition: StreamDefinition) => Stream;
  /**
   * Merges streams into a new one with a separate memory. Repeating a merge returns the same stream.
   *
   * @throws {MemoryError} `UNKNOWN_STREAM`, `STREAM_EXISTS` when another stream has the name, `INVALID_INPUT`.
   */
  readonly mergeStreams: (options: MergeOptions) => Stream;
  /** Returns a defined stream. @throws {MemoryError} `UNKNOWN_STREAM`. */
  readonly stream: (name: string) => Stream;
  /** Returns the names of all streams, in the order of their definition. */
  readonly streamNames: () => string[];
}

export interface StreamDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly workflows: Pick<Workflows, 'waiting'>;
  readonly recall: Recall;
  readonly claims: Claims;
  readonly language: Language;
  /** The lifetime of temporary notes. */
  readonly noteLifetimeMs: number;
}

async function call(
  { name, functions }: StreamShape,
  { type, params = {} }: FunctionCall,
  context: FunctionContext | undefined,
): Promise<unknown> {
  const { execute, root } = functions.get(type) ?? {};
  if (execute) return execute(params, root === undefined ? context : { root, ...context });
  const known = [...functions].filter(([, one]) => one.execute).map(([key]) => key);
  const has = known.length === 0 ? 'It has no functions.' : `It has ${known.join(', ')}.`;
  const summary = `The stream ${quoted(name)} has no function ${quoted(String(type))} to call`;
  throw new MemoryError('UNKNOWN_FUNCTION', [summary, has]);
}

const rendering = { language: 'optional', hasTools: 'optional' } as const;

const recalled = {
  ...callOptions,
  query: 'required',
  includeNotes: 'optional',
  workflowId: 'optional',
  limit: 'optional',
  minEvidence: 'optional',
  onNotice: 'optional',
} as const;

/** The options of `retrieveRelevantContexts` of a stream, which takes positional arguments too. */
export const retrieveOptions: OptionNames<RetrieveOptions> = { ...recalled, group: 'required' };

const definition: OptionNames<StreamDefinition> = {
  name: 'required',
  persona: 'optional',
  functions: 'optional',
  root: 'optional',
  language: 'optional',
};

const merge: OptionNames<MergeOptions> = { name: 'optional', main: 'required', secondary: 'required' };

export const streamsCalls: CallTable<Streams> = { defineStream: [definition], mergeStreams: [merge] };

/** The functions of a stream that throw. */
const streamDirectCalls: CallTable<Stream> = {
  buildFunctionsPrompt: [{ language: 'optional' }],
  buildSystemPrompt: [{ ...rendering, group: 'required', includeMemory: 'optional' }],
  buildTodoPrompt: ['object', 'object', 'any', rendering],
};

const streamCalls: CallTable<Stream> = {
  addMessage: ['any', 'object', callOptions],
  history: ['any', { ...callOptions, limit: 'optional' }],
  // The context has what the functions of the caller need, under any name.
  execute: ['object'],
};

/** @param lineage the stream and all streams that it merges */
function createStream(shape: StreamShape, lineage: readonly StreamShape[], dependencies: StreamDependencies): Stream {
  const { messages, notes, workflows, recall, claims, noteLifetimeMs } = dependencies;
  const { name } = shape;
  const languageOf = ({ language = shape.language }: PromptOptions = {}): Language => checkArguments.language(language);
  const ensure = (options: CallOptions = {}): Promise<void> => claims.ensure(lineage, { signal: options.signal });
  const stream: Stream = {
    ...shape,
    ...notes,
    addMessage: async (group, message, options = {}) => {
      const isOfUser = message.role === undefined || message.role === 'user';
      const { signal } = options;
      const found = isOfUser ? workflows.waiting({ stream: name, group, signal }) : [];
      const [[waiting]] = await Promise.all([found, ensure(options)]);
      const added = await messages.add({ stream: name, group }, message, { signal });
      return { ...added, ...(waiting && { resumes: waiting.id }) };
    },
    history: async (group, options) => {
      await ensure(options);
      return messages.history({ stream: name, group }, options);
    },
    retrieveRelevantContexts: async (
      first: RetrieveOptions | string,
      query: string = '',
      includeNotes?: boolean,
      workflowId?: string,
    ) => {
      if (typeof first !== 'string') checkArguments.options('retrieveRelevantContexts', first, retrieveOptions);
      const options = typeof first === 'string' ? { group: first, query, includeNotes, workflowId } : first;
      await ensure(options);
      return retrieve({ recall, messages }, { ...options, stream: name });
    },
    buildFunctionsPrompt: (options) => functionsPrompt(shape, languageOf(options)),
    buildSystemPrompt: ({ group, language, includeMemory = true, hasTools = false }) =>
      systemPrompt(shape, includeMemory ? group : undefined, { language: languageOf({ language }), hasTools }),
    buildTodoPrompt: (workflow, todo, notesOfStep = workflow.notes, options = {}) =>
      todoPrompt(
        shape,
        { workflow, todo, notes: notesOfStep, noteLifetimeMs },
        { language: languageOf(options), hasTools: options.hasTools ?? false },
      ),
    execute: (one, context) => call(shape, one, context),
  };
  return checkArguments.calls(checkArguments.directCalls(stream, streamDirectCalls), streamCalls);
}

interface Known {
  readonly shape: StreamShape;
  readonly stream: Stream;
  /** The shapes of the stream and of all streams that it merges. */
  readonly lineage: readonly StreamShape[];
}

export function createStreams(dependencies: StreamDependencies): Streams {
  const known = new Map<string, Known>();

  const add = (shape: StreamShape, parents: readonly Known[] = []): Stream => {
    const lineage = [...new Set(parents.flatMap((parent) => parent.lineage)), shape];
    const stream = createStream(shape, lineage, dependencies);
    known.set(shape.name, { shape, stream, lineage });
    return stream;
  };
  const find = (name: string): Known => {
    const found = known.get(name);
    if (found) return found;
    const names =
      known.size === 0
        ? 'No stream is defined'
        : `Defined streams: ${[...known.keys()].map((name) => quoted(name)).join(', ')}`;
    throw new MemoryError('UNKNOWN_STREAM', [
      `Unknown stream ${quoted(String(name))}`,
      `${names}. Use one of them, or define the stream first.`,
    ]);
  };

  return {
    defineStream: (definition) => {
      const shape = shapeOf(definition, dependencies.language);
      const other = known.get(shape.name);
      if (other) throw nameInUse(other.shape);
      return add(shape);
    },
    mergeStreams: ({ name, main, secondary }) => {
      if (!Array.isArray(secondary)) refuse('`secondary` is not a list', 'Pass a list of names of streams.');
      const parents = [main, ...(secondary as readonly string[])].map((parent) => find(parent));
      const [first, ...rest] = parents.map(({ shape }) => shape);
      // `find` throws for every unknown name, so the main stream is defined.
      if (first === undefined)
        throw new MemoryError('UNKNOWN_STREAM', ['The main stream is missing', 'Pass the name of a stream.']);
      const shape = mergeShapes(name ?? [main, ...secondary].join('-'), first, rest);
      const other = known.get(shape.name);
      if (other === undefined) return add(shape, parents);
      if (other.shape.parents.length > 0 && isSameStream(other.shape, shape)) return other.stream;
      throw nameInUse(other.shape);
    },
    stream: (name) => find(name).stream,
    streamNames: () => [...known.keys()],
  };
}
