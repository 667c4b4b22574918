import { succeed, ToolError, type ToolSuccess } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { z } from 'zod';
import { commit } from '../commit/commit.ts';
import { withLockedTargets, type LockedTarget } from '../commit/locked-targets.ts';
import { tagOf } from '../files/content-hash.ts';
import type { FilePatch } from '../patch/file-patch.ts';
import { applyReading, parsePatch, pathsOf } from '../patch/parse.ts';
import { planPatch, type PlannedFile } from '../patch/plan.ts';
import { inputSchema } from './input.ts';
import { mutating, type RunContext, type CodingToolSpec } from './spec.ts';

const shape = { patch: z.string() };

interface PatchedFile extends Pick<PlannedFile, 'path' | 'kind' | 'diff' | 'tiers'> {
  /** The new path, if the file was moved. */
  readonly to?: string;
  /** The content tag; absent for a deleted file. */
  readonly tag?: string;
}

export interface PatchDetails {
  readonly files: readonly PatchedFile[];
  readonly dryRun: boolean;
}

const letters: Readonly<Record<PlannedFile['kind'], string>> = { add: 'A', update: 'M', delete: 'D' };

function describe({ path, kind, to, tiers, tag }: PatchedFile): string {
  const moved = to === undefined ? '' : ` -> ${quotePath(to)}`;
  const ignored = [...new Set(tiers)].filter((tier) => tier !== 'exact');
  const tags = tag === undefined ? [] : [`tag ${tag}`];
  const notes = [...tags, ...ignored.map((tier) => `matched after ignoring ${tier}`)];
  return `${letters[kind]} ${quotePath(path)}${moved}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/**
 * Rejects a file that two sections change: each is checked against the file as it is now, so the second would undo the first. A
 * file can have several names; deleting one of them changes no other.
 */
function requireDistinct(patches: readonly FilePatch[], targets: readonly LockedTarget[]): void {
  const deleted = patches.flatMap((patch) => pathsOf(patch).map(() => patch.kind === 'delete'));
  const seen = new Map<string, string>();
  for (const [index, { real, display, stat }] of targets.entries()) {
    const isShared = stat?.kind === 'file' && stat.links > 1 && deleted[index] !== true;
    for (const key of isShared ? [real, stat.identity] : [real]) {
      const other = seen.get(key);
      if (other !== undefined) {
        const named = other === display ? `names ${display} twice` : `names one file as ${other} and ${display}`;
        const hint = 'Put all changes of a file into one section.';
        throw new ToolError('INVALID_PATCH', [`The patch ${named}`, hint], { path: display });
      }
      seen.set(key, display);
    }
  }
}

/** Applies a parsed patch: all of it, or nothing. */
export async function applyFilePatches(
  patches: readonly FilePatch[],
  context: RunContext,
): Promise<ToolSuccess<PatchDetails>> {
  const { workspace, signal, dryRun } = context;
  const named = patches.flatMap((one) => {
    // A deletion or a move acts on a link itself, not on its target.
    const leaves = one.kind === 'delete' || (one.kind === 'update' && one.to !== undefined);
    return pathsOf(one).map((path, index) => ({ path, noFollow: leaves && index === 0 }));
  });
  return withLockedTargets(workspace, named, signal, async (targets) => {
    requireDistinct(patches, targets);
    const planned = await planPatch(workspace, patches, targets);
    const steps = planned.flatMap((file) => file.steps);
    await commit(steps, context);
    const files = planned.map(fileOf);
    const verb = dryRun ? 'Would have applied' : 'Applied';
    const text = [`${verb} the patch to ${count(files.length, 'file')}:`, ...files.map(describe)].join('\n');
    return succeed(text, { files, dryRun });
  });
}

function fileOf({ path, kind, to, hash, diff, tiers }: PlannedFile): PatchedFile {
  return { path, kind, diff, tiers, ...(to !== undefined && { to }), ...(hash !== undefined && { tag: tagOf(hash) }) };
}

export const patchTool: CodingToolSpec<{ readonly patch: string }, PatchDetails> = {
  name: 'patch',
  description:
    "Add, change, move and delete several files at once. The patch starts with '*** Begin Patch' or is a unified diff.",
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Apply a patch'),
  run: ({ patch }, context) =>
    applyReading(
      patch,
      (reading) => parsePatch(patch, reading),
      (patches) => applyFilePatches(patches, context),
    ),
};
