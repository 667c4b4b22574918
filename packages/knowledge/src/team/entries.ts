/** The assets of the local store, as the merge sees them. */
import { retry } from '@cairn/tool/kernel';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AssetKey } from '../assets/asset.ts';
import { assetId, assetPath, parseAssetPath } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import type { Tree, TreeFile } from './clone.ts';
import type { TeamProblem } from './report.ts';

export type Entries = ReadonlyMap<string, StoreEntry>;

export async function readEntries(store: LocalStore, signal: AbortSignal | undefined): Promise<Entries> {
  const entries = await store.entries(undefined, { signal });
  return new Map(entries.map((entry) => [rowIdOf(entry.id), entry]));
}

/** A file with the id of the asset that it may be. */
export type AssetFile = TreeFile & { readonly id: string };

/** The files of a tree that may be assets. */
interface AssetFiles {
  /** By the ids of the rows. */
  readonly files: ReadonlyMap<string, AssetFile>;
  /** Files that would be the same asset as another file, such as `A.md` next to `a.md`. */
  readonly duplicates: readonly TeamProblem[];
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

export function assetFilesOf(tree: Tree, entries: Entries): AssetFiles {
  const files = new Map<string, AssetFile>();
  const duplicates: TeamProblem[] = [];
  let others = 0;
  for (const file of tree.values()) {
    // The path may be in Unicode's decomposed form.
    const key = file.mode.startsWith('100') ? parseAssetPath(file.path.normalize('NFC')) : undefined;
    if (key === undefined) {
      others += 1;
      continue;
    }
    const id = assetId(key);
    const rowId = rowIdOf(id);
    const other = files.get(rowId);
    if (other === undefined || isRather({ ...file, id }, other, entries.get(rowId))) files.set(rowId, { ...file, id });
    if (other === undefined) continue;
    const [left, kept] = files.get(rowId) === other ? [file, other] : [other, file];
    duplicates.push({ path: left.path, message: `it would be the same asset as ${kept.path}` });
  }
  return { files, duplicates, others };
}

/** Returns the path at which an asset is written: the one that it has in the tree, or its own. */
export function pathFor(key: AssetKey, known: TreeFile | undefined): string {
  const own = assetPath(key);
  return known?.path.normalize('NFC') === own ? known.path : own;
}

/**
 * Returns the object id that git gives what the local store has; `undefined` for an asset that was removed. `like` is an object id of
 * the repository.
 */
export function localOid({ asset, team }: StoreEntry, like: string): string | undefined {
  if (asset === undefined) return undefined;
  if (asset.hash === team?.hash) return team.oid;
  const bytes = Buffer.from(asset.text);
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

const BATCH = 200;
const MAX_ATTEMPTS = 100;
const MAX_WAIT_MS = 30;

/**
 * Makes changes of the local store. When another process changed an asset meanwhile, `plan` is asked again. `onApplied` gets the
 * entries as they were before. @throws {KnowledgeError} `ASSET_CHANGED`.
 */
export async function applyPlan(
  { store, signal }: { readonly store: LocalStore; readonly signal?: AbortSignal | undefined },
  plan: (entries: Entries) => Promise<readonly TeamChange[]> | readonly TeamChange[],
  onApplied?: (changes: readonly TeamChange[], before: Entries) => void,
): Promise<Entries> {
  const attempt = async (): Promise<Entries | undefined> => {
    signal?.throwIfAborted();
    const entries = await readEntries(store, signal);
    const changes = await plan(entries);
    for (let from = 0; from < changes.length; from += BATCH) {
      const batch = changes.slice(from, from + BATCH);
      if (!(await store.applyTeam(batch, { signal })).isDone) return undefined;
      onApplied?.(batch, entries);
    }
    return changes.length === 0 ? entries : readEntries(store, signal);
  };
  const applied = await retry(attempt, { attempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
  if (applied !== undefined) return applied;
  const summary = `Other processes changed the assets during ${MAX_ATTEMPTS} attempts`;
  throw new KnowledgeError('ASSET_CHANGED', [summary, 'Nothing was lost; repeat the command.']);
}
