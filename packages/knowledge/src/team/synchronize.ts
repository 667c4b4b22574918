/** One attempt of a synchronization. Each step may be repeated, so that the next run finishes what was interrupted. */
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { applyPlan } from './entries.ts';
import type { Entries } from './entries.ts';
import type { Git } from './git.ts';
import { pull } from './pull.ts';
import type { History, Pulled } from './pull.ts';
import { markPushed, messageOf, outgoingOf } from './push.ts';
import type { Outgoing } from './push.ts';
import { withoutCredentials } from './remote-failure.ts';
import { ChangeList } from './report.ts';
import type { TeamReport } from './report.ts';
import {
  authorOf,
  commitOf,
  fetchBranch,
  fetchedCommit,
  isAncestor,
  push,
  readRemote,
  recordFetched,
  reviewBranch,
} from './repository.ts';
import type { RemoteHeads } from './repository.ts';
import type { CloneState } from './state.ts';
import { makeCommit, readTree } from './tree.ts';

export interface SyncContext {
  readonly store: LocalStore;
  readonly git: Git;
  /** `local` asks no remote: it takes what an outside `git fetch` brought. */
  readonly mode: 'local' | 'pull' | 'sync';
  readonly clock: () => number;
  readonly onStep: (step: string) => void;
  readonly read: () => CloneState;
  readonly save: (changes: Partial<CloneState>) => Promise<CloneState>;
  readonly collected: Collected;
  readonly signal: AbortSignal | undefined;
}

/** What the attempts of a synchronization collect. */
interface Collected {
  readonly pulled: ChangeList;
  readonly notices: Set<string>;
}

/** @throws {KnowledgeError} `REMOTE_FAILED` when the team's branch is gone. */
async function fetchTeam({
  git,
  read,
}: SyncContext): Promise<{ readonly commit: string | undefined; readonly heads: RemoteHeads }> {
  const { branch, synced } = read();
  const heads = await readRemote(git, branch);
  const commit = heads.commits.get(branch);
  if (commit !== undefined) return { commit: await fetchBranch(git, branch, commit), heads };
  if (synced === undefined) return { commit: undefined, heads };
  const summary = `The remote of the team has no branch ${branch} any more`;
  const hint =
    'Check the remote. Nothing was changed; "cairn knowledge team init --branch <name>" uses another branch.';
  throw new KnowledgeError('REMOTE_FAILED', [summary, hint]);
}

/** Returns the newest commit of the team that the clone has. */
async function knownCommit({ git, read }: SyncContext): Promise<string | undefined> {
  const { branch, synced } = read();
  if (synced !== undefined && (await commitOf(git, synced)) === undefined) {
    const summary = `The clone ${git.directory} lacks the commit that was synchronized last`;
    throw new KnowledgeError('GIT_FAILED', [summary, 'Run "cairn knowledge team pull".'], { path: git.directory });
  }
  const fetched = await fetchedCommit(git, branch);
  if (fetched === undefined || synced === undefined) return synced;
  return (await isAncestor(git, synced, fetched)) ? fetched : synced;
}

/** Finishes a push whose process was ended before it knew the result. */
async function finishPush(context: SyncContext, team: string | undefined): Promise<void> {
  const { git, store, mode, read, save, signal } = context;
  const { pushing } = read();
  if (pushing === undefined) return;
  const isPushed = team !== undefined && (await isAncestor(git, pushing, team));
  if (!isPushed) {
    // Without the remote, it is unknown whether it arrived.
    if (mode !== 'local') await save({ pushing: undefined });
    return;
  }
  const parent = await commitOf(git, `${pushing}^`);
  await markPushed(store, git, { commit: pushing, parent, signal });
  await save({ pushing: undefined, synced: pushing });
}

async function historyOf({ git, read }: SyncContext, commit: string | undefined): Promise<History> {
  const { synced } = read();
  if (synced === undefined) return 'new';
  return commit !== undefined && (await isAncestor(git, synced, commit)) ? 'known' : 'rewritten';
}

/** Returns the time of a commit. Its author can write any number, which must not become a time that is yet to come. */
async function timeOf({ git, clock }: SyncContext, commit: string): Promise<number> {
  const seconds = await git.read(['show', '--no-patch', '--no-show-signature', '--format=%ct', commit]);
  const timeMs = Number(seconds) * 1000;
  return Math.min(Math.max(0, timeMs), clock());
}

/** Merges a commit of the team into the local store. */
async function pullCommit(context: SyncContext, commit: string | undefined): Promise<Pulled> {
  const { git, store, onStep, collected, read, save, signal } = context;
  const history = await historyOf(context, commit);
  if (history === 'rewritten') {
    collected.notices.add(
      `The history of the team's branch was rewritten. Assets that it lacks now are kept here as conflicts.`,
    );
  }
  const tree = await readTree(git, commit);
  const source = withoutCredentials(read().remote);
  onStep('pull');
  const options = {
    git,
    tree,
    history,
    timeOf: () => timeOf(context, commit ?? 'HEAD'),
    source,
    pulled: collected.pulled,
    signal,
  };
  const result = await pull(store, options);
  if (commit !== undefined && commit !== read().synced) await save({ synced: commit });
  return result;
}

