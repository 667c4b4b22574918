import type { CallTable } from '@cairn/tool/errors';
import type { Embed, GlossaryGroup } from '@cairn/retrieval';
import type { Language } from '@cairn/tool/kernel';
import { Claims } from './conversations/claims.ts';
import { createMessages, messageCalls, messageSource, type Messages, type Place } from './conversations/messages.ts';
import { createRecall, type Recall, type RecalledContext, type RetrieveOptions } from './conversations/recall.ts';
import { createStreams, retrieveOptions, streamsCalls, type Streams } from './conversations/streams.ts';
import { createFacts, factCalls } from './facts/facts.ts';
import type { Facts } from './facts/facts-api.ts';
import { createGraph, graphCalls, type Graph } from './graph/graph.ts';
import { exportLines, markdownLines, reportTo, type ExportOptions } from './maintenance/export.ts';
import { fromReadable } from './maintenance/readable.ts';
import { forget, type ForgetResult } from './maintenance/forget.ts';
import type { ForgetOptions } from './maintenance/forget-selection.ts';
import type { ImportResult } from './maintenance/import.ts';
import { listGroups, listNotes, measure } from './maintenance/overview.ts';
import type { GroupInfo, MemoryStats, NotesInfo } from './maintenance/overview.ts';
import { listUnreadable } from './maintenance/contents.ts';
import type { Problem } from './maintenance/problems.ts';
import { checkArguments, MemoryError } from './errors.ts';
import { callOptions, type BackupResult, type CallOptions, type MemoryBackend } from './records/backend.ts';
import { factsKey } from './records/keys.ts';
import { limitsOf, type FullRetention, type Retention } from './records/limits.ts';
import { createNamespace, namespaceCalls, type Namespace, type NamespaceOptions } from './records/namespace.ts';
import { MarkKeeper } from './projects/marks.ts';
import { createReader, type UnreadableListener, type UnreadableRecord } from './records/reader.ts';
import { createTermStore } from './terms/term-store.ts';
import type { Embeddings } from './vectors/embeddings.ts';
import { Meaning } from './vectors/meaning.ts';
import { createNotes, noteCalls, type Notes } from './workflows/notes.ts';
import { createWorkflows, workflowCalls, type Workflows } from './workflows/workflows.ts';

export interface MemoryOptions {
  /** The store: `memory()`, `sqlite()` or `redis()` of the subpaths, or another implementation. */
  readonly backend: MemoryBackend;
  /** The identity of the project that the facts belong to, such as the result of `projectOf`. @default none: only the user's */
  readonly project?: string | undefined;
  readonly retention?: Retention | undefined;
  /** The largest content, in bytes of UTF-8. @default 1 MiB */
  readonly maxContentBytes?: number | undefined;
  /** Returns vectors of texts, so that recall also ranks by meaning. Without it no text leaves the process. */
  readonly embed?: Embed | undefined;
  /**
   * A server of embeddings. Vectors of facts are stored next to them, made in the background, and merged into the ranking of
   * `facts.recall`. Those of messages too, if `embeddings.allowsSessions` allows it. @default none: nothing is sent
   */
  readonly embeddings?: Embeddings | undefined;
  /**
   * Returns more words that mean the same, such as those of the user's file; see `glossaryFiles` of `@cairn/memory/terms`. Called by
   * each search; another array makes the glossary again. @default only the glossary of `@cairn/retrieval`
   */
  readonly glossary?: (() => Promise<readonly GlossaryGroup[]>) | undefined;
  /** The language of texts for a model. @default 'en' */
  readonly language?: Language | undefined;
  /** Called for each unreadable record, once in each call that meets it. The record stays where it is. */
  readonly onUnreadable?: UnreadableListener | undefined;
}

