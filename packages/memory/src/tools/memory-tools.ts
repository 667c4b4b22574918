import { createTool, inputSchema, succeed } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { z } from 'zod';
import type { Memory } from '../memory.ts';
import type { Message } from '../conversations/message.ts';
import { memoryKey, notesKey } from '../records/keys.ts';
import type { Note } from '../workflows/notes.ts';
import type { RecalledContext } from '../conversations/recall.ts';
import { wrapContexts } from '../conversations/wrap.ts';
import { asToolErrors } from './tool-errors.ts';

/** The memory of the tools. */
export interface MemoryToolsContext {
  readonly open: () => Promise<Memory>;
  readonly stream: string;
  readonly group: string;
  readonly workflowId: string | undefined;
}

/** The parameters of `remember`. */
export interface RememberInput {
  readonly content: string;
  readonly group?: string | undefined;
}

/** The parameters of `recall`. */
export interface RecallInput {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly group?: string | undefined;
}

/** The parameters of `notes`. */
export interface NotesInput {
  readonly content?: string | undefined;
  readonly source?: string | undefined;
  readonly temporary?: boolean | undefined;
  readonly workflow_id?: string | undefined;
}

export interface RememberDetails extends Message {
  readonly key: string;
}

export interface RecallDetails {
  readonly contexts: readonly RecalledContext[];
}

export interface NotesDetails {
  readonly workflowId: string;
  /** All live notes, newest first. */
  readonly notes: readonly Note[];
}

/** The tools by name. A type, not an interface, so that it is also a record of tools. */
export type MemoryTools = {
  readonly remember: ToolDefinition<RememberInput, RememberDetails>;
  readonly recall: ToolDefinition<RecallInput, RecallDetails>;
  readonly notes: ToolDefinition<NotesInput, NotesDetails>;
};

/** The workflow id of an agent without a workflow. */
const NO_WORKFLOW = 'default';

const group = z.string().optional().describe('the group of memories; the shared one by default');

const rememberShape = { content: z.string().describe('one fact, understandable without context'), group };
const recallShape = {
  query: z.string().describe('words to search for'),
  limit: z.int().min(1).max(50).optional().describe('5 by default'),
  group,
};
const notesShape = {
  content: z.string().optional().describe('a note to add; omit it to list the notes'),
  source: z.string().optional().describe('the step that writes it, such as todo_0'),
  temporary: z.boolean().optional().describe('true by default: expires after 30 minutes, otherwise after 3 days'),
  workflow_id: z.string().optional(),
};

const DAY = 86_400_000;

/** Returns how long messages are kept, in words. */
function lifetime({ maxMessages, messageLifetimeMs }: Memory['retention']): string {
  const days =
    messageLifetimeMs === Infinity ? 'without limit' : `for ${Number((messageLifetimeMs / DAY).toFixed(1))} days`;
  return maxMessages === Infinity ? days : `${days}, among the newest ${maxMessages}`;
}

export function createOwnTools(context: MemoryToolsContext): MemoryTools {
  const { open, stream, workflowId } = context;
  const additive = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
  return {
    remember: createTool<RememberInput, RememberDetails>({
      name: 'remember',
      description: 'Remember a fact for later conversations.',
      inputSchema: inputSchema(rememberShape),
      annotations: { title: 'Remember', ...additive },
      run: ({ content, group: groupId = context.group }, { signal, dryRun }) =>
        asToolErrors(async () => {
          const memory = await open();
          const key = memoryKey(stream, groupId);
          if (dryRun) {
            const message: Message = {
              id: 'message_new',
              role: 'user',
              content,
              time: await memory.backend.now({ signal }),
            };
            return succeed(`Would be remembered under ${escapeControls(key)}. Nothing was stored.`, {
              ...message,
              key,
            });
          }
          const message = await memory.messages.add({ stream, group: groupId }, { content }, { signal });
          const text = `Remembered under ${escapeControls(key)} as ${message.id}; kept ${lifetime(memory.retention)}.`;
          return succeed(text, { ...message, key });
        }),
    }),
    recall: createTool<RecallInput, RecallDetails>({
      name: 'recall',
      description: 'Find remembered facts by words, best first.',
      inputSchema: inputSchema(recallShape),
      annotations: { ...additive, title: 'Recall', readOnlyHint: true, idempotentHint: true },
      run: ({ query, limit, group: groupId = context.group }, { signal }) =>
        asToolErrors(async () => {
          const memory = await open();
          const notes = workflowId === undefined ? {} : { includeNotes: true, workflowId };
          const notices: string[] = [];
          const onNotice = ({ message }: { readonly message: string }): unknown => notices.push(message);
          const { contexts } = await memory.recall({
            stream,
            group: groupId,
            query,
            limit,
            signal,
            onNotice,
            ...notes,
          });
          if (contexts.length > 0)
            return succeed([...notices, await wrapContexts(contexts, { query })].join('\n'), { contexts });
          const all = (await memory.messages.history({ stream, group: groupId }, { signal })).length;
          const text = `No memory has these words; ${all} messages were searched. Try other words.`;
          return succeed([...notices, text].join('\n'), { contexts });
        }),
    }),
    notes: createTool<NotesInput, NotesDetails>({
      name: 'notes',
      description: 'Add a note for the later steps of this work, or list the notes of earlier steps.',
      inputSchema: inputSchema(notesShape),
      annotations: { title: 'Notes', ...additive },
      run: (
        { content, source = 'agent', temporary, workflow_id: id = workflowId ?? NO_WORKFLOW },
        { signal, dryRun },
      ) =>
        asToolErrors(async () => {
          const memory = await open();
          const isAdded = content !== undefined && !dryRun;
          if (isAdded) await memory.storeNote(id, content, source, { temporary, signal });
          const notes = await memory.getNotes(id, { signal });
          const contexts = notes.map((note): RecalledContext => {
            return { ...note, kind: 'note', by: note.source, origin: notesKey(id), score: 0 };
          });
          const key = escapeControls(notesKey(id));
          const done = content === undefined ? [] : [`${isAdded ? 'Noted' : 'Would be noted'} under ${key}.`];
          const text = notes.length === 0 ? [`There are no notes under ${key}.`] : [await wrapContexts(contexts)];
          return succeed([...done, ...text].join('\n'), { workflowId: id, notes });
        }),
    }),
  };
}
