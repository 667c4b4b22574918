import type { CallTable } from '@cairn/tool/errors';
import type { CallOptions } from '@cairn/memory';
import { callOptions, checkArguments } from '../errors.ts';
import type { TeamStore } from './open-team.ts';
import type { TeamReport } from './report.ts';
import type { InitTeamOptions, Resolution, TeamConflict, TeamOptions, TeamStatus } from './team-api.ts';

/** The repository of git in which a team shares its assets. Most commands use no team store: its modules are loaded by the first call. */
class LazyTeam {
  readonly #options: TeamOptions;
  #opening: Promise<TeamStore> | undefined;

  constructor(options: TeamOptions) {
    this.#options = options;
  }

  #open(): Promise<TeamStore> {
    return (this.#opening ??= import('./open-team.ts').then(({ TeamStore }) => new TeamStore(this.#options)));
  }

  /** Sets up the team store, and pulls. May be repeated. @throws {KnowledgeError} `INVALID_INPUT`, and those of `sync`. */
  async init(options?: InitTeamOptions): Promise<TeamReport> {
    return (await this.#open()).init(options);
  }

  /**
   * Returns whether the clone has commits that the local store lacks, such as those of an outside `git fetch`. It runs no git.
   *
   * @throws {KnowledgeError} `STORE_FAILED`.
   */
  async hasLocalChanges(): Promise<boolean> {
    return (await import('./local-changes.ts')).hasLocalChanges(this.#options.directory);
  }

  /**
   * Takes the commits that the clone has and the local store lacks, such as those of an outside `git fetch`. Asks no remote.
   *
   * @throws {KnowledgeError} `NO_TEAM`, `SYNC_BUSY`, `GIT_FAILED`, `STORE_FAILED`.
   */
  async refresh(options?: CallOptions): Promise<TeamReport> {
    return (await this.#open()).synchronize('local', options);
  }

  /** Gets what the team changed. @throws {KnowledgeError} as `sync`. */
  async pull(options?: CallOptions): Promise<TeamReport> {
    return (await this.#open()).synchronize('pull', options);
  }

  /**
   * Gets what the team changed, and sends what was changed here. Assets that were changed on both sides are conflicts, which are kept
   * side by side until they are resolved; all others are synchronized.
   *
   * @throws {KnowledgeError} `NO_TEAM`, `SYNC_BUSY`, `GIT_FAILED`, `REMOTE_FAILED`, `STORE_FAILED`.
   */
  async sync(options?: CallOptions): Promise<TeamReport> {
    return (await this.#open()).synchronize('sync', options);
  }

  /** Returns the changes that a synchronization would make. With `fetch` it asks the remote first. */
  async status(options?: CallOptions & { readonly fetch?: boolean | undefined }): Promise<TeamStatus> {
    return (await this.#open()).status(options);
  }

  async conflicts(options?: CallOptions): Promise<TeamConflict[]> {
    return (await this.#open()).conflicts(options);
  }

  /**
   * Ends a conflict. The next synchronization sends the result.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET` when the asset has no conflict; `INVALID_ASSET`, `SECRET` for a text.
   */
  async resolve(id: string, resolution: Resolution, options?: CallOptions): Promise<void> {
    return (await this.#open()).resolve(id, resolution, options);
  }
}

export type Team = Pick<LazyTeam, keyof LazyTeam>;

const teamCalls: CallTable<Team> = {
  init: [{ ...callOptions, remote: 'optional', branch: 'optional', clone: 'optional', cwd: 'optional' }],
  hasLocalChanges: [],
  refresh: [callOptions],
  pull: [callOptions],
  sync: [callOptions],
  status: [{ ...callOptions, fetch: 'optional' }],
  conflicts: [callOptions],
  resolve: ['any', 'any', callOptions],
};

/** Creates the team store of a local store. Nothing is read before a call. */
export function createTeam(options: TeamOptions): Team {
  return checkArguments.calls<Team>(new LazyTeam(options), teamCalls);
}
