/** What the calls of the team store do. */
import type { CallOptions } from '@cairn/memory';
import { quoted } from '@cairn/tool/kernel';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAsset } from '../assets/markdown.ts';
import { parseAssetId } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import { applyPlan, readEntries } from './entries.ts';
import type { Entries } from './entries.ts';
import { Git } from './git.ts';
import { withLock } from './lock.ts';
import { outgoingOf } from './push.ts';
import { withoutCredentials } from './remote-failure.ts';
import { ChangeList } from './report.ts';
import type { TeamChanges, TeamReport } from './report.ts';
import { commitOf, fetchBranch, fetchedCommit, readRemote } from './repository.ts';
import type { CloneOptions } from './repository.ts';
import { openOrCreate, setUp } from './set-up.ts';
import { readState, writeState } from './state.ts';
import type { CloneState } from './state.ts';
import type { InitTeamOptions, Resolution, TeamConflict, TeamOptions, TeamStatus } from './team-api.ts';
import { synchronize } from './synchronize.ts';
import type { SyncContext } from './synchronize.ts';
import { readTree } from './tree.ts';

const REMOTE_TIMEOUT_MS = 120_000;
const MAX_ATTEMPTS = 8;
const MAX_WAIT_MS = 200;

function conflictOf({ id, asset, conflict }: StoreEntry): TeamConflict[] {
  return conflict === undefined ? [] : [{ id, mine: asset?.text ?? null, theirs: conflict.theirs }];
}

function isEmpty({ added, changed, removed }: TeamChanges): boolean {
  return added.length + changed.length + removed.length === 0;
}

function noConflict(id: string): KnowledgeError {
  const summary = `The asset ${quoted(id)} has no conflict`;
  const hint = '"cairn knowledge team status" lists the conflicts.';
  return new KnowledgeError('UNKNOWN_ASSET', [summary, hint], { assets: [id] });
}

