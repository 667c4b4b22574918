/** What the calls of the team store return. */
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import { rowIdOf } from '../stores/record.ts';

/** Assets by what happened to them, as `product_line/name`. */
export interface TeamChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A file of the team store that cannot be read as an asset. It stays as it is. */
export interface TeamProblem {
  readonly path: string;
  readonly line?: number | undefined;
  readonly message: string;
}

/** An asset that was not pushed. */
export interface Withheld {
  readonly id: string;
  readonly message: string;
}

export interface TeamReport {
  readonly remote: string;
  readonly branch: string;
  /** What the local store got from the team. */
  readonly pulled: TeamChanges;
  /** What the team store got. With `review`, what its branch has and the team's does not. */
  readonly pushed: TeamChanges;
  /** The branch to which the changes were pushed, because the team's branch is protected. */
  readonly review?: string | undefined;
  /** Assets that were changed on both sides. They are not pushed until they are resolved. */
  readonly conflicts: readonly string[];
  readonly withheld: readonly Withheld[];
  readonly problems: readonly TeamProblem[];
  /** The number of files of the team store that are not assets. */
  readonly otherFiles: number;
  /** What else happened that the user should know. */
  readonly notices: readonly string[];
}

/** An asset that was changed here and by the team. */
export interface TeamConflict {
  readonly id: string;
  /** The local text; `null` when it was removed here. */
  readonly mine: string | null;
  /** What the team has; `null` when it was removed there. */
  readonly theirs: string | null;
  /**
   * Both merged by lines: only lines that both sides changed are there twice, between the marks of git. Absent when one side added or
   * removed the asset.
   */
  readonly merged?: string | undefined;
}

/** The state of sharing, as of the last time that the remote was asked. */
export interface TeamStatus extends Pick<TeamReport, 'remote' | 'branch' | 'conflicts' | 'withheld' | 'review'> {
  readonly clone: string;
  readonly synced?: string | undefined;
  /** What a push would send. */
  readonly outgoing: TeamChanges;
  /** Whether the team's branch has commits that were fetched and not merged. */
  readonly isBehind: boolean;
}

/** Collects ids; each is listed once, in what happened to it last. */
export class ChangeList {
  readonly #kinds = new Map<string, keyof TeamChanges>();

  add(kind: keyof TeamChanges, id: string): void {
    this.#kinds.set(id, kind);
  }

  /** Adds the assets whose texts a merge changed. `before`: the entries before it. */
  addTexts(changes: readonly TeamChange[], before: ReadonlyMap<string, StoreEntry>): void {
    for (const { id, text } of changes) {
      if (text === undefined) continue;
      const had = before.get(rowIdOf(id))?.asset !== undefined;
      if (text !== null) this.add(had ? 'changed' : 'added', id);
      else if (had) this.add('removed', id);
    }
  }

  get changes(): TeamChanges {
    const of = (kind: keyof TeamChanges): string[] =>
      [...this.#kinds].flatMap(([id, one]) => (one === kind ? [id] : [])).toSorted();
    return { added: of('added'), changed: of('changed'), removed: of('removed') };
  }
}
