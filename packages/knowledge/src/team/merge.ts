/** The three-way merge of one asset. It knows no git and no store. */

/** The identity of a version of a file, such as its hash; `undefined` when there is no file. */
export type Version = string | undefined;

export interface Sides {
  /** What both sides had at the last synchronization. */
  readonly base: Version;
  readonly local: Version;
  readonly team: Version;
}

/**
 * What a synchronization does with an asset.
 *
 * - `none`: both sides have what they had.
 * - `same`: both sides were changed in the same way.
 * - `take`: only the team changed it; `local` becomes as `team`, even when that means removal.
 * - `send`: only the local store changed it; `team` becomes as `local`, even when that means removal.
 * - `conflict`: both sides changed it, in different ways.
 */
export type Merge = 'none' | 'same' | 'take' | 'send' | 'conflict';

export function merge({ base, local, team }: Sides): Merge {
  if (local === team) return local === base ? 'none' : 'same';
  if (local === base) return 'take';
  return team === base ? 'send' : 'conflict';
}
