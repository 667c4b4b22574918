import { errnoOf } from '@cairn/tool/internal';
import type { GrepMatch } from '@cairn/natives';
import { ToolError } from '@cairn/tool';
import { takeFileSnapshot } from '../commit/snapshot.ts';
import { recordOf } from '../files/ledger.ts';
import type { Workspace } from '../workspace.ts';
import { WHOLE_FILE_BYTES } from './read-page.ts';

/**
 * Records the content of the files whose lines are shown, so that later changes are noticed; a found line does not count as a
 * sight of its file. Leaves out a file that changed since the search, and one that is too large to hash for a few lines.
 */
export async function recordMatches(workspace: Workspace, matches: readonly GrepMatch[]): Promise<void> {
  const files = new Map<string, GrepMatch[]>();
  for (const match of matches) files.set(match.path, [...(files.get(match.path) ?? []), match]);
  for (const [path, lines] of files) {
    try {
      const target = await workspace.resolve(path);
      if (target.stat?.kind !== 'file' || target.stat.size > WHOLE_FILE_BYTES) continue;
      const { bytes, hash } = await takeFileSnapshot(workspace, target);
      const { encoding } = workspace.ledger.get(target.real) ?? {};
      // Cut or repaired lines are not compared.
      const hasLines = lines.every(
        ({ line, truncated }) => truncated || line.includes('\ufffd') || bytes.includes(line),
      );
      if (hasLines) workspace.ledger.record(target.real, recordOf(bytes, { seen: [], encoding, hash }));
      workspace.buffers.release(bytes);
    } catch (error) {
      // The file is gone or moved: the ledger has no record of it.
      if (!ToolError.isInstance(error) && errnoOf(error) === undefined) throw error;
    }
  }
}
