import type { Fields } from '@cairn/tool/kernel';
import { succeed } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { truncate } from '@cairn/tool/internal';
import { quotePath } from '@cairn/tool/paths';
import { z } from 'zod';
import { guard } from '../commit/guard.ts';
import { withLockedTarget } from '../commit/locked-targets.ts';
import { documentOf, takeFileSnapshot } from '../commit/snapshot.ts';
import { changeFile, type ChangedFile } from '../commit/write-step.ts';
import { applyEdits, type AppliedEdit } from '../edit/apply-edit.ts';
import { diffOfSplices, formatHunks } from '../edit/diff.ts';
import type { TextEdit } from '../edit/found.ts';
import { requireExisting } from '../files/near-names.ts';
import { seenAfter } from '../files/seen.ts';
import { inputSchema, namesOf } from './input.ts';
import { mutating, type CodingToolSpec } from './spec.ts';

const editShape = { old_text: z.string(), new_text: z.string(), replace_all: z.boolean().optional() };
const shape = { path: z.string(), edits: z.array(z.strictObject(editShape)).min(1) };

export interface EditInput {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

export interface EditDetails extends ChangedFile {
  readonly edits: readonly AppliedEdit[];
}

const flatNames = Object.keys(editShape).flatMap(namesOf);

/** Accepts one edit without the list around it. */
function gatherFlatEdit(input: Fields): Fields {
  const flat = Object.entries(input).filter(([name]) => flatNames.includes(name));
  if (flat.length === 0 || (input['edits'] ?? null) !== null) return input;
  const rest = Object.entries(input).filter(([name]) => !flatNames.includes(name));
  return { ...Object.fromEntries(rest), edits: [Object.fromEntries(flat)] };
}

/** The part of a diff that an answer shows after an inexact match. */
const SHOWN = { maxLines: 60, maxBytes: 4096, maxColumns: 300 };

function describe(details: EditDetails): string {
  const places = details.edits.flatMap(({ lineNumbers }) => lineNumbers);
  const replacements = details.edits.reduce((sum, edit) => sum + edit.replacements, 0);
  const at = places.length > 10 ? '' : ` at ${places.length === 1 ? 'line' : 'lines'} ${places.join(', ')}`;
  const verb = details.dryRun ? 'Would have edited' : 'Edited';
  const text = `${verb} ${quotePath(details.path)}: ${count(replacements, 'replacement')}${at}, tag ${details.tag}.`;
  const ignored = [...new Set(details.edits.map(({ tier }) => tier))].filter((tier) => tier !== 'exact');
  if (ignored.length === 0) return text;
  const shown = truncate(formatHunks(details.diff.hunks).split('\n'), SHOWN);
  const more = shown.limit ? `\n[${shown.total - shown.shown} more lines]` : '';
  return `${text} Matched only after ignoring differences (${ignored.join(', ')}); the changes:\n${shown.lines.join('\n')}${more}`;
}

export const editTool: CodingToolSpec<EditInput, EditDetails> = {
  name: 'edit',
  description:
    'Replace text in a file. Each old_text must occur once, unless replace_all. All edits match the original file.',
  shape,
  inputSchema: inputSchema(shape, { adapt: gatherFlatEdit }),
  annotations: mutating('Edit a file'),
  async run({ path, edits }, context) {
    const { workspace, signal } = context;
    return withLockedTarget(workspace, { path }, signal, async (target) => {
      await requireExisting(workspace, target);
      const before = await takeFileSnapshot(workspace, target);
      guard(workspace, target, before, { verb: 'edited', mustBeRead: false });
      const document = documentOf(workspace, target, before);
      const { names } = context;
      const called = { oldText: names.parameter('edit', 'old_text'), replaceAll: names.replaceAll };
      const applied = applyEdits(document, edits, target.display, called);
      const { encoding, seen = [] } = workspace.ledger.get(target.real) ?? {};
      const { parts, splices, edits: made } = applied;
      const content = { target, parts, before, seen: seenAfter(seen, splices), encoding };
      const changed = await changeFile(context, content, diffOfSplices(document, splices));
      const details = { ...changed, edits: made };
      workspace.buffers.release(before.bytes);
      return succeed(describe(details), details);
    });
  },
};
