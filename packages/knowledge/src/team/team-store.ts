import type { CallOptions } from '@cairn/memory';
import { quoted } from '@cairn/tool/kernel';
import process from 'node:process';
import type { Asset } from '../assets/asset.ts';
import { parseAsset } from '../assets/markdown.ts';
import type { Sides } from '../assets/merge-fields.ts';
import { parseAssetId } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import type { Clone, CloneOptions } from './clone.ts';
import { applyPlan, readEntries, type Entries } from './entries.ts';
import { withLock } from './lock.ts';
import { mergeTexts, type MergedText } from './merge-texts.ts';
import { outgoingOf } from './push.ts';
import { withoutCredentials } from './remote-failure.ts';
import type { TeamConflict, TeamReport, TeamStatus } from './report.ts';
import { openOrCreate, setUp, type InitTeamOptions } from './set-up.ts';
import { hasLocalChanges, readState, type CloneState } from './state.ts';
import { Synchronization, type SyncMode } from './synchronization.ts';

const REMOTE_TIMEOUT_MS = 120_000;

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

/** How a conflict ends. */
export type Resolution = 'mine' | 'theirs' | { readonly text: string };

/** Returns a conflict. `merge`: merges both sides with what they had before. */
async function conflictOf(
  { id, asset, conflict }: StoreEntry,
  merge: (sides: Sides, asset: Asset) => Promise<MergedText | undefined>,
): Promise<TeamConflict[]> {
  if (conflict === undefined) return [];
  const { theirs, base } = conflict;
  const own = { id, mine: asset?.text ?? null, theirs };
  if (asset === undefined || theirs === null || base === undefined) return [own];
  const merged = await merge({ base, mine: asset.text, theirs }, asset);
  return [merged === undefined ? own : { ...own, merged: merged.text }];
}

