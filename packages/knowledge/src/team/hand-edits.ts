/** How the local store gets what somebody edited by hand in the work tree. */
import { decodeAsset, parseAsset } from '../assets/markdown.ts';
import { assetId } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import { applyPlan, localOid } from './entries.ts';
import type { Git } from './git.ts';
import { merge } from './merge.ts';
import { problemOf } from './pull.ts';
import type { ChangeList, TeamProblem } from './report.ts';
import { keyOfPath, oidOf } from './tree.ts';
import type { Tree } from './tree.ts';
import { checkedOut, readWorkFile } from './work-tree.ts';

type Edited = Readonly<Record<string, string | null>>;

/** A file that was edited by hand. */
export interface HandEdit {
  readonly path: string;
  readonly id: string;
  /** Before the edit; `undefined` when there was no file. */
  readonly base: string | undefined;
  readonly oid: string | undefined;
  /** `null` when the file was removed. */
  readonly text: string | null;
}

export interface FindOptions {
  /** The commit that is checked out, or the last one of it that the team has. */
  readonly tree: Tree;
  /** Trees of the team: a file that is as in one of them was not edited. */
  readonly others: readonly Tree[];
  readonly edited: Edited;
  /** Paths that may have been edited. */
  readonly paths: Iterable<string>;
  /** An object id of the repository. */
  readonly like: string;
}

/** Finds the files of assets that somebody edited, and the edits that cannot be read as assets. */
export async function findHandEdits(
  git: Git,
  { tree, others, edited, paths, like }: FindOptions,
): Promise<{ readonly edits: readonly HandEdit[]; readonly problems: readonly TeamProblem[] }> {
  const edits: HandEdit[] = [];
  const problems: TeamProblem[] = [];
  for (const path of new Set([...paths, ...Object.keys(edited)])) {
    const key = keyOfPath(path);
    const content = key && (await readWorkFile(git.workTree, path));
    if (key === undefined || content === undefined) continue;
    const oid = content === null ? undefined : oidOf(content, like);
    const taken = edited[path];
    const base = taken === undefined ? checkedOut(tree, path)?.oid : (taken ?? undefined);
    if (oid === base || others.some((one) => checkedOut(one, path)?.oid === oid)) continue;
    const id = assetId(key);
    if (content === null) {
      edits.push({ path, id, base, oid, text: null });
      continue;
    }
    try {
      const text = decodeAsset(content, { path });
      parseAsset(text, { path, key });
      checkSecrets(text, { path });
      edits.push({ path, id, base, oid, text });
    } catch (error) {
      problems.push(problemOf(error, path));
    }
  }
  return { edits, problems };
}

/** What the local store does with an edit. */
function changeOf(entry: StoreEntry | undefined, { id, base, oid, text }: HandEdit): TeamChange | 'taken' | 'waits' {
  const local = entry && localOid(entry, oid ?? base ?? '');
  if (local === oid) return 'taken';
  if (entry?.conflict !== undefined) return 'waits';
  const at = { id, version: entry?.version };
  if (merge({ base, local, team: oid }) === 'take') return { ...at, text };
  // Removed here and by the team: only the edit is left.
  if (entry === undefined) return { ...at, text };
  return { ...at, id: entry.id, conflict: { theirs: text } };
}

export interface TakenEdits {
  /** See `CloneState.edited`. */
  readonly edited: Edited;
  /** Edits of assets with a conflict, which must be resolved first. */
  readonly waiting: readonly string[];
}

/** Merges edits into the local store, where they are changes that the team does not have. */
export async function takeHandEdits(
  store: LocalStore,
  edits: readonly HandEdit[],
  { edited, taken, signal }: { edited: Edited; taken: ChangeList; signal: AbortSignal | undefined },
): Promise<TakenEdits> {
  if (edits.length === 0) return { edited, waiting: [] };
  const next: Record<string, string | null> = { ...edited };
  const waiting = new Set<string>();
  await applyPlan(store, {
    signal,
    plan: async (entries) => {
      const changes: TeamChange[] = [];
      waiting.clear();
      for (const edit of edits) {
        const change = changeOf(entries.get(rowIdOf(edit.id)), edit);
        if (change === 'waits') {
          waiting.add(edit.path);
          continue;
        }
        next[edit.path] = edit.oid ?? null;
        if (change !== 'taken') changes.push(change);
      }
      return Promise.resolve(changes);
    },
    onApplied: (changes) => {
      for (const { id, text } of changes) {
        if (text === undefined) continue;
        const { base } = edits.find((edit) => edit.id === id) ?? {};
        taken.add(text === null ? 'removed' : base === undefined ? 'added' : 'changed', id);
      }
    },
  });
  return { edited: next, waiting: [...waiting] };
}