/** Pushes a commit to a branch of the user, because the team's branch is protected. */
async function pushForReview(
  { git, onStep, read, save }: SyncContext,
  { commit, heads, refused }: { readonly commit: string; readonly heads: RemoteHeads; readonly refused: string },
): Promise<string> {
  const { review } = read();
  const own = reviewBranch(await authorOf(git));
  for (let number = 1; number <= 20; number++) {
    const branch = number === 1 ? own : `${own}-${number}`;
    const head = heads.commits.get(branch);
    // Another person, or a reviewer, may have pushed to a branch of this name.
    const isOwn = review?.branch === branch && (head === review.commit || head === review.previous);
    if (head !== undefined && !isOwn) continue;
    const treeOf = (name: string): Promise<string> => git.read(['rev-parse', `${name}^{tree}`]);
    const isSame =
      head !== undefined &&
      (await commitOf(git, head)) !== undefined &&
      (await treeOf(head)) === (await treeOf(commit)) &&
      (await commitOf(git, `${head}^`)) === (await commitOf(git, `${commit}^`));
    if (isSame) return branch;
    onStep('push for review');
    // Recorded first: after a kill, the branch would be that of another user.
    await save({ review: { branch, commit, previous: head } });
    const result = await push(git, { commit, branch, replaces: head ?? '' });
    if (result === 'pushed') return branch;
    if (result === 'moved') continue;
    const summary = `The remote of the team rejects both ${read().branch} (${refused}) and ${branch} (${result.refused})`;
    const hint = 'Ask for the right to push. The changes are kept here as not shared.';
    throw new KnowledgeError('REMOTE_FAILED', [summary, hint]);
  }
  const summary = `The branches ${own} to ${own}-20 are all in use`;
  throw new KnowledgeError('REMOTE_FAILED', [summary, 'Merge or delete some of them at the remote, then repeat.']);
}

interface Sent {
  readonly outgoing: Outgoing;
  readonly review: string | undefined;
}

async function send(
  context: SyncContext,
  {
    entries,
    team,
    heads,
  }: { readonly entries: Entries; readonly team: string | undefined; readonly heads: RemoteHeads },
): Promise<Sent | 'moved'> {
  const { git, store, clock, onStep, read, save, signal } = context;
  const outgoing = outgoingOf(entries, await readTree(git, team));
  if (outgoing.obsolete.length > 0) {
    const plan = async (now: Entries): Promise<Outgoing['obsolete']> =>
      outgoingOf(now, await readTree(git, team)).obsolete;
    await applyPlan(store, plan, { signal });
  }
  if (outgoing.changes.length === 0) {
    if (read().review !== undefined) await save({ review: undefined });
    return { outgoing, review: undefined };
  }
  const author = await authorOf(git);
  const message = messageOf(outgoing.listed);
  onStep('commit');
  const commit = await makeCommit(git, outgoing.changes, { parent: team, message, author, timeMs: clock() });
  await save({ pushing: commit });
  onStep('push');
  const { branch } = read();
  const result = await push(git, { commit, branch });
  onStep('pushed');
  if (result === 'moved') {
    await save({ pushing: undefined });
    return 'moved';
  }
  if (result === 'pushed') {
    await markPushed(store, git, { commit, parent: team, signal });
    await recordFetched(git, branch, commit);
    await save({ pushing: undefined, synced: commit, review: undefined });
    return { outgoing, review: undefined };
  }
  const review = await pushForReview(context, { commit, heads, refused: result.refused });
  await save({ pushing: undefined });
  return { outgoing, review };
}

/** Synchronizes once. @returns `moved` when the team's branch got other commits, so that everything must be repeated. */
export async function synchronize(context: SyncContext): Promise<TeamReport | 'moved'> {
  const { store, mode, collected, read } = context;
  const isLocal = mode === 'local';
  const { commit, heads } = isLocal
    ? { commit: await knownCommit(context), heads: undefined }
    : await fetchTeam(context);
  await finishPush(context, commit);
  const { entries, problems, otherFiles } = await pullCommit(context, commit);
  const sent =
    mode !== 'sync' || heads === undefined ? undefined : await send(context, { entries, team: commit, heads });
  if (sent === 'moved') return 'moved';
  const pulled = collected.pulled.changes;
  if (pulled.removed.length > 0) await store.eraseReplaced();
  const { branch, remote } = read();
  return {
    remote: withoutCredentials(remote),
    branch,
    pulled,
    pushed: sent?.outgoing.listed ?? new ChangeList().changes,
    ...(sent?.review !== undefined && { review: sent.review }),
    conflicts: [...entries.values()].flatMap(({ id, conflict }) => (conflict === undefined ? [] : [id])).toSorted(),
    withheld: sent?.outgoing.withheld ?? [],
    problems,
    otherFiles,
    notices: [...collected.notices],
  };
}
