import { errnoOf } from '@cairn/tool/internal';
import { isFresh } from '../commit/guard.ts';
import { statOf } from '../commit/temporary.ts';
import type { FileRecord } from '../files/ledger.ts';
import type { Workspace } from '../workspace.ts';

/** The files that were read or written last are compared. */
const MAX_CHECKED = 1000;

/** Bytes that are compared. The guard of the tools that change files compares the rest. */
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

/** File systems keep times in steps of up to this. */
const TIME_STEP_MS = 2000;

/** Returns the record of a file if it may have changed since; `gone` if no file is there any more. */
async function suspectAt(
  { operations, ledger }: Workspace,
  path: string,
  sinceMs: number,
): Promise<FileRecord | 'gone' | undefined> {
  const stat = await statOf(operations, path);
  if (stat === undefined) return 'gone';
  const changedMs = stat.ctimeNs === undefined ? stat.mtimeMs : Number(stat.ctimeNs / 1_000_000n);
  if (changedMs < sinceMs - TIME_STEP_MS) return undefined;
  // The path is canonical: what is a link now was a file before.
  return stat.kind === 'file' ? ledger.get(path) : 'gone';
}

/**
 * Returns those of the files that were read or written last which are gone, or whose content another program changed after
 * `sinceMs`; canonical paths, at most {@link MAX_CHECKED}.
 */
export async function changedReadFiles(workspace: Workspace, sinceMs: number): Promise<readonly string[]> {
  const changed: string[] = [];
  let left = MAX_COMPARED_BYTES;
  for (const path of workspace.ledger.newest(MAX_CHECKED)) {
    try {
      const suspect = await suspectAt(workspace, path, sinceMs);
      if (suspect === undefined) continue;
      if (suspect === 'gone') changed.push(path);
      else if (suspect.length <= left) {
        left -= suspect.length;
        if (!(await isFresh(workspace.operations, path, suspect))) changed.push(path);
      }
    } catch (error) {
      // It cannot be read: so neither can a tool that would change it.
      if (errnoOf(error) === undefined) throw error;
    }
  }
  return changed;
}
