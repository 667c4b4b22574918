/** What a synchronization did. */

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

/** Collects ids; each is listed once, in what happened to it last. */
export class ChangeList {
  readonly #kinds = new Map<string, keyof TeamChanges>();

  add(kind: keyof TeamChanges, id: string): void {
    this.#kinds.set(id, kind);
  }

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  get changes(): TeamChanges {
    const of = (kind: keyof TeamChanges): string[] =>
      [...this.#kinds].flatMap(([id, one]) => (one === kind ? [id] : [])).toSorted();
    return { added: of('added'), changed: of('changed'), removed: of('removed') };
  }
}
