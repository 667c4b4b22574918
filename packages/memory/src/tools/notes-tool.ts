import { createTool, inputSchema, succeed, ToolError, type ToolDefinition } from '@cairn/tool';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Memory } from '../memory.ts';
import { notesKey } from '../records/keys.ts';
import type { Note } from '../workflows/notes.ts';
import { escapeControls } from '@cairn/tool/paths';
import { joined } from './fact-tools.ts';
import type { Entry } from '../conversations/wrap.ts';
import { formatTime } from '../records/time.ts';
import { additive, type ToolMemory } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

export interface NotesInput {
  readonly text?: string | undefined;
  readonly source?: string | undefined;
  readonly temporary?: boolean | undefined;
  readonly workflow_id?: string | undefined;
  readonly offset?: number | undefined;
}

export interface NotesDetails {
  readonly workflowId: string;
  /** All live notes, newest first. */
  readonly notes: readonly Note[];
}

const notesShape = {
  text: z.string().optional().describe('a note to add; without it the notes are listed'),
  source: z.string().optional().describe('the step that writes it'),
  temporary: z.boolean().optional().describe('true: 30 minutes (default); false: 3 days'),
  workflow_id: z.string().optional().describe('default: the notes of this project'),
  offset: z.int().min(0).optional(),
};
const { workflow_id: _otherNotes, ...agentNotesShape } = notesShape;

/** Begins the ids of notes without a workflow. No workflow of another program begins so. */
const OWN_PREFIX = 'cairn-own-';

/** Readable in the list of `cairn notes list`. */
const MAX_NAME_CHARACTERS = 40;

/**
 * Returns the id under which notes of a project or an agent are kept. The identity is hashed, because it may be longer than a key.
 */
function ownId(kind: 'agent' | 'project', name: string, identity: string): string {
  const shown = name.replaceAll(/[^\p{L}\p{N}._-]/gu, '_').slice(0, MAX_NAME_CHARACTERS);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  return `${OWN_PREFIX}${kind}-${shown}-${hash}`;
}

/** Returns when a note ends; `undefined` for never. */
function endOf({ time, temporary }: Note, { noteLifetimeMs, temporaryNoteLifetimeMs }: Memory['retention']): string {
  const lifetimeMs = temporary ? temporaryNoteLifetimeMs : noteLifetimeMs;
  return lifetimeMs === Infinity ? 'never' : formatTime(time + lifetimeMs);
}

function noteEntry(note: Note, retention: Memory['retention']): Entry {
  const { source, time, content } = note;
  return { id: '', attributes: { source, date: formatTime(time), ends: endOf(note, retention) }, text: content };
}

/** @param anonymous the process that notes belong to when the memory knows no project */
export function createNotesTool(
  { open, agent, workflowId, process }: ToolMemory,
  anonymous: string,
): ToolDefinition<NotesInput, NotesDetails> {
  return createTool<NotesInput, NotesDetails>({
    name: 'notes',
    description: 'Add a note for later steps of this work, or list the notes. For state that ends with the task.',
    inputSchema: agent === undefined ? inputSchema(notesShape) : inputSchema(agentNotesShape),
    annotations: { title: 'Notes', ...additive },
    run: ({ text: content, source = 'agent', temporary, workflow_id: given, offset = 0 }, { signal, dryRun }) =>
      asToolErrors(async () => {
        const memory = await open();
        const { project } = memory;
        const own = (): string => {
          if (agent !== undefined) return ownId('agent', agent, JSON.stringify([project ?? anonymous, agent]));
          if (project === undefined) return anonymous;
          const id = ownId('project', /[^\\/]+$/u.exec(project)?.[0] ?? project, project);
          return process === undefined ? id : `${id}-${process}`;
        };
        const id = given ?? workflowId ?? own();
        if (given?.startsWith(OWN_PREFIX) === true && given !== own()) {
          const summary = `The notes ${escapeControls(given)} belong to another project or process`;
          throw new ToolError('PERMISSION', [summary, 'Leave workflow_id out for the notes of this project.']);
        }
        const written =
          content === undefined || dryRun
            ? undefined
            : await memory.storeNote(id, content, source, { temporary, signal });
        const notes = await memory.getNotes(id, { signal });
        const { retention } = memory;
        const { fitEntries } = await import('../conversations/wrap.ts');
        const entries = notes.slice(offset).map((note) => noteEntry(note, retention));
        const { text, shown } = await fitEntries(entries);
        const owner = agent === undefined ? 'this project' : 'this agent';
        const where = given === undefined && workflowId === undefined ? owner : escapeControls(notesKey(id));
        const end = offset + shown;
        const lines = [
          content !== undefined && dryRun ? 'It would be noted. Nothing was stored.' : '',
          written === undefined ? '' : `Noted; it ends ${endOf(written, retention)}.`,
          written?.secrets === undefined
            ? ''
            : `The note seems to hold a secret: ${written.secrets.join(', ')}. It ends with the note.`,
          notes.length === 0 ? `There are no notes of ${where}.` : text,
          notes.length > 0 && shown === 0 ? `There is no note at offset ${offset}; there are ${notes.length}.` : '',
          end < notes.length && shown > 0 ? `${notes.length - end} older: notes with offset ${end}.` : '',
        ];
        return succeed(joined(lines), { workflowId: id, notes });
      }),
  });
}
