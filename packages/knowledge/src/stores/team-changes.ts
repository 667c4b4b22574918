/** What a synchronization with the team store reads and changes here. */
import type { Asset, AssetConflict } from '../assets/asset.ts';
import type { TeamState } from './record.ts';

/** An asset of the local store, or one that was removed here and is still in the team store. */
export interface StoreEntry {
  readonly id: string;
  /** Identifies this state of the entry. */
  readonly version: string;
  /** Absent when it was removed here. */
  readonly asset?: Asset | undefined;
  /** The team's file at the last synchronization; absent when the team store had none. */
  readonly team?: TeamState | undefined;
  readonly conflict?: AssetConflict | undefined;
}

/** A change of one entry by a synchronization. */
export interface TeamChange {
  /** `product_line/name`. */
  readonly id: string;
  /** The version of the entry that the change is based on; `undefined` when there was no entry. */
  readonly version: string | undefined;
  /** The Markdown that the asset gets; `null` removes it. @default what is here stays */
  readonly text?: string | null | undefined;
  /** The file that the team store has now; `null` when it has none. @default what it had at the last synchronization */
  readonly team?: TeamState | null | undefined;
  /** A conflict; `null` ends it. @default a conflict stays */
  readonly conflict?: AssetConflict | null | undefined;
  /** When the text was changed. @default now */
  readonly changedMs?: number | undefined;
  /** The remote, for assets that are new here. */
  readonly source?: string | undefined;
}

/** Whether the changes were made. `changed`: these entries are not as expected; nothing was changed. */
export type TeamResult = { readonly isDone: true } | { readonly isDone: false; readonly changed: readonly string[] };
