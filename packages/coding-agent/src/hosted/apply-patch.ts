import { isObject } from '@cairn/tool/kernel';
import { ToolError, type ToolDefinition } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { z } from 'zod';
import { FORMAT_HINT, type FilePatch } from '../patch/file-patch.ts';
import { parseV4a, type Reading } from '../patch/parse-v4a.ts';
import { applyReading } from '../patch/parse.ts';
import { bindAsItIs } from '../tools/bind.ts';
import { inputSchema } from '../tools/input.ts';
import { applyFilePatches } from '../tools/patch.ts';
import { mutating, type CodingToolSpec } from '../tools/spec.ts';
import { workspaceOf, type WorkspaceChoice } from '../workspace.ts';

const shape = {
  type: z.enum(['create_file', 'update_file', 'delete_file']),
  path: z.string(),
  diff: z.string().optional(),
};

/** One operation of OpenAI's apply_patch tool. */
export interface ApplyPatchInput {
  readonly type: 'create_file' | 'update_file' | 'delete_file';
  readonly path: string;
  readonly diff?: string | undefined;
}

/** How many lines stand above the diff in the patch that is made of an operation. */
const LINES_ABOVE = 2;

const diffHints: Readonly<Record<ApplyPatchInput['type'], string>> = {
  create_file: "Start each line of the diff with '+'.",
  update_file: "Start each hunk of the diff with '@@', and each line of it with a space, '-' or '+'.",
  delete_file: 'Leave out the diff.',
};

const sections = { create_file: 'Add', update_file: 'Update', delete_file: 'Delete' } as const;

/** Returns the operation as a patch of one section. */
function patchOf({ type, path, diff = '' }: ApplyPatchInput): string {
  const body = type === 'delete_file' ? '' : diff.replace(/\r?\n$/u, '');
  const lineEnd = /\r?\n/u.exec(body)?.[0] ?? '\n';
  const lines = ['*** Begin Patch', `*** ${sections[type]} File: ${quotePath(path)}`, ...(body === '' ? [] : [body])];
  return [...lines, '*** End Patch'].join(lineEnd);
}

function notOneFile(what: string): ToolError {
  const hint = 'Give only the changes of the file that the operation names.';
  return new ToolError('INVALID_PATCH', [`The diff ${what}`, hint]);
}

const MOVES = "moves the file ('*** Move to:')";

/** @throws {ToolError} `INVALID_PATCH` for lines that would be ignored or that concern another path. */
function requireOneFile({ type, diff = '' }: ApplyPatchInput): void {
  if (type === 'delete_file' && diff.trim() !== '') {
    throw new ToolError('INVALID_PATCH', ['delete_file has a diff, which it does not apply', diffHints.delete_file]);
  }
  if (/^\*\*\* Move to:/mu.test(diff)) throw notOneFile(MOVES);
  if (/^\*\*\* End Patch[^\S\n]*\n\s*\S/mu.test(diff)) throw notOneFile("continues after '*** End Patch'");
}

/** Parses an operation. Errors name the line of the diff. */
function parseOperation(input: ApplyPatchInput, reading: Reading): FilePatch[] {
  try {
    const patches = parseV4a(patchOf(input), reading);
    if (patches.length !== 1) throw notOneFile('contains section headers');
    if (patches.some((one) => one.kind === 'update' && one.to !== undefined)) throw notOneFile(MOVES);
    return patches;
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    const inDiff = (_: string, line: string): string => `Line ${Math.max(1, Number(line) - LINES_ABOVE)} of the diff`;
    const summary = error.summary.replace(/^Line (\d+) of the patch/u, inDiff);
    throw new ToolError(error.code, [summary, error.hint === FORMAT_HINT ? diffHints[input.type] : error.hint]);
  }
}

const applyPatchSpec: CodingToolSpec<ApplyPatchInput, unknown> = {
  name: 'apply_patch',
  description: 'Create, update or delete a file by a diff.',
  shape,
  // The call carries its operation inside.
  inputSchema: inputSchema(shape, {
    adapt: (input) => (isObject(input['operation']) ? input['operation'] : input),
  }),
  annotations: mutating('Apply a patch'),
  run: (input, context) => {
    requireOneFile(input);
    const parse = (reading: Reading): FilePatch[] => parseOperation(input, reading);
    return applyReading(input.diff ?? '', parse, (patches) => applyFilePatches(patches, context));
  },
};

/**
 * Makes a tool for the operations of OpenAI's apply_patch tool. Pass it the call's `operation`; report `failed` for a result with
 * `isError`, else `completed`.
 */
export function createApplyPatchTool(choice: WorkspaceChoice): ToolDefinition<ApplyPatchInput> {
  return bindAsItIs(applyPatchSpec, workspaceOf('createApplyPatchTool', choice));
}