/** Packs the objects of the clone. @returns the failure: the assets are synchronized all the same. */
async function tidy(git: Git): Promise<string | undefined> {
  const args = ['-c', 'gc.auto=4000', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'];
  try {
    await git.run(args, { accepts: [0, 1, 128, 255] });
    return undefined;
  } catch (error) {
    if (!KnowledgeError.isInstance(error)) throw error;
    return `The clone was not tidied: ${error.summary}`;
  }
}

/** @throws {KnowledgeError} `NO_TEAM`. */
async function requireState(directory: string): Promise<CloneState> {
  const state = await readState(directory);
  if (state !== undefined) return state;
  throw new KnowledgeError('NO_TEAM', ['No team store is set up', 'Run "cairn knowledge team init <remote>".']);
}

/** The team store of a local store. Nothing is read before a call. */
export class TeamStore {
  readonly #options: TeamOptions;
  readonly #store: TeamOptions['store'];
  readonly #directory: string;

  constructor(options: TeamOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#directory = options.directory;
  }

  init(options: InitTeamOptions = {}): Promise<TeamReport> {
    const { signal } = options;
    return withLock(this.#directory, async () => {
      const defaultBranch = await setUp(this.#directory, options, this.#cloneOptions(signal));
      const report = await this.#run('pull', signal);
      const state = await requireState(this.#directory);
      const git = new Git({ directory: state.directory, ...this.#cloneOptions(signal) });
      if (defaultBranch === undefined || (await fetchedCommit(git, state.branch)) !== undefined) return report;
      const notice = `The remote has no branch ${state.branch}; the first push creates it. Its own branch is ${defaultBranch}.`;
      return { ...report, notices: [...report.notices, notice] };
    });
  }

  async synchronize(mode: SyncContext['mode'], { signal }: CallOptions = {}): Promise<TeamReport> {
    await requireState(this.#directory);
    return withLock(this.#directory, () => this.#run(mode, signal));
  }

  async status({
    fetch = false,
    signal,
  }: CallOptions & { readonly fetch?: boolean | undefined } = {}): Promise<TeamStatus> {
    const state = await requireState(this.#directory);
    const { remote, branch, directory: clone, synced, review } = state;
    const git = await openOrCreate(state, this.#cloneOptions(signal));
    // A clone that was deleted is empty now.
    const isEmptyClone = synced !== undefined && (await commitOf(git, synced)) === undefined;
    if (fetch || isEmptyClone) {
      await withLock(this.#directory, async () => {
        const commit = (await readRemote(git, branch)).commits.get(branch);
        if (commit !== undefined) await fetchBranch(git, branch, commit);
      });
    }
    const last = synced === undefined ? undefined : await commitOf(git, synced);
    const entries = await readEntries(this.#store, signal);
    const { listed, withheld } = outgoingOf(entries, await readTree(git, last));
    const fetched = await fetchedCommit(git, branch);
    return {
      remote: withoutCredentials(remote),
      branch,
      clone,
      ...(synced !== undefined && { synced }),
      outgoing: listed,
      isBehind: fetched !== undefined && fetched !== synced,
      conflicts: [...entries.values()].flatMap(conflictOf).map(({ id }) => id),
      withheld,
      ...(review !== undefined && { review: review.branch }),
    };
  }

  async conflicts({ signal }: CallOptions = {}): Promise<TeamConflict[]> {
    return [...(await readEntries(this.#store, signal)).values()].flatMap(conflictOf);
  }

  async resolve(id: string, resolution: Resolution, { signal }: CallOptions = {}): Promise<void> {
    const plan = (entries: Entries): readonly TeamChange[] => {
      const entry = [...entries.values()].find(
        (one) => one.conflict !== undefined && one.id.toLowerCase() === id.toLowerCase(),
      );
      if (entry?.conflict === undefined) throw noConflict(id);
      const at = { id: entry.id, version: entry.version, conflict: null };
      if (resolution === 'mine') return [at];
      const text = resolution === 'theirs' ? entry.conflict.theirs : resolution.text;
      if (text !== null) {
        parseAsset(text, { key: parseAssetId(entry.id) });
        if (resolution !== 'theirs') checkSecrets(text);
      }
      return [{ ...at, text }];
    };
    await applyPlan(this.#store, plan, { signal });
    if (resolution === 'theirs') await this.#store.eraseReplaced();
  }

  #cloneOptions(signal: AbortSignal | undefined): CloneOptions {
    const { env = process.env, remoteTimeoutMs = REMOTE_TIMEOUT_MS } = this.#options;
    return { env, remoteTimeoutMs, signal };
  }

  async #run(mode: SyncContext['mode'], signal: AbortSignal | undefined): Promise<TeamReport> {
    const { clock = Date.now, onStep = () => undefined } = this.#options;
    let state = await requireState(this.#directory);
    const git = await openOrCreate(state, this.#cloneOptions(signal));
    const save = async (changes: Partial<CloneState>): Promise<CloneState> => {
      state = { ...state, ...changes };
      onStep(`save ${Object.keys(changes).join(' ')}`);
      await writeState(this.#directory, state);
      return state;
    };
    const collected = { pulled: new ChangeList(), notices: new Set<string>() };
    const context = { store: this.#store, git, clock, onStep, mode, save, read: () => state, collected, signal };
    for (let attempt = 1; ; attempt++) {
      const report = await synchronize(context);
      if (report !== 'moved') {
        const hasObjects = mode !== 'local' && (!collected.pulled.isEmpty || !isEmpty(report.pushed));
        const problem = hasObjects ? await tidy(git) : undefined;
        return problem === undefined ? report : { ...report, notices: [...report.notices, problem] };
      }
      if (attempt === MAX_ATTEMPTS) {
        const summary = `The branch ${state.branch} got other commits during each of ${MAX_ATTEMPTS} pushes`;
        throw new KnowledgeError('REMOTE_FAILED', [summary, 'Repeat the command. Nothing was lost.']);
      }
      await delay(Math.random() * MAX_WAIT_MS, undefined, { signal });
    }
  }
}
