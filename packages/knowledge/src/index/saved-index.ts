/**
 * The index as the store keeps it, so that a new process reads two rows and not every asset. It is derived: without it, the assets
 * are read again.
 */
import type { CallOptions, MemoryBackend } from '@cairn/memory';
import type { AssetHead } from '../assets/asset.ts';
import { INDEX_KEY, INDEX_ROWS, Rows, type Position } from '../stores/rows.ts';
import type { IndexOverview } from './selection.ts';

/** Raise it with every change of the format. */
const VERSION = 3;

/** What the index knows of the assets in one state of their table. */
export interface SavedIndex extends Position {
  readonly overview: IndexOverview;
  readonly heads: readonly { readonly sequence: number; readonly opened: number; readonly head: AssetHead }[];
}

export async function readSavedIndex(backend: MemoryBackend, options: CallOptions): Promise<SavedIndex | undefined> {
  const [state, heads] = await new Rows(backend, INDEX_KEY).read(INDEX_ROWS, options);
  if (state === undefined || heads === undefined) return undefined;
  try {
    const { version, ...saved } = JSON.parse(state.text) as Omit<SavedIndex, 'heads'> & { readonly version: number };
    return version === VERSION ? { ...saved, heads: JSON.parse(heads.text) as SavedIndex['heads'] } : undefined;
  } catch {
    return undefined;
  }
}

/** Saves the index, unless it is saved already, or another process saves it concurrently. */
export async function saveIndex(
  backend: MemoryBackend,
  { heads, ...state }: SavedIndex,
  options: CallOptions,
): Promise<void> {
  const next = [JSON.stringify({ version: VERSION, ...state }), JSON.stringify(heads)];
  const table = new Rows(backend, INDEX_KEY);
  const before = await table.read(INDEX_ROWS, options);
  if (before.every((row, place) => row?.text === next[place])) return;
  const changes = INDEX_ROWS.map((id, place) => ({ id, expected: before[place]?.text, next: next[place] }));
  await table.change(changes, options);
}
