import { z } from 'zod';
import { ToolError } from '../errors.ts';
import { inputSchema, isObject } from '../input.ts';
import { tagOf } from '../ledger.ts';
import { applyEdits } from '../mutation/apply-edit.ts';
import type { AppliedEdit, TextEdit } from '../mutation/apply-edit.ts';
import { commit, mutate } from '../mutation/commit.ts';
import { encodingFor, isBinary } from '../mutation/encoding.ts';
import { guard } from '../mutation/guard.ts';
import { takeSnapshot } from '../mutation/snapshot.ts';
import { writeStep } from '../mutation/write-step.ts';
import { mutating } from '../spec.ts';
import type { ToolSpec } from '../spec.ts';
import { succeed } from '../tool.ts';
import { count } from './format.ts';

const editShape = { old_text: z.string(), new_text: z.string(), replace_all: z.boolean().optional() };
const shape = { path: z.string(), edits: z.array(z.strictObject(editShape)).min(1) };

/** The parameters of `edit`. */
export interface EditInput {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/** What `edit` did. */
export interface EditDetails {
  readonly path: string;
  readonly edits: readonly AppliedEdit[];
  /** Bytes. */
  readonly size: number;
  readonly tag: string;
}

const flatNames = [
  ['old_text', 'old_string', 'oldText', 'oldString', 'old_str'],
  ['new_text', 'new_string', 'newText', 'newString', 'new_str'],
  ['replace_all', 'replaceAll', 'allow_multiple', 'allowMultiple'],
].flat();

/** One edit may be given without the list around it. */
export function gatherFlatEdit(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const flat = Object.entries(input).filter(([name]) => flatNames.includes(name));
  if (flat.length === 0 || 'edits' in input) return input;
  const rest = Object.entries(input).filter(([name]) => !flatNames.includes(name));
  return { ...Object.fromEntries(rest), edits: [Object.fromEntries(flat)].filter(isObject) };
}

/** Replaces texts in a file. */
export const editTool: ToolSpec<EditInput, EditDetails> = {
  name: 'edit',
  description:
    'Replace text in a file. Each old_text must occur once, unless replace_all. All edits match the file as it is.',
  shape,
  inputSchema: inputSchema(shape, gatherFlatEdit),
  annotations: mutating('Edit a file'),
  async run({ path, edits }, { workspace, signal }) {
    const { real } = await workspace.resolve(path, { write: true });
    return mutate(workspace, [real], signal, async (temporaryOf) => {
      const target = await workspace.resolve(path, { write: true });
      if (target.real !== real) throw new ToolError('STALE', [`${target.display} was moved meanwhile`, 'Call again.']);
      const before = await takeSnapshot(workspace.operations, target);
      guard(workspace, target, before, { verb: 'edited', mustBeRead: false });
      const known = workspace.ledger.get(real)?.encoding;
      const encoding = encodingFor(before.bytes, known);
      if (isBinary(before.bytes, encoding)) {
        throw new ToolError('BINARY', [`${target.display} is no text`, 'Only text can be edited.'], {
          path: target.display,
        });
      }
      const applied = applyEdits({ bytes: before.bytes, encoding }, edits, target.display);
      const { bytes } = applied;
      const step = writeStep(workspace, { target, temporary: temporaryOf(real), bytes, before, encoding: known });
      await commit([step], signal);
      const tag = tagOf(workspace.ledger.get(real)?.hash ?? '');
      const text = `Edited ${target.display}: ${count(applied.splices.length, 'replacement')}, tag ${tag}.`;
      return succeed(text, { path: target.display, edits: applied.edits, size: bytes.length, tag });
    });
  },
};
