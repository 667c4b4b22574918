import type { CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { quoted } from '../records/keys.ts';
import type { Message, NewMessage } from './message.ts';
import type { Messages } from './messages.ts';
import type { Notes } from '../workflows/notes.ts';
import type { RecalledContext, RetrieveOptions } from './recall.ts';
import { functionsPrompt, mergedName, mergeShapes, shapeOf, systemPrompt } from './stream.ts';
import type { StreamDefinition, StreamFunction, StreamShape } from './stream.ts';

/** How a message is added or read. */
export interface HistoryOptions extends CallOptions {
  /** The newest so many. @default all that are kept */
  readonly limit?: number | undefined;
}

/** A call of a function of a stream. */
export interface FunctionCall {
  /** `fn`, or `stream.fn` of a merged stream. */
  readonly type: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A stream with its memory, which no other stream sees. */
export interface Stream extends Notes {
  readonly name: string;
  readonly persona: string;
  /** By the names under which they are called here. */
  readonly functions: ReadonlyMap<string, StreamFunction>;
  /** What it was merged from, the main one first; empty when it was not. */
  readonly parents: readonly string[];
  /** Keeps a message, as the newest of its group. @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT`, `TOO_LARGE`. */
  readonly addMessage: (group: string, message: NewMessage, options?: CallOptions) => Promise<Message>;
  /** What was said in a group, newest first. */
  readonly history: (group: string, options?: HistoryOptions) => Promise<Message[]>;
  /** Finds what was said, and noted, about something; best first. */
  readonly retrieveRelevantContexts: (options: Omit<RetrieveOptions, 'stream'>) => Promise<RecalledContext[]>;
  /** The functions, one a line, as a prompt lists them. */
  readonly buildFunctionsPrompt: () => string;
  /** Who the model is, what it can do, and where it remembers. */
  readonly buildSystemPrompt: (context: { readonly group: string }) => string;
  /**
   * Carries a function out.
   *
   * @throws {MemoryError} `UNKNOWN_FUNCTION`; and whatever the function throws.
   */
  readonly execute: (call: FunctionCall, context?: unknown) => Promise<unknown>;
}

/** How streams are merged. */
export interface MergeOptions {
  /** @default the names of the streams, joined by `-` */
  readonly name?: string | undefined;
  readonly main: string;
  readonly secondary: readonly string[];
}

/** The streams of a memory. */
export interface Streams {
  /** Makes a stream known. @throws {MemoryError} `STREAM_EXISTS`, `INVALID_NAME`. */
  readonly defineStream: (definition: StreamDefinition) => Stream;
  /**
   * Merges streams to a new one with a memory of its own. The same merge twice is the same stream.
   *
   * @throws {MemoryError} `UNKNOWN_STREAM`, `STREAM_EXISTS` when something else has the name, `INVALID_INPUT`.
   */
  readonly mergeStreams: (options: MergeOptions) => Stream;
  /** @throws {MemoryError} `UNKNOWN_STREAM`. */
  readonly stream: (name: string) => Stream;
  /** The names of all, in the order in which they were made known. */
  readonly streamNames: () => string[];
}

export interface StreamDependencies {
  readonly messages: Messages;
  readonly notes: Notes;
  readonly retrieve: (options: RetrieveOptions) => Promise<RecalledContext[]>;
}

function createStream(shape: StreamShape, { messages, notes, retrieve }: StreamDependencies): Stream {
  const { name, functions } = shape;
  return {
    ...shape,
    storeNote: notes.storeNote,
    getNotes: notes.getNotes,
    removeNotes: notes.removeNotes,
    addMessage: (group, message, options) => messages.add({ stream: name, group }, message, options),
    history: (group, options) => messages.history({ stream: name, group }, options),
    retrieveRelevantContexts: (options) => retrieve({ ...options, stream: name }),
    buildFunctionsPrompt: () => functionsPrompt(shape),
    buildSystemPrompt: ({ group }) => systemPrompt(shape, group),
    execute: async ({ type, params = {} }, context) => {
      const execute = functions.get(type)?.execute;
      if (execute) return execute(params, context);
      const known = [...functions].filter(([, one]) => one.execute).map(([key]) => key);
      const has = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
      const summary = `The stream ${quoted(name)} has no function ${quoted(type)} that can be carried out`;
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
  const taken = (name: string, how: string): MemoryError =>
    new MemoryError('STREAM_EXISTS', [
      `The name ${quoted(name)} is taken by ${how}`,
      'Give another name: two streams of one name would share one memory.',
    ]);
  const described = ({ parents }: StreamShape): string =>
    parents.length === 0 ? 'another stream' : `the merge of ${parents.join(' + ')}`;
  const find = (name: string): { readonly shape: StreamShape; readonly stream: Stream } => {
    const found = known.get(name);
    if (found) return found;
    const have = known.size === 0 ? 'None is known' : `Known are ${[...known.keys()].map(quoted).join(', ')}`;
    throw new MemoryError('UNKNOWN_STREAM', [
      `There is no stream ${quoted(String(name))}`,
      `${have}; define it first.`,
    ]);
  };

  return {
    defineStream: (definition) => {
      const shape = shapeOf(definition);
      const other = known.get(shape.name);
      if (other) throw taken(shape.name, described(other.shape));
      return add(shape);
    },
    mergeStreams: ({ name, main, secondary }) => {
      const parents = [main, ...secondary].map((parent) => find(parent).shape);
      const [first, ...rest] = parents;
      // `find` has thrown for every name that is not known, so the main one is there.
      if (first === undefined) throw new MemoryError('UNKNOWN_STREAM', ['No main stream was given', 'Name one.']);
      const shape = mergeShapes(name ?? mergedName(main, secondary), first, rest);
      const other = known.get(shape.name);
      if (other === undefined) return add(shape);
      if (isSameMerge(other.shape, shape)) return other.stream;
      throw taken(shape.name, described(other.shape));
    },
    stream: (name) => find(name).stream,
    streamNames: () => [...known.keys()],
  };
}
