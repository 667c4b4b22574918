/** The team store: a repository of git that a team shares, with one Markdown file per asset. */
import type { CallOptions } from '@cairn/memory';
import type { LocalStore } from '../stores/local-store.ts';
import type { TeamChanges, Withheld } from './report.ts';

export interface TeamOptions {
  readonly store: LocalStore;
  /** The knowledge directory. */
  readonly directory: string;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Milliseconds since the epoch, for commits. @default Date.now */
  readonly clock?: (() => number) | undefined;
  /** The time limit of a command that asks the remote. @default 120_000 */
  readonly remoteTimeoutMs?: number | undefined;
  /** Called before each step that changes something, with its name. For tests that end the process there. */
  readonly onStep?: ((step: string) => void) | undefined;
}

export interface InitTeamOptions extends CallOptions {
  /** The address of the repository. @default the remote of the clone in the directory */
  readonly remote?: string | undefined;
  /** @default the branch that the remote names, otherwise `main` */
  readonly branch?: string | undefined;
  /** The directory of the bare clone. @default `team.git` in the knowledge directory */
  readonly clone?: string | undefined;
  /** The directory of relative paths. @default process.cwd() */
  readonly cwd?: string | undefined;
}

/** An asset that was changed here and by the team. */
export interface TeamConflict {
  readonly id: string;
  /** The local text; `null` when it was removed here. */
  readonly mine: string | null;
  /** What the team has; `null` when it was removed there. */
  readonly theirs: string | null;
}

/** The state of sharing, as of the last time that the remote was asked. */
export interface TeamStatus {
  readonly remote: string;
  readonly branch: string;
  /** The directory of the clone. */
  readonly clone: string;
  readonly synced?: string | undefined;
  /** What a push would send. */
  readonly outgoing: TeamChanges;
  /** Whether the team's branch has commits that were fetched and not merged. */
  readonly isBehind: boolean;
  readonly conflicts: readonly string[];
  /** Assets that a push would withhold. */
  readonly withheld: readonly Withheld[];
  /** The branch with changes that wait for a review. */
  readonly review?: string | undefined;
}

/** How a conflict ends. */
export type Resolution = 'mine' | 'theirs' | { readonly text: string };
