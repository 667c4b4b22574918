import { succeed, textOf, ToolError, type ToolDefinition, type ToolSuccess } from '@cairn/tool';
import { z } from 'zod';
import type { PatchHunk } from '../patch/file-patch.ts';
import { bindAsItIs } from '../tools/bind.ts';
import { editTool } from '../tools/edit.ts';
import { inputSchema } from '../tools/input.ts';
import { lsTool } from '../tools/ls.ts';
import { applyFilePatches } from '../tools/patch.ts';
import { readTool } from '../tools/read.ts';
import { mutating, namesBy, type CodingToolSpec, type Names, type RunContext } from '../tools/spec.ts';
import { writeTool } from '../tools/write.ts';
import { workspaceOf, type WorkspaceChoice } from '../workspace.ts';

export const editorNames: Names = namesBy({
  tool: (name) => (name === 'read' || name === 'ls' ? 'view' : name),
  parameter: (_, name) => (name === 'offset' ? 'view_range' : name === 'old_text' ? 'old_str' : name),
  replaceAll: undefined,
});

/** The parameters of the commands that the text editor and the memory tool have in common. */
export interface TextEditorInput {
  readonly command: 'view' | 'create' | 'str_replace' | 'insert';
  readonly path: string;
  readonly view_range?: readonly number[] | undefined;
  readonly file_text?: string | undefined;
  readonly old_str?: string | undefined;
  readonly new_str?: string | undefined;
  readonly insert_line?: number | undefined;
  readonly insert_text?: string | undefined;
}

const DIRECTORY_DEPTH = 2;

function required<T>(value: T | undefined, name: string, command: string): T {
  if (value !== undefined) return value;
  throw new ToolError('INVALID_INPUT', [`${command} needs the parameter ${name}`, `Repeat the call with ${name}.`]);
}

/** Shows a file with the numbers of its lines, an image, or a directory. */
async function view(
  { path, view_range: range }: Pick<TextEditorInput, 'path' | 'view_range'>,
  context: RunContext,
): Promise<ToolSuccess<unknown>> {
  const [first = 1, last = -1] = range ?? [];
  if (first < 1 || (last !== -1 && last < first)) {
    const summary = `view_range [${first}, ${last}] is not a valid range of lines`;
    const hint = 'Give the first and the last line, counted from 1; -1 is the last line.';
    throw new ToolError('INVALID_INPUT', [summary, hint]);
  }
  const { stat } = await context.workspace.resolve(path);
  const limit = last === -1 ? undefined : last - first + 1;
  if (stat?.kind === 'directory') {
    const listing = await lsTool.run({ path, depth: DIRECTORY_DEPTH, limit, skip: first - 1 }, context);
    const [header = '', ...rest] = textOf(listing).split('\n');
    const { length } = listing.details.entries;
    // This tool requests entries by a range, too.
    const notices = rest
      .slice(length)
      .map((notice) => notice.replace(/\bskip=(\d+)/u, (_, skip) => `view_range=[${Number(skip) + 1}, -1]`));
    const text = [header, ...rest.slice(0, length), ...notices].join('\n');
    return succeed(text, listing.details);
  }
  const result = await readTool.run({ path, offset: first, limit }, context);
  const { details } = result;
  if (details.kind !== 'text') return result;
  const text = textOf(result).split('\n');
  // This tool requests a page by a range.
  const notices = text
    .slice(1 + details.lines.length)
    .map((notice) => notice.replace(/\bview_range=(\d+)/u, 'view_range=[$1, -1]'));
  // `insert` needs the numbers of lines.
  const numbered = details.lines.map((line, index) => `${String(details.offset + index).padStart(6)}\t${line}`);
  return succeed([text[0] ?? '', ...numbered, ...notices].join('\n'), details);
}

async function insertLines(
  { path, insert_line, insert_text, new_str }: TextEditorInput,
  context: RunContext,
): Promise<ToolSuccess<unknown>> {
  const lineNumber = required(insert_line, 'insert_line', 'insert');
  // `new_str` is the name in older versions.
  const text = required(insert_text ?? new_str, 'insert_text', 'insert');
  const lines = text.replace(/\r?\n$/u, '').split(/\r?\n/u);
  const hunk: PatchHunk = {
    lines: lines.map((line) => ({ kind: '+', text: line })),
    anchors: [],
    lineNumber,
    isAtEnd: false,
    oldLacksEnd: false,
    newLacksEnd: false,
  };
  return applyFilePatches([{ kind: 'update', path, hunks: [hunk] }], context);
}

export async function runCommand(input: TextEditorInput, context: RunContext): Promise<ToolSuccess<unknown>> {
  const { command, path, file_text, old_str, new_str = '' } = input;
  switch (command) {
    case 'view':
      return view(input, context);
    case 'create':
      return writeTool.run({ path, content: required(file_text, 'file_text', command) }, context);
    case 'str_replace': {
      // Without a new text, the old one is removed.
      const old_text = required(old_str, 'old_str', command);
      return editTool.run({ path, edits: [{ old_text, new_text: new_str }] }, context);
    }
    case 'insert':
      return insertLines(input, context);
  }
}

const shape = {
  command: z.enum(['view', 'create', 'str_replace', 'insert']),
  path: z.string(),
  view_range: z.array(z.int()).length(2).optional().describe('first and last line; -1 is the end'),
  file_text: z.string().optional(),
  old_str: z.string().optional(),
  new_str: z.string().optional(),
  insert_line: z.int().min(0).optional().describe('insert after this line; 0 is the start'),
  insert_text: z.string().optional(),
};

const textEditorSpec: CodingToolSpec<TextEditorInput, unknown> = {
  name: 'str_replace_based_edit_tool',
  description: 'View, create and edit text files.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Edit text'),
  run: runCommand,
};

/**
 * Makes a tool for Anthropic's text-editor tool (`text_editor_20250728` and earlier). Pass its `execute` to the hosted tool, or the
 * whole tool to a host that has none.
 */
export function createTextEditorTool(choice: WorkspaceChoice): ToolDefinition<TextEditorInput> {
  return bindAsItIs(textEditorSpec, workspaceOf('createTextEditorTool', choice), editorNames);
}