/** Packs the objects of the clone. @returns the failure: the assets are synchronized all the same. */
async function tidy(clone: Clone): Promise<string[]> {
  const args = ['-c', 'gc.auto=4000', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'];
  try {
    await clone.run(args, { accepts: [0, 1, 128, 255] });
    return [];
  } catch (error) {
    if (!KnowledgeError.isInstance(error)) throw error;
    return [`The clone was not tidied: ${error.summary}`];
  }
}

/** The repository of git in which a team shares its assets. */
export class TeamStore {
  readonly #options: TeamOptions;

  constructor(options: TeamOptions) {
    this.#options = options;
  }

  /** Sets up the team store, and pulls. May be repeated. @throws {KnowledgeError} `INVALID_INPUT`, and the codes of `sync`. */
  init(options: InitTeamOptions = {}): Promise<TeamReport> {
    const { signal } = options;
    const { directory } = this.#options;
    return withLock(directory, async () => {
      const defaultBranch = await setUp(directory, options, this.#cloneOptions(signal));
      const { clone, report } = await this.#run('pull', signal);
      if (defaultBranch === undefined || (await clone.fetchedCommit(report.branch)) !== undefined) return report;
      const notice = `The remote has no branch ${report.branch}; the first push creates it. Its own branch is ${defaultBranch}.`;
      return { ...report, notices: [...report.notices, notice] };
    });
  }

  /** Returns whether the clone has commits that the local store lacks. Runs no git. @throws {KnowledgeError} `STORE_FAILED`. */
  hasLocalChanges(): Promise<boolean> {
    return hasLocalChanges(this.#options.directory);
  }

  /**
   * Takes the commits that the clone has and the local store lacks, such as those of an outside `git fetch`. Asks no remote.
   *
   * @throws {KnowledgeError} `NO_TEAM`, `SYNC_BUSY`, `GIT_FAILED`, `STORE_FAILED`.
   */
  refresh(options?: CallOptions): Promise<TeamReport> {
    return this.#synchronize('local', options);
  }

  /** Gets what the team changed. @throws {KnowledgeError} as `sync`. */
  pull(options?: CallOptions): Promise<TeamReport> {
    return this.#synchronize('pull', options);
  }

  /**
   * Gets what the team changed, and sends what was changed here. Assets that were changed on both sides are conflicts, which are kept
   * side by side until they are resolved; all others are synchronized.
   *
   * @throws {KnowledgeError} `NO_TEAM`, `SYNC_BUSY`, `GIT_FAILED`, `REMOTE_FAILED`, `STORE_FAILED`.
   */
  sync(options?: CallOptions): Promise<TeamReport> {
    return this.#synchronize('sync', options);
  }

  /** Returns the changes that a synchronization would make. With `fetch` it asks the remote first. */
  async status(options: CallOptions & { readonly fetch?: boolean | undefined } = {}): Promise<TeamStatus> {
    const { fetch = false, signal } = options;
    const { state, clone } = await this.#open(signal);
    const { remote, branch, synced, review } = state;
    // A clone that was deleted is empty now.
    const isEmptyClone = synced !== undefined && (await clone.commitOf(synced)) === undefined;
    if (fetch || isEmptyClone) {
      await withLock(this.#options.directory, async () => {
        const commit = (await clone.readRemote(branch)).commits.get(branch);
        if (commit !== undefined) await clone.fetchBranch(branch, commit);
      });
    }
    const last = synced === undefined ? undefined : await clone.commitOf(synced);
    const entries = await readEntries(this.#options.store, signal);
    const { listed, withheld } = outgoingOf(entries, await clone.tree(last));
    const fetched = await clone.fetchedCommit(branch);
    return {
      remote: withoutCredentials(remote),
      branch,
      clone: clone.directory,
      ...(synced !== undefined && { synced }),
      outgoing: listed,
      isBehind: fetched !== undefined && fetched !== synced,
      conflicts: [...entries.values()].flatMap(({ id, conflict }) => (conflict === undefined ? [] : [id])),
      withheld,
      ...(review !== undefined && { review: review.branch }),
    };
  }

  async conflicts({ signal }: CallOptions = {}): Promise<TeamConflict[]> {
    const found = [...(await readEntries(this.#options.store, signal)).values()].filter((entry) => entry.conflict);
    if (found.length === 0) return [];
    const { clone } = await this.#open(signal);
    const conflicts: TeamConflict[] = [];
    for (const entry of found) {
      conflicts.push(...(await conflictOf(entry, (sides, asset) => mergeTexts(clone, sides, asset))));
    }
    return conflicts;
  }

  /**
   * Ends a conflict. The next synchronization sends the result.
   *
   * @throws {KnowledgeError} `UNKNOWN_ASSET` when the asset has no conflict; `INVALID_ASSET`, `SECRET` for a given `text`.
   */
  async resolve(id: string, resolution: Resolution, { signal }: CallOptions = {}): Promise<void> {
    const { store } = this.#options;
    const plan = (entries: Entries): readonly TeamChange[] => {
      const wanted = id.toLowerCase();
      const entry = [...entries.values()].find((one) => one.conflict && one.id.toLowerCase() === wanted);
      if (entry?.conflict === undefined) {
        const hint = '"cairn knowledge team status" lists the conflicts.';
        throw new KnowledgeError('UNKNOWN_ASSET', [`The asset ${quoted(id)} has no conflict`, hint], { assets: [id] });
      }
      const at = { id: entry.id, version: entry.version, conflict: null };
      if (resolution === 'mine') return [at];
      const text = resolution === 'theirs' ? entry.conflict.theirs : resolution.text;
      const parsed = text === null ? undefined : parseAsset(text, { key: parseAssetId(entry.id) });
      const isAllowed = entry.asset?.allowSecret === true && parsed?.fields.allowSecret === true;
      if (parsed !== undefined && resolution !== 'theirs' && !isAllowed) checkSecrets(parsed.text);
      return [{ ...at, text }];
    };
    await applyPlan({ store, signal }, plan);
    if (resolution === 'theirs') await store.eraseReplaced();
  }

  #cloneOptions(signal: AbortSignal | undefined): CloneOptions {
    const { env = process.env, remoteTimeoutMs = REMOTE_TIMEOUT_MS } = this.#options;
    return { env, remoteTimeoutMs, signal };
  }

  /** @throws {KnowledgeError} `NO_TEAM`. */
  async #requireState(): Promise<CloneState> {
    const state = await readState(this.#options.directory);
    if (state !== undefined) return state;
    throw new KnowledgeError('NO_TEAM', ['No team store is set up', 'Run "cairn knowledge team init <remote>".']);
  }

  async #open(signal: AbortSignal | undefined): Promise<{ readonly state: CloneState; readonly clone: Clone }> {
    const state = await this.#requireState();
    return { state, clone: await openOrCreate(state, this.#cloneOptions(signal)) };
  }

  async #synchronize(mode: SyncMode, { signal }: CallOptions = {}): Promise<TeamReport> {
    await this.#requireState();
    return withLock(this.#options.directory, async () => (await this.#run(mode, signal)).report);
  }

  async #run(mode: SyncMode, signal: AbortSignal | undefined): Promise<{ clone: Clone; report: TeamReport }> {
    const { store, directory, clock = Date.now, onStep = () => undefined } = this.#options;
    const opened = await this.#open(signal);
    const { clone } = opened;
    const report = await new Synchronization({ ...opened, store, directory, mode, clock, onStep, signal }).run();
    const changes = [report.pulled, report.pushed].flatMap(({ added, changed, removed }) => [added, changed, removed]);
    const hasObjects = mode !== 'local' && changes.some(({ length }) => length > 0);
    const problems = hasObjects ? await tidy(clone) : [];
    return { clone, report: { ...report, notices: [...report.notices, ...problems] } };
  }
}
