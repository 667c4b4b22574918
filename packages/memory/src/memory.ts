import type { Embed } from '@cairn/retrieval';
import type { CallOptions, MemoryBackend } from './records/backend.ts';
import { MemoryError } from './errors.ts';
import { createGraph } from './graph/graph.ts';
import type { Graph } from './graph/graph.ts';
import { limitsOf, retentionOf } from './records/limits.ts';
import type { FullRetention, Retention } from './records/limits.ts';
import { createMessages } from './conversations/messages.ts';
import type { Messages } from './conversations/messages.ts';
import { createNotes } from './workflows/notes.ts';
import type { Notes } from './workflows/notes.ts';
import { listGroups, listNotes, measure } from './maintenance/overview.ts';
import type { GroupInfo, MemoryStats, NotesInfo } from './maintenance/overview.ts';
import { createReader } from './records/quarantine.ts';
import type { QuarantinedRecord, QuarantineListener } from './records/quarantine.ts';
import { createRetrieve } from './conversations/recall.ts';
import type { RecalledContext, RetrieveOptions } from './conversations/recall.ts';
import { createStreams } from './conversations/streams.ts';
import type { Streams } from './conversations/streams.ts';
import { exportLines } from './maintenance/export.ts';
import type { ExportOptions } from './maintenance/export.ts';
import { importLines } from './maintenance/import.ts';
import type { ImportResult } from './maintenance/import.ts';
import { createWorkflows } from './workflows/workflows.ts';
import type { Workflows } from './workflows/workflows.ts';

/** What a memory is made of. */
export interface MemoryOptions {
  /** Where it is kept: `memory()`, `sqlite()` or `redis()` of the subpaths, or a store of yours. */
  readonly backend: MemoryBackend;
  readonly retention?: Retention | undefined;
  /** The largest content, in bytes of UTF-8. @default 1 MiB */
  readonly maxContentBytes?: number | undefined;
  /** Vectors of texts: retrieval then also finds what means the same. Without it nothing leaves the process. */
  readonly embed?: Embed | undefined;
  /** Told of each record that cannot be read, when it is found and set aside. */
  readonly onQuarantine?: QuarantineListener | undefined;
}

/** What to forget. */
export interface ForgetOptions extends CallOptions {
  readonly stream: string;
  /** @default every group of the stream */
  readonly group?: string | undefined;
  /** The id of one message of the group. @default all of them */
  readonly message?: string | undefined;
}

/** A memory: messages of streams and groups, notes and records of workflows. */
export interface Memory extends Notes, Streams, AsyncDisposable {
  /** The name of the store. */
  readonly backendName: string;
  /** The store, for what is built upon it. */
  readonly backend: MemoryBackend;
  /** Messages by stream and group, without defining streams. */
  readonly messages: Messages;
  readonly workflows: Workflows;
  /** How much is kept, and for how long. */
  readonly retention: FullRetention;
  /** A knowledge graph. @default 'default' */
  readonly graph: (name?: string) => Graph;
  /** `retrieveRelevantContexts` for a stream that need not be defined. */
  readonly recall: (options: RetrieveOptions) => Promise<RecalledContext[]>;
  /** Finds what was said, and noted, about something; best first. The stream has to be defined. */
  readonly retrieveRelevantContexts: (options: RetrieveOptions) => Promise<RecalledContext[]>;
  /** The groups that have messages, of one stream or all. */
  readonly listGroups: (options?: CallOptions & { readonly stream?: string | undefined }) => Promise<GroupInfo[]>;
  /** The workflows that have notes. */
  readonly listNotes: (options?: CallOptions) => Promise<NotesInfo[]>;
  /** Removes a message, a group or a stream. @returns how many messages. */
  readonly forget: (options: ForgetOptions) => Promise<number>;
  readonly stats: (options?: CallOptions) => Promise<MemoryStats>;
  /** All of it as JSON lines, or the messages of a stream or a group. */
  readonly export: (options?: ExportOptions) => AsyncGenerator<string, void, undefined>;
  /** Reads an export back; what is there already is not added again. */
  readonly import: (lines: Iterable<string> | AsyncIterable<string>, options?: CallOptions) => Promise<ImportResult>;
  /** What could not be read and was set aside, newest first. */
  readonly quarantined: (options?: CallOptions) => Promise<QuarantinedRecord[]>;
  /** Closes the store. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a memory. Nothing is opened before it is used.
 *
 * @throws {MemoryError} `INVALID_OPTION`.
 */
export function createMemory(options: MemoryOptions): Memory {
  const { backend, retention, maxContentBytes, embed, onQuarantine = () => undefined } = options;
  const limits = limitsOf(retention, maxContentBytes);
  const reader = createReader(backend, limits, onQuarantine);
  const messages = createMessages({ backend, reader, limits });
  const notes = createNotes({ backend, reader, limits });
  const workflows = createWorkflows({ backend, reader, limits, notes });
  const haystack = {
    history: (stream: string, group: string, call: CallOptions) => messages.history({ stream, group }, call),
    getNotes: notes.getNotes,
  };
  const retrieve = createRetrieve(haystack, embed);
  const streams = createStreams({ messages, notes, retrieve });
  const graph = (name: string = 'default'): Graph => createGraph(backend, name);
  const transfer = { backend, messages, notes, workflows, limits, graph, onQuarantine };
  const close = (): Promise<void> => backend.close();

  return {
    ...streams,
    ...notes,
    backend,
    backendName: backend.name,
    messages,
    workflows,
    retention: retentionOf(limits),
    graph,
    recall: retrieve,
    retrieveRelevantContexts: async (what) => {
      // A name that nobody defined is a slip; what it would find is nothing.
      streams.stream(what.stream);
      return retrieve(what);
    },
    listGroups: ({ stream, signal } = {}) => listGroups(backend, stream, { signal }),
    listNotes: (call = {}) => listNotes(backend, call),
    forget: async ({ stream, group, message, signal }) => {
      if (group !== undefined) return messages.remove({ stream, group }, message, { signal });
      if (message !== undefined) {
        throw new MemoryError('INVALID_INPUT', ['A message is forgotten by its group', 'Give the group too.']);
      }
      let removed = 0;
      for (const place of await listGroups(backend, stream, { signal })) {
        removed += await messages.remove(place, undefined, { signal });
      }
      return removed;
    },
    stats: (call = {}) => measure(backend, call),
    export: (what = {}) => exportLines(transfer, what),
    import: (lines, call = {}) => importLines(transfer, lines, call),
    quarantined: (call) => reader.quarantined(call),
    close,
    [Symbol.asyncDispose]: close,
  };
}
