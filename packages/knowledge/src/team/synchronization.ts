import { setTimeout as delay } from 'node:timers/promises';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { TeamChange } from '../stores/team-changes.ts';
import { accountName, REVIEW_PREFIX, type Clone, type RemoteHeads } from './clone.ts';
import { applyPlan, type Entries } from './entries.ts';
import { planPull, type PlannedPull } from './pull.ts';
import { markPushed, messageOf, outgoingOf } from './push.ts';
import { withoutCredentials } from './remote-failure.ts';
import { ChangeList, type TeamReport } from './report.ts';
import { trackingRef, writeState, type CloneState } from './state.ts';

const MAX_ATTEMPTS = 8;
const MAX_WAIT_MS = 200;
const MAX_REVIEW_BRANCHES = 20;

/** `local` asks no remote: it takes what an outside `git fetch` brought. */
export type SyncMode = 'local' | 'pull' | 'sync';

interface SyncOptions {
  readonly store: LocalStore;
  readonly clone: Clone;
  readonly directory: string;
  readonly state: CloneState;
  readonly mode: SyncMode;
  readonly clock: () => number;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal | undefined;
}

function reviewBranch({ name, email }: Awaited<ReturnType<Clone['author']>>): string {
  const user = [email.split('@')[0] ?? '', name, accountName()]
    .map((text) =>
      text
        .normalize('NFC')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
        .replaceAll(/^-+|-+$/gu, '')
        .slice(0, 60),
    )
    .find((text) => text !== '');
  return `${REVIEW_PREFIX}${user ?? 'user'}`;
}

