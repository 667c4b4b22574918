/** The assets of the local store, as the merge sees them. */
import { retry } from '@cairn/tool/kernel';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import { keyOfPath, oidOf } from './tree.ts';
import type { Tree, TreeFile } from './tree.ts';
import { assetId } from '../assets/names.ts';

export type Entries = ReadonlyMap<string, StoreEntry>;

/** Reads all entries by the ids of their rows. */
export async function readEntries(store: LocalStore, signal: AbortSignal | undefined): Promise<Entries> {
  const entries = await store.entries(undefined, { signal });
  return new Map(entries.map((entry) => [rowIdOf(entry.id), entry]));
}

/** A file with the id of the asset that it may be. */
type AssetFile = TreeFile & { readonly id: string };

/** The files of a tree that may be assets. */
export interface AssetFiles {
  /** By the ids of the rows. */
  readonly files: ReadonlyMap<string, AssetFile>;
  /** Files that would be the same asset as another file, such as `A.md` next to `a.md`, with the path of that one. */
  readonly duplicates: readonly (readonly [path: string, other: string])[];
  /** The number of all other files. */
  readonly others: number;
}

/** Returns whether a file is the asset rather than another one: the file that the local store knows stays its own. */
function isRather(file: AssetFile, other: AssetFile, known: StoreEntry | undefined): boolean {
  const ranks: readonly ((one: AssetFile) => boolean)[] = [
    ({ id }) => id === known?.id,
    ({ oid }) => oid === known?.team?.oid,
    ({ path }) => path === path.normalize('NFC'),
  ];
  const deciding = ranks.find((rank) => rank(file) !== rank(other));
  return deciding?.(file) ?? false;
}

/** Selects the files of a tree that may be assets. */
export function assetFilesOf(tree: Tree, entries: Entries): AssetFiles {
  const files = new Map<string, AssetFile>();
  const duplicates: (readonly [string, string])[] = [];
  let others = 0;
  for (const file of tree.values()) {
    const key = file.mode.startsWith('100') ? keyOfPath(file.path) : undefined;
    if (key === undefined) {
      others += 1;
      continue;
    }
    const id = assetId(key);
    const rowId = rowIdOf(id);
    const other = files.get(rowId);
    if (other === undefined || isRather({ ...file, id }, other, entries.get(rowId))) files.set(rowId, { ...file, id });
    if (other !== undefined)
      duplicates.push(files.get(rowId) === other ? [file.path, other.path] : [other.path, file.path]);
  }
  return { files, duplicates, others };
}

/** Returns the object id of what the local store has; `undefined` for an asset that was removed. */
export function localOid({ asset, team }: StoreEntry, like: string): string | undefined {
  if (asset === undefined) return undefined;
  return team !== undefined && asset.hash === team.hash ? team.oid : oidOf(asset.text, like);
}

const BATCH = 200;
const MAX_ATTEMPTS = 100;
const MAX_WAIT_MS = 30;

interface ApplyOptions {
  readonly onApplied?: (changes: readonly TeamChange[]) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes changes of the local store. When another process changed an asset meanwhile, `plan` is asked again.
 *
 * @throws {KnowledgeError} `ASSET_CHANGED`.
 */
export async function applyPlan(
  store: LocalStore,
  plan: (entries: Entries) => Promise<readonly TeamChange[]> | readonly TeamChange[],
  { onApplied, signal }: ApplyOptions,
): Promise<Entries> {
  const attempt = async (): Promise<Entries | undefined> => {
    signal?.throwIfAborted();
    const entries = await readEntries(store, signal);
    const changes = await plan(entries);
    let isDone = true;
    for (let from = 0; from < changes.length && isDone; from += BATCH) {
      const batch = changes.slice(from, from + BATCH);
      isDone = (await store.applyTeam(batch, { signal })).isDone;
      if (isDone) onApplied?.(batch);
    }
    if (!isDone) return undefined;
    return changes.length === 0 ? entries : readEntries(store, signal);
  };
  const applied = await retry(attempt, { attempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
  if (applied !== undefined) return applied;
  const summary = `Other processes changed the assets during ${MAX_ATTEMPTS} attempts`;
  throw new KnowledgeError('ASSET_CHANGED', [summary, 'Nothing was lost; repeat the command.']);
}