/** A memory: messages of streams and groups, notes, workflows, knowledge graphs and namespaces. */
export interface Memory extends Notes, Streams, AsyncDisposable {
  /** The name of the store. */
  readonly backendName: string;
  /** The store. For data of other packages use {@link Memory.namespace}. */
  readonly backend: MemoryBackend;
  /** Messages by stream and group, also of streams that are not defined. */
  readonly messages: Messages;
  readonly workflows: Workflows;
  /** The identity of the project that the facts belong to. */
  readonly project?: string;
  /** Facts of the project and of the user, kept until they are forgotten. */
  readonly facts: Facts;
  readonly retention: FullRetention;
  /** Returns a knowledge graph. @default 'default' */
  readonly graph: (name?: string) => Graph;
  /**
   * Returns a part of the store for data that memory does not know. `options` belong to the caller and are not stored.
   *
   * @throws {MemoryError} `INVALID_NAME`, `INVALID_OPTION`.
   */
  readonly namespace: (name: string, options?: NamespaceOptions) => Namespace;
  /** Recalls messages and notes by a query, best first, also of streams that are not defined. */
  readonly recall: Recall;
  /** Like {@link Stream.retrieveRelevantContexts} of a defined stream. @throws {MemoryError} `UNKNOWN_STREAM`. */
  readonly retrieveRelevantContexts: (
    options: RetrieveOptions & { readonly stream: string },
  ) => Promise<RecalledContext[]>;
  /** Lists the groups with messages, of one stream or of all. */
  readonly listGroups: (options?: CallOptions & { readonly stream?: string | undefined }) => Promise<GroupInfo[]>;
  /** Lists the workflows with notes. */
  readonly listNotes: (options?: CallOptions) => Promise<NotesInfo[]>;
  /**
   * Removes messages, the facts of a scope, a namespace, a workflow, notes, a knowledge graph, unreadable records, or everything,
   * and erases the text from the files of the store.
   *
   * @throws {MemoryError} `INVALID_INPUT`, `INVALID_NAME`.
   */
  readonly forget: (options: ForgetOptions) => Promise<ForgetResult>;
  /**
   * Copies the store to a new file while it is in use, and verifies the copy. The copy of a damaged store has every readable record,
   * and the result lists what is lost.
   *
   * @throws {MemoryError} `STORE_UNSUPPORTED` for a store without files.
   */
  readonly backup: (path: string, options?: CallOptions) => Promise<BackupResult>;
  readonly stats: (options?: CallOptions) => Promise<MemoryStats>;
  /**
   * Returns everything as JSON lines, the messages of a stream or a group, or the facts as Markdown. Of a damaged store it returns
   * every readable record, and reports what is lost.
   */
  readonly export: (options?: ExportOptions) => AsyncGenerator<string, void, undefined>;
  /** Imports an export. Lines that the memory already has are not added again. */
  readonly import: (lines: Iterable<string> | AsyncIterable<string>, options?: CallOptions) => Promise<ImportResult>;
  /** Lists the records that this version cannot read, raw, by key. Reads the whole memory. */
  readonly unreadable: (options?: CallOptions) => Promise<UnreadableRecord[]>;
  /** Closes the store. */
  readonly close: () => Promise<void>;
}

/** The functions of a memory that throw. */
const memoryDirectCalls: CallTable<Memory> = {
  namespace: ['any', { maxRecords: 'optional', lifetimeMs: 'optional' }],
  export: [
    {
      ...callOptions,
      stream: 'optional',
      group: 'optional',
      format: 'optional',
      scope: 'optional',
      onProblem: 'optional',
    },
  ],
};

const memoryCalls: CallTable<Memory> = {
  recall: [
    {
      ...retrieveOptions,
      stream: 'required',
      group: 'optional',
      role: 'optional',
      since: 'optional',
      until: 'optional',
      offset: 'optional',
    },
  ],
  retrieveRelevantContexts: [{ ...retrieveOptions, stream: 'required' }],
  listGroups: [{ ...callOptions, stream: 'optional' }],
  listNotes: [callOptions],
  // The names depend on what is selected: see `checkSelection`.
  forget: ['object'],
  stats: [callOptions],
  import: ['lines', callOptions],
  unreadable: [callOptions],
  backup: ['any', callOptions],
};

/**
 * Creates a memory. The store is opened on first use.
 *
 * @throws {MemoryError} `INVALID_OPTION`, `INVALID_NAME` for the project.
 */
