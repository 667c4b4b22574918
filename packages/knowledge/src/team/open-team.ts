/** What the calls of the team store do. */
import { quoted } from '@cairn/tool/kernel';
import { rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAsset } from '../assets/markdown.ts';
import { parseAssetId } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { StoreEntry } from '../stores/team-changes.ts';
import { applyPlan, readEntries } from './entries.ts';
import type { Git } from './git.ts';
import { findHandEdits } from './hand-edits.ts';
import { withLock } from './lock.ts';
import { outgoingOf } from './push.ts';
import { withoutCredentials } from './remote-failure.ts';
import { ChangeList } from './report.ts';
import type { TeamChanges, TeamReport } from './report.ts';
import {
  checkBranch,
  checkRemote,
  commitOf,
  createClone,
  fetchBranch,
  fetchedCommit,
  gitOf,
  hasClone,
  isAncestor,
  openClone,
  originOf,
  readRemote,
  setRemote,
} from './repository.ts';
import type { CloneOptions } from './repository.ts';
import { readState, writeState } from './state.ts';
import type { CloneState } from './state.ts';
import type { OpenedTeam, Team, TeamCallOptions, TeamConflict, TeamOptions } from './team.ts';
import { synchronize } from './synchronize.ts';
import type { SyncContext } from './synchronize.ts';
import { readTree } from './tree.ts';
import { changedPaths, readCheckout, switchBranch } from './work-tree.ts';

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

