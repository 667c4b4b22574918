import { explaining } from '@cairn/tool/internal';
import { succeed, ToolError } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { z } from 'zod';
import { commit } from '../commit/commit.ts';
import { deleteStep } from '../commit/delete-step.ts';
import { guardTree } from '../commit/guard.ts';
import { withLockedTarget, type LockedTarget } from '../commit/locked-targets.ts';
import { walkTree } from '../commit/tree.ts';
import { isGitInternal, isWithin } from '../files/confine.ts';
import { requireExisting } from '../files/near-names.ts';
import type { FileKind } from '../files/operations.ts';
import type { Workspace } from '../workspace.ts';
import { inputSchema } from './input.ts';
import { mutating, type RunContext, type CodingToolSpec } from './spec.ts';

const shape = { path: z.string(), recursive: z.boolean().optional().describe('delete a directory') };

export interface DeleteInput {
  readonly path: string;
  readonly recursive?: boolean | undefined;
}

export interface DeleteDetails {
  readonly path: string;
  readonly kind: FileKind;
  /** The number of entries in a directory, at any depth. */
  readonly entries: number;
  readonly dryRun: boolean;
}

/** @throws {ToolError} `PROTECTED` when the path is a root or contains one. */
export async function requireNoRoot(workspace: Workspace, { real, display: path }: LockedTarget): Promise<void> {
  const roots = await workspace.realRoots();
  if (!roots.some((root) => isWithin(root, real))) return;
  throw new ToolError('PROTECTED', [`${path} is a root or contains one`, 'Choose a path below it.'], { path });
}

/** Checks everything in a directory and returns the number of entries. */
async function inspect(target: LockedTarget, { workspace, signal }: RunContext): Promise<number> {
  const path = target.display;
  let entries = 0;
  for await (const { name } of walkTree(workspace.operations, target.real, signal)) {
    entries++;
    if (isGitInternal(name)) {
      const summary = `${path} contains a git repository, which is not deleted`;
      throw new ToolError('PROTECTED', [summary, 'Delete its other entries one by one, or use the shell.'], { path });
    }
  }
  return entries;
}

export const deleteTool: CodingToolSpec<DeleteInput, DeleteDetails> = {
  name: 'delete',
  description: 'Delete a file, or a directory with recursive. Deletes a link, not its target.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Delete a file'),
  async run({ path, recursive = false }, context) {
    const { workspace, signal, dryRun } = context;
    return withLockedTarget(workspace, { path, noFollow: true }, signal, async (target) => {
      const { kind } = await requireExisting(workspace, target);
      const { display } = target;
      await requireNoRoot(workspace, target);
      const isDirectory = kind === 'directory';
      if (isDirectory && !recursive) {
        const hint = 'Set recursive to delete it with its content.';
        throw new ToolError('IS_DIRECTORY', [`${display} is a directory`, hint], { path: display });
      }
      const entries = isDirectory ? await explaining(display, () => inspect(target, context)) : 0;
      await explaining(display, () => guardTree(workspace, target, 'deleted'));
      await commit([deleteStep(workspace, target)], context);
      const verb = dryRun ? 'Would have deleted' : 'Deleted';
      const held = isDirectory ? ` and the ${count(entries, 'entry', 'entries')} in it` : '';
      return succeed(`${verb} ${display}${held}.`, { path: target.path, kind, entries, dryRun });
    });
  },
};