export function createMemory(options: MemoryOptions): Memory {
  checkArguments.options('createMemory', options, {
    backend: 'required',
    project: 'optional',
    retention: 'optional',
    maxContentBytes: 'optional',
    embed: 'optional',
    embeddings: 'optional',
    glossary: 'optional',
    language: 'optional',
    onUnreadable: 'optional',
  });
  const { backend, project, retention, maxContentBytes, embed, embeddings, glossary } = options;
  const { onUnreadable = () => undefined } = options;
  if (project !== undefined) factsKey(project);
  const language = checkArguments.language(options.language ?? 'en');
  const limits = limitsOf(retention, maxContentBytes);
  const reader = createReader(backend, onUnreadable);
  const terms = createTermStore({ backend, glossary });
  const meaning = embeddings && new Meaning(backend, embeddings);
  const onWritten = (place: Place): void => meaning?.written([messageSource(place)]);
  const messages = checkArguments.calls(createMessages({ backend, reader, limits, onWritten }), messageCalls);
  const notes = checkArguments.calls(createNotes({ backend, reader, limits }), noteCalls);
  const workflows = checkArguments.calls(createWorkflows({ backend, reader, limits, notes }), workflowCalls);
  const recall = createRecall({ embed, meaning, backend, reader, terms });
  const factDependencies = { backend, reader, limits, terms, project };
  const keeper = new MarkKeeper(backend);
  const facts = checkArguments.calls(createFacts({ ...factDependencies, embed, meaning, language, keeper }), factCalls);
  const claims = new Claims(backend);
  const noteLifetimeMs = limits.notes.temporaryLifetimeMs;
  const streams = checkArguments.directCalls(
    createStreams({ messages, notes, workflows, recall, claims, language, noteLifetimeMs }),
    streamsCalls,
  );
  const graph = (name: string = 'default'): Graph =>
    checkArguments.calls(createGraph({ backend, reader }, name), graphCalls);
  const transfer = { backend, reader, messages, notes, workflows, limits, graph, facts, factDependencies, project };
  const onProblem = ({ key, message }: Problem): void => onUnreadable({ key, record: '', reason: message });
  const close = async (): Promise<void> => {
    await meaning?.close();
    await keeper.settle();
    await backend.close();
  };

  const all: Memory = {
    ...streams,
    ...notes,
    backend,
    backendName: backend.name,
    messages,
    workflows,
    ...(project !== undefined && { project }),
    facts,
    retention: limits.retention,
    graph,
    namespace: (name, rules) =>
      checkArguments.calls(createNamespace({ backend, reader, limits }, name, rules), namespaceCalls),
    recall,
    retrieveRelevantContexts: async ({ stream, ...query }) => streams.stream(stream).retrieveRelevantContexts(query),
    listGroups: ({ stream, signal } = {}) => listGroups(backend, { stream, onProblem, signal }),
    listNotes: ({ signal } = {}) => listNotes(backend, { onProblem, signal }),
    forget: (selection) => forget({ backend, messages, workflows, claims, project }, selection),
    stats: (call = {}) => measure(backend, call),
    export: (selection = {}) =>
      fromReadable(backend, { onProblem: reportTo(reader, selection.onProblem), signal: selection.signal }, (on) => {
        if (on !== backend) return createMemory({ ...options, backend: on }).export(selection);
        return selection.format === 'markdown' ? markdownLines(transfer, selection) : exportLines(transfer, selection);
      }),
    // Its schemas take a fifth of the time to load a memory.
    import: async (lines, call = {}) => (await import('./maintenance/import.ts')).importLines(transfer, lines, call),
    unreadable: ({ signal } = {}) => listUnreadable(backend, { signal }),
    backup: async (path, call) => {
      if (backend.backup) return backend.backup(path, call);
      const summary = `[memory:${backend.name}] The store has no file to copy`;
      throw new MemoryError('STORE_UNSUPPORTED', [summary, 'Use export, or the backup of the server.']);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return checkArguments.calls(checkArguments.directCalls(all, memoryDirectCalls), memoryCalls);
}
