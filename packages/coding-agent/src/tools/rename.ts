import { explaining } from '@cairn/tool/internal';
import { succeed, ToolError } from '@cairn/tool';
import { z } from 'zod';
import { isListed } from '../commit/place.ts';
import { commit } from '../commit/commit.ts';
import { guard, guardTree } from '../commit/guard.ts';
import { withLockedTargets, type LockedTarget } from '../commit/locked-targets.ts';
import { renameStep, type Move } from '../commit/rename-step.ts';
import { takeFileSnapshot } from '../commit/snapshot.ts';
import { isWithin } from '../files/confine.ts';
import { requireExisting } from '../files/near-names.ts';
import { kindNames, type FileKind } from '../files/operations.ts';
import type { Workspace } from '../workspace.ts';
import { requireNoRoot } from './delete.ts';
import { inputSchema } from './input.ts';
import { mutating, type CodingToolSpec } from './spec.ts';

const shape = { from: z.string(), to: z.string(), overwrite: z.boolean().optional().describe('replace a file') };

export interface RenameInput {
  readonly from: string;
  readonly to: string;
  readonly overwrite?: boolean | undefined;
}

export interface RenameDetails {
  readonly from: string;
  readonly to: string;
  readonly kind: FileKind;
  /** A file at `to` was replaced. */
  readonly overwritten: boolean;
  readonly dryRun: boolean;
}

async function requireReplaceable(
  workspace: Workspace,
  to: LockedTarget,
  overwrite: boolean,
): Promise<Move['replaced']> {
  const { stat, display: path } = to;
  if (!stat) return undefined;
  if (!overwrite) {
    const isDirectory = stat.kind === 'directory';
    const hint = isDirectory
      ? 'To move into it, give the complete new path.'
      : 'Choose another name, or set overwrite.';
    throw new ToolError('EXISTS', [`${path} already exists`, hint], { path });
  }
  if (stat.kind === 'directory' || stat.kind === 'other') {
    const summary = `${path} is ${kindNames[stat.kind]}, which rename does not replace`;
    throw new ToolError('EXISTS', [summary, 'Delete it first, or choose another name.'], { path });
  }
  if (stat.kind === 'symlink') return 'link';
  const snapshot = await takeFileSnapshot(workspace, to);
  guard(workspace, to, snapshot, { verb: 'overwritten', mustBeRead: true });
  return snapshot;
}

export const renameTool: CodingToolSpec<RenameInput, RenameDetails> = {
  name: 'rename',
  description: 'Rename or move a file or directory, creating missing directories.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Rename a file'),
  async run({ from: source, to: destination, overwrite = false }, context) {
    const { workspace, signal, dryRun } = context;
    const named = [source, destination].map((path) => ({ path, noFollow: true }));
    return withLockedTargets(workspace, named, signal, async ([from, to]) => {
      if (!from || !to) throw new Error('two paths give two targets');
      const { kind, identity } = await requireExisting(workspace, from);
      await requireNoRoot(workspace, from);
      if (from.real === to.real) {
        const summary = `${from.display} and ${to.display} are the same path`;
        throw new ToolError('NO_CHANGE', [summary, 'Choose another name.'], { path: to.display });
      }
      if (isWithin(to.real, from.real)) {
        const summary = `${from.display} cannot be moved into itself: ${to.display} is inside it`;
        throw new ToolError('INVALID_INPUT', [summary, 'Choose a destination outside it.'], { path: to.display });
      }
      // Another spelling of the same name, on a file system that ignores the difference; not a second name of the file.
      const isRespelled =
        to.stat?.identity === identity &&
        from.real.toLowerCase() === to.real.toLowerCase() &&
        !(await isListed(workspace.operations, to.real));
      const overwritten = to.stat !== undefined && !isRespelled;
      const found = overwritten ? await requireReplaceable(workspace, to, overwrite) : undefined;
      await explaining(from.display, () => guardTree(workspace, from, 'renamed'));
      const replaced = to.stat?.identity === identity ? undefined : found;
      await commit([renameStep(workspace, { from, to, replaced })], context);
      const verb = dryRun ? 'Would have renamed' : 'Renamed';
      const note = overwritten ? ', replacing the existing one' : '';
      const details = { from: from.path, to: to.path, kind, overwritten, dryRun };
      return succeed(`${verb} ${from.display} to ${to.display}${note}.`, details);
    });
  },
};