/** A synchronization of the local store. Each step may be repeated, so that the next run finishes what was interrupted. */
export class Synchronization {
  readonly #options: SyncOptions;
  readonly #clone: Clone;
  readonly #pulled = new ChangeList();
  readonly #notices = new Set<string>();
  /** Assets that both sides changed in different places. */
  readonly #merged = new Set<string>();
  #state: CloneState;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#clone = options.clone;
    this.#state = options.state;
  }

  /** @throws {KnowledgeError} `REMOTE_FAILED`, `GIT_FAILED`, `ASSET_CHANGED`, `STORE_FAILED`. */
  async run(): Promise<TeamReport> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const report = await this.#attempt();
      if (report !== 'moved') return report;
      if (attempt < MAX_ATTEMPTS) {
        await delay(Math.random() * MAX_WAIT_MS, undefined, { signal: this.#options.signal });
      }
    }
    const summary = `The branch ${this.#state.branch} got other commits during each of ${MAX_ATTEMPTS} pushes`;
    throw new KnowledgeError('REMOTE_FAILED', [summary, 'Repeat the command. Nothing was lost.']);
  }

  async #save(changes: Partial<CloneState>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    this.#options.onStep(`save ${Object.keys(changes).join(' ')}`);
    await writeState(this.#options.directory, this.#state);
  }

  /** @returns `moved` when the team's branch got other commits, so that everything must be repeated. */
  async #attempt(): Promise<TeamReport | 'moved'> {
    const { mode, store } = this.#options;
    const { commit, heads } = mode === 'local' ? await this.#knownBranch() : await this.#fetchBranch();
    await this.#finishPush(commit);
    const { entries, problems, otherFiles } = await this.#pull(commit);
    const sent = mode === 'sync' && heads !== undefined ? await this.#send(entries, commit, heads) : undefined;
    if (sent === 'moved') return 'moved';
    const pulled = this.#pulled.changes;
    if (pulled.removed.length > 0) await store.eraseReplaced();
    if (this.#merged.size > 0) {
      this.#notices.add(
        `Changed here and by the team in different places, and merged: ${[...this.#merged].join(', ')}.`,
      );
    }
    return {
      remote: withoutCredentials(this.#state.remote),
      branch: this.#state.branch,
      pulled,
      pushed: sent?.outgoing.listed ?? new ChangeList().changes,
      ...(sent?.review !== undefined && { review: sent.review }),
      conflicts: [...entries.values()].flatMap(({ id, conflict }) => (conflict === undefined ? [] : [id])).toSorted(),
      withheld: sent?.outgoing.withheld ?? [],
      problems,
      otherFiles,
      notices: [...this.#notices],
    };
  }

  /** @throws {KnowledgeError} `REMOTE_FAILED` when the team's branch is gone. */
  async #fetchBranch() {
    const { branch, synced } = this.#state;
    const heads = await this.#clone.readRemote(branch);
    const commit = heads.commits.get(branch);
    if (commit !== undefined) return { commit: await this.#clone.fetchBranch(branch, commit), heads };
    if (synced === undefined) return { commit: undefined, heads };
    const summary = `The remote of the team has no branch ${branch} any more`;
    const hint =
      'Check the remote. Nothing was changed; "cairn knowledge team init --branch <name>" uses another branch.';
    throw new KnowledgeError('REMOTE_FAILED', [summary, hint]);
  }

  /** Returns the newest commit of the team that the clone has. */
  async #knownBranch() {
    const { branch, synced } = this.#state;
    const clone = this.#clone;
    const { directory: path } = clone;
    if (synced !== undefined && (await clone.commitOf(synced)) === undefined) {
      const summary = `The clone ${path} lacks the commit that was synchronized last`;
      throw new KnowledgeError('GIT_FAILED', [summary, 'Run "cairn knowledge team pull".'], { path });
    }
    const fetched = await clone.fetchedCommit(branch);
    const isNewer = fetched !== undefined && synced !== undefined && (await clone.isAncestor(synced, fetched));
    return { commit: isNewer ? fetched : synced, heads: undefined };
  }

  /** Finishes a push whose process was ended before it knew the result. */
  async #finishPush(team: string | undefined): Promise<void> {
    const { pushing } = this.#state;
    if (pushing === undefined) return;
    if (team !== undefined && (await this.#clone.isAncestor(pushing, team))) {
      const parent = await this.#clone.commitOf(`${pushing}^`);
      await markPushed(this.#options, { commit: pushing, parent });
      await this.#save({ pushing: undefined, synced: pushing });
    } else if (this.#options.mode !== 'local') {
      // Without the remote, it is unknown whether it arrived.
      await this.#save({ pushing: undefined });
    }
  }

  /** Returns the time of a commit. Its author can write any number, which must not become a time that is yet to come. */
  async #timeOf(commit: string): Promise<number> {
    const seconds = await this.#clone.read(['show', '--no-patch', '--no-show-signature', '--format=%ct', commit]);
    return Math.min(Math.max(0, Number(seconds) * 1000), this.#options.clock());
  }

  async #pull(commit: string | undefined): Promise<PlannedPull & { readonly entries: Entries }> {
    const clone = this.#clone;
    const { remote, synced } = this.#state;
    const continues = synced !== undefined && commit !== undefined && (await clone.isAncestor(synced, commit));
    const history = synced === undefined ? 'new' : continues ? 'known' : 'rewritten';
    if (history === 'rewritten') {
      this.#notices.add(
        `The history of the team's branch was rewritten. Assets that it lacks now are kept here as conflicts.`,
      );
    }
    const tree = await clone.tree(commit);
    const source = withoutCredentials(remote);
    this.#options.onStep('pull');
    let planned: PlannedPull = { changes: [], problems: [], otherFiles: 0, merged: [] };
    const plan = async (entries: Entries): Promise<readonly TeamChange[]> => {
      planned = await planPull({ clone, tree, history, source }, entries);
      const { changes } = planned;
      if (!changes.some(({ text }) => typeof text === 'string')) return changes;
      const changedMs = await this.#timeOf(commit ?? 'HEAD');
      return changes.map((change) =>
        typeof change.text === 'string'
          ? { ...change, changedMs: Math.max(changedMs, change.changedMs ?? changedMs) }
          : change,
      );
    };
    const entries = await applyPlan(this.#options, plan, (changes, before) => {
      this.#pulled.addTexts(changes, before);
      for (const { id } of changes) if (planned.merged.includes(id)) this.#merged.add(id);
    });
    if (commit !== undefined && commit !== this.#state.synced) await this.#save({ synced: commit });
    return { ...planned, entries };
  }

  async #send(entries: Entries, team: string | undefined, heads: RemoteHeads) {
    const { clock, onStep } = this.#options;
    const clone = this.#clone;
    const tree = await clone.tree(team);
    const outgoing = outgoingOf(entries, tree);
    if (outgoing.obsolete.length > 0) await applyPlan(this.#options, (now) => outgoingOf(now, tree).obsolete);
    if (outgoing.changes.length === 0) {
      if (this.#state.review !== undefined) await this.#save({ review: undefined });
      return { outgoing, review: undefined };
    }
    const message = messageOf(outgoing.listed);
    onStep('commit');
    const commit = await clone.makeCommit(outgoing.changes, { parent: team, message, timeMs: clock() });
    await this.#save({ pushing: commit });
    onStep('push');
    const { branch } = this.#state;
    const result = await clone.push(commit, branch);
    onStep('pushed');
    if (result === 'pushed') {
      await markPushed(this.#options, { commit, parent: team });
      // As a fetch does.
      await clone.run(['update-ref', trackingRef(branch), commit]);
      await this.#save({ pushing: undefined, synced: commit, review: undefined });
      return { outgoing, review: undefined };
    }
    const review = result === 'moved' ? undefined : await this.#pushForReview(commit, heads, result.refused);
    await this.#save({ pushing: undefined });
    return review === undefined ? ('moved' as const) : { outgoing, review };
  }

  /** Pushes a commit to a branch of the user, because the team's branch is protected. */
  async #pushForReview(commit: string, heads: RemoteHeads, refused: string): Promise<string> {
    const clone = this.#clone;
    const { review } = this.#state;
    const own = reviewBranch(await clone.author());
    for (let number = 1; number <= MAX_REVIEW_BRANCHES; number++) {
      const branch = number === 1 ? own : `${own}-${number}`;
      const head = heads.commits.get(branch);
      // Another person, or a reviewer, may have pushed to a branch of this name.
      const isOwn = review?.branch === branch && (head === review.commit || head === review.previous);
      if (head !== undefined && !isOwn) continue;
      if (head !== undefined && (await this.#isSame(head, commit))) return branch;
      this.#options.onStep('push for review');
      // Recorded first: after a kill, the branch would be another user's.
      await this.#save({ review: { branch, commit, previous: head } });
      const result = await clone.push(commit, branch, head ?? '');
      if (result === 'pushed') return branch;
      if (result === 'moved') continue;
      const summary = `The remote of the team rejects both ${this.#state.branch} (${refused}) and ${branch} (${result.refused})`;
      const hint = 'Ask for the right to push. The changes are kept here as not shared.';
      throw new KnowledgeError('REMOTE_FAILED', [summary, hint]);
    }
    const summary = `The branches ${own} to ${own}-${MAX_REVIEW_BRANCHES} are all in use`;
    throw new KnowledgeError('REMOTE_FAILED', [summary, 'Merge or delete some of them at the remote, then repeat.']);
  }

  /** Returns whether two commits have the same files and the same parent. The first one may be unknown. */
  async #isSame(head: string, commit: string): Promise<boolean> {
    const clone = this.#clone;
    const treeOf = (name: string): Promise<string> => clone.read(['rev-parse', `${name}^{tree}`]);
    if ((await clone.commitOf(head)) === undefined || (await treeOf(head)) !== (await treeOf(commit))) return false;
    return (await clone.commitOf(`${head}^`)) === (await clone.commitOf(`${commit}^`));
  }
}