/** Packs the objects of the clone. @returns what failed: the assets are synchronized all the same. */
async function tidy(git: Git, signal: AbortSignal | undefined): Promise<string | undefined> {
  const args = ['-c', 'gc.auto=4000', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'];
  try {
    await git(args, { accepts: [0, 1, 128, 255], signal });
    return undefined;
  } catch (error) {
    if (!KnowledgeError.isInstance(error)) throw error;
    return `The clone was not tidied: ${error.summary}`;
  }
}

/** Opens the team store of a local store. Nothing is read before a call. */
export function openTeam(options: TeamOptions): OpenedTeam {
  const { store, directory, env = process.env, clock = Date.now, onStep = () => undefined } = options;
  const { remoteTimeoutMs = REMOTE_TIMEOUT_MS } = options;

  const cloneOptions = (signal: AbortSignal | undefined): CloneOptions => ({ env, remoteTimeoutMs, signal });

  /** @throws {KnowledgeError} `NO_TEAM`. */
  const requireState = async (): Promise<CloneState> => {
    const state = await readState(directory);
    if (state !== undefined) return state;
    throw new KnowledgeError('NO_TEAM', ['No team store is set up', 'Run "cairn knowledge team init <remote>".']);
  };

  /** Opens the clone, and makes it again when it was deleted: it has nothing that the remote and the local store lack. */
  const openOrCreate = async (state: CloneState, signal: AbortSignal | undefined): Promise<Git> => {
    const { directory: clone, remote, branch } = state;
    if (await hasClone(clone)) {
      const git = await openClone(clone, cloneOptions(signal));
      // Without a remote, the process that made the clone was ended.
      if ((await originOf(git, signal)) !== undefined) return git;
    }
    const git = await createClone(clone, { ...cloneOptions(signal), remote, branch, isOwn: true });
    await openClone(clone, cloneOptions(signal));
    return git;
  };

  const run = async (mode: SyncContext['mode'], signal: AbortSignal | undefined): Promise<TeamReport> => {
    let state = await requireState();
    const git = await openOrCreate(state, signal);
    const save = async (changes: Partial<CloneState>): Promise<CloneState> => {
      state = { ...state, ...changes };
      onStep(`save ${Object.keys(changes).join(' ')}`);
      await writeState(directory, state);
      return state;
    };
    const collected = { pulled: new ChangeList(), taken: new ChangeList(), notices: new Set<string>() };
    const context = { store, git, clock, onStep, mode, save, read: () => state, collected, signal };
    for (let attempt = 1; ; attempt++) {
      const report = await synchronize(context);
      if (report !== 'moved' && mode === 'local') return report;
      if (report !== 'moved') {
        const hasObjects = !collected.pulled.isEmpty || !isEmpty(report.pushed);
        const problem = hasObjects ? await tidy(git, signal) : undefined;
        if (problem !== undefined) return { ...report, notices: [...report.notices, problem] };
        return report;
      }
      if (attempt === MAX_ATTEMPTS) {
        const summary = `The branch ${state.branch} got other commits during each of ${MAX_ATTEMPTS} pushes`;
        throw new KnowledgeError('REMOTE_FAILED', [summary, 'Repeat the command. Nothing was lost.']);
      }
      await delay(Math.random() * MAX_WAIT_MS, undefined, { signal });
    }
  };

  /** Finds the remote of a clone that exists, and refuses one of another team. */
  const adopt = async (
    git: Git,
    {
      remote,
      before,
      signal,
    }: { remote: string | undefined; before: CloneState | undefined; signal: AbortSignal | undefined },
  ): Promise<string> => {
    await openClone(git.workTree, cloneOptions(signal));
    const shallow = await git(['rev-parse', '--is-shallow-repository'], { signal });
    if (shallow.stdout.toString().trim() === 'true') {
      const summary = `The clone ${quoted(git.workTree)} has only a part of the history`;
      throw new KnowledgeError('INVALID_INPUT', [summary, `Run: git -C ${git.workTree} fetch --unshallow`]);
    }
    const origin = await originOf(git, signal);
    const wanted = remote ?? origin ?? (before?.directory === git.workTree ? before.remote : undefined);
    if (wanted === undefined) {
      const summary = `The clone ${quoted(git.workTree)} has no remote`;
      throw new KnowledgeError('INVALID_INPUT', [summary, 'Name the address of the team store.']);
    }
    if (origin === wanted) return wanted;
    if (origin === undefined) {
      await setRemote(git, wanted, signal);
      return wanted;
    }
    // A repository that moved has the commit that was synchronized last.
    await setRemote(git, wanted, signal);
    try {
      const branch = before?.branch ?? 'main';
      const commit = (await readRemote(git, { branch, signal })).commits.get(branch);
      const head = commit && (await fetchBranch(git, { branch, commit, signal }));
      const synced = before?.synced;
      if (head !== undefined && synced !== undefined && (await isAncestor(git, [synced, head], signal))) return wanted;
    } catch (error) {
      await setRemote(git, origin, signal);
      throw error;
    }
    await setRemote(git, origin, signal);
    const summary = `The directory ${quoted(git.workTree)} is a clone of another repository: ${withoutCredentials(origin)}`;
    const hint = 'Move or delete the directory, or name another one with --clone.';
    throw new KnowledgeError('INVALID_INPUT', [summary, hint], { path: git.workTree });
  };

  const init: Team['init'] = ({ remote, branch, clone, cwd = process.cwd(), signal } = {}) =>
    withLock(directory, async () => {
      const before = await readState(directory);
      const own = join(directory, 'team');
      const place = clone === undefined ? (before?.directory ?? own) : resolve(cwd, clone);
      if (!isAbsolute(place)) throw new KnowledgeError('INVALID_INPUT', ['The directory is not absolute', 'Name one.']);
      const wanted = remote === undefined ? undefined : checkRemote(remote, cwd);
      if (branch !== undefined) checkBranch(branch);
      const isPresent = await hasClone(place);
      let address: string;
      const options = cloneOptions(signal);
      if (isPresent) {
        address = await adopt(gitOf(place, options), { remote: wanted, before, signal });
      } else {
        const known = wanted ?? before?.remote;
        if (known === undefined) {
          const summary = 'The address of the team store is missing';
          throw new KnowledgeError('INVALID_INPUT', [summary, 'Run "cairn knowledge team init <remote>".']);
        }
        address = known;
        await createClone(place, {
          ...options,
          remote: address,
          branch: branch ?? 'main',
          isOwn: before?.directory === place,
        });
      }
      const git = gitOf(place, options);
      let defaultBranch: string | undefined;
      try {
        ({ defaultBranch } = await readRemote(git, { branch: undefined, signal }));
        const isSame = before !== undefined && before.remote === address;
        const chosen = checkBranch(branch ?? (isSame ? before.branch : (defaultBranch ?? 'main')));
        if (!isPresent) await git(['symbolic-ref', 'HEAD', `refs/heads/${chosen}`], { signal });
        else if (before !== undefined && before.branch !== chosen)
          await switchBranch(git, [before.branch, chosen], signal);
        const synced = before?.branch === chosen ? before.synced : undefined;
        const state: CloneState = { version: 1, remote: address, branch: chosen, directory: place };
        // Another repository that has the commit is the same one at another address.
        const isKnown = synced !== undefined && (await commitOf(git, synced, signal)) !== undefined;
        await writeState(directory, isSame || isKnown ? { ...before, ...state } : state);
      } catch (error) {
        if (before === undefined && !isPresent && place === own) await rm(place, { recursive: true, force: true });
        throw error;
      }
      const report = await run('pull', signal);
      const { branch: used } = await requireState();
      const isMissing = defaultBranch !== undefined && (await fetchedCommit(git, used, signal)) === undefined;
      const notice = `The remote has no branch ${used}; the first push creates it. Its own branch is ${defaultBranch}.`;
      return isMissing ? { ...report, notices: [...report.notices, notice] } : report;
    });

  const locked =
    (mode: SyncContext['mode']) =>
    async ({ signal }: TeamCallOptions = {}): Promise<TeamReport> => {
      await requireState();
      return withLock(directory, () => run(mode, signal));
    };

  const status: Team['status'] = async ({ fetch = false, signal } = {}) => {
    const state = await requireState();
    const { remote, branch, directory: clone, synced, review, edited = {} } = state;
    const git = await openOrCreate(state, signal);
    // A clone that was deleted is empty now.
    const isEmptyClone = synced !== undefined && (await commitOf(git, synced, signal)) === undefined;
    if (fetch || isEmptyClone) {
      await withLock(directory, async () => {
        const commit = (await readRemote(git, { branch, signal })).commits.get(branch);
        if (commit !== undefined) await fetchBranch(git, { branch, commit, signal });
      });
    }
    const last = synced === undefined ? undefined : await commitOf(git, synced, signal);
    const tree = await readTree(git, last, { signal });
    const entries = await readEntries(store, signal);
    const { listed, withheld } = outgoingOf(entries, tree);
    const checkout = await readCheckout(git, { signal });
    const found =
      checkout.head === undefined
        ? { edits: [], problems: [] }
        : await findHandEdits(git, {
            tree: await readTree(git, checkout.head, { signal }),
            others: [tree],
            edited,
            paths: await changedPaths(git, { signal }),
            like: checkout.head,
          });
    const fetched = await fetchedCommit(git, branch, signal);
    return {
      remote: withoutCredentials(remote),
      branch,
      clone,
      ...(synced !== undefined && { synced }),
      outgoing: listed,
      isBehind: fetched !== undefined && fetched !== synced,
      conflicts: [...entries.values()].flatMap(conflictOf).map(({ id }) => id),
      withheld,
      handEdits: [...found.edits, ...found.problems].map(({ path }) => path),
      ...(review !== undefined && { review: review.branch }),
    };
  };

  const resolveConflict: Team['resolve'] = async (id, resolution, { signal } = {}) => {
    const find = (entries: Iterable<StoreEntry>): StoreEntry | undefined =>
      [...entries].find((entry) => entry.conflict !== undefined && entry.id.toLowerCase() === id.toLowerCase());
    await applyPlan(store, {
      signal,
      onApplied: () => undefined,
      plan: async (entries) => {
        const entry = find(entries.values());
        if (entry?.conflict === undefined) throw noConflict(id);
        const at = { id: entry.id, version: entry.version, conflict: null };
        if (resolution === 'mine') return Promise.resolve([at]);
        const text = resolution === 'theirs' ? entry.conflict.theirs : resolution.text;
        if (text !== null) {
          parseAsset(text, { key: parseAssetId(entry.id) });
          if (resolution !== 'theirs') checkSecrets(text);
        }
        return Promise.resolve([{ ...at, text }]);
      },
    });
    if (resolution === 'theirs') await store.eraseReplaced();
  };

  return {
    init,
    refresh: locked('local'),
    pull: locked('pull'),
    sync: locked('sync'),
    status,
    conflicts: async ({ signal } = {}) => [...(await readEntries(store, signal)).values()].flatMap(conflictOf),
    resolve: resolveConflict,
  };
}
