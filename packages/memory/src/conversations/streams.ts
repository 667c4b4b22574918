import type { CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { quoted } from '../records/keys.ts';
import type { Message, NewMessage } from './message.ts';
import type { AddedMessage, Messages } from './messages.ts';
import type { Notes } from '../workflows/notes.ts';
import type { Recall, RecalledContext, RecallOptions } from './recall.ts';
import { functionsPrompt, mergedName, mergeShapes, shapeOf, systemPrompt } from './stream.ts';
import type { StreamDefinition, StreamFunction, StreamShape } from './stream.ts';

/** Options of reading a history. */
export interface HistoryOptions extends CallOptions {
  /** The maximum number of messages, newest first. @default Infinity */
  readonly limit?: number | undefined;
}

/** A call of a stream's function. */
export interface FunctionCall {
  /** `fn`, or `stream.fn` for a secondary stream of a merge. */
  readonly type: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A stream with a separate memory, which no other stream sees. */
export interface Stream extends Notes {
  readonly name: string;
  readonly persona: string;
  /** The functions by the names that {@link Stream.execute} accepts. */
  readonly functions: ReadonlyMap<string, StreamFunction>;
  /** The merged streams, the main one first; empty for a plain stream. */
  readonly parents: readonly string[];
  /**
   * Stores a message as the newest of its group. With an id the call can be repeated.
   *
   * @throws {MemoryError} `MESSAGE_EXISTS`, `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`.
   */
  readonly addMessage: (group: string, message: NewMessage, options?: CallOptions) => Promise<AddedMessage>;
  /** Returns the messages of a group, newest first. */
  readonly history: (group: string, options?: HistoryOptions) => Promise<Message[]>;
  /** Recalls messages and notes of a group by a query, best first. */
  readonly retrieveRelevantContexts: (options: Omit<RecallOptions, 'stream'>) => Promise<RecalledContext[]>;
  /** Returns the list of functions for a prompt, one per line. */
  readonly buildFunctionsPrompt: () => string;
  /** Returns the system prompt: the persona, the functions and the memory space. */
  readonly buildSystemPrompt: (context: { readonly group: string }) => string;
  /**
   * Calls a function.
   *
   * @throws {MemoryError} `UNKNOWN_FUNCTION`; and every error of the function.
   */
  readonly execute: (call: FunctionCall, context?: unknown) => Promise<unknown>;
}

/** Selects streams to merge. */
export interface MergeOptions {
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
  readonly recall: Recall;
}

function createStream(shape: StreamShape, { messages, notes, recall }: StreamDependencies): Stream {
  const { name, functions } = shape;
  return {
    ...shape,
    storeNote: notes.storeNote,
    getNotes: notes.getNotes,
    removeNotes: notes.removeNotes,
    addMessage: (group, message, options) => messages.add({ stream: name, group }, message, options),
    history: (group, options) => messages.history({ stream: name, group }, options),
    retrieveRelevantContexts: (options) => recall({ ...options, stream: name }),
    buildFunctionsPrompt: () => functionsPrompt(shape),
    buildSystemPrompt: ({ group }) => systemPrompt(shape, group),
    execute: async ({ type, params = {} }, context) => {
      const execute = functions.get(type)?.execute;
      if (execute) return execute(params, context);
      const known = [...functions].filter(([, one]) => one.execute).map(([key]) => key);
      const has = known.length === 0 ? 'It has no functions.' : `It has ${known.join(', ')}.`;
      const summary = `The stream ${quoted(name)} has no function ${quoted(type)} to call`;
      throw new MemoryError('UNKNOWN_FUNCTION', [summary, has]);
    },
  };
}

function isSameMerge(a: StreamShape, b: StreamShape): boolean {
  return a.parents.length > 0 && JSON.stringify(a.parents) === JSON.stringify(b.parents);
}

export function createStreams(dependencies: StreamDependencies): Streams {
  const known = new Map<string, { readonly shape: StreamShape; readonly stream: Stream }>();

  const add = (shape: StreamShape): Stream => {
    const stream = createStream(shape, dependencies);
    known.set(shape.name, { shape, stream });
    return stream;
  };
  const nameInUse = (name: string, owner: string): MemoryError =>
    new MemoryError('STREAM_EXISTS', [
      `The name ${quoted(name)} is in use by ${owner}`,
      'Use another name: two streams with one name would share one memory.',
    ]);
  const describe = ({ parents }: StreamShape): string =>
    parents.length === 0 ? 'another stream' : `the merge of ${parents.join(' + ')}`;
  const find = (name: string): { readonly shape: StreamShape; readonly stream: Stream } => {
    const found = known.get(name);
    if (found) return found;
    const names =
      known.size === 0 ? 'No stream is defined' : `Defined streams: ${[...known.keys()].map(quoted).join(', ')}`;
    throw new MemoryError('UNKNOWN_STREAM', [
      `Unknown stream ${quoted(String(name))}`,
      `${names}. Use one of them, or define the stream first.`,
    ]);
  };

  return {
    defineStream: (definition) => {
      const shape = shapeOf(definition);
      const other = known.get(shape.name);
      if (other) throw nameInUse(shape.name, describe(other.shape));
      return add(shape);
    },
    mergeStreams: ({ name, main, secondary }) => {
      const parents = [main, ...secondary].map((parent) => find(parent).shape);
      const [first, ...rest] = parents;
      // `find` throws for every unknown name, so the main stream is defined.
      if (first === undefined)
        throw new MemoryError('UNKNOWN_STREAM', ['The main stream is missing', 'Pass the name of a stream.']);
      const shape = mergeShapes(name ?? mergedName(main, secondary), first, rest);
      const other = known.get(shape.name);
      if (other === undefined) return add(shape);
      if (isSameMerge(other.shape, shape)) return other.stream;
      throw nameInUse(shape.name, describe(other.shape));
    },
    stream: (name) => find(name).stream,
    streamNames: () => [...known.keys()],
  };
}
