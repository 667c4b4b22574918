import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { checkArguments, KnowledgeError } from '../errors.ts';

/** The phases of work that the state of a git repository shows, most urgent first. */
export const PHASES = [
  'resolving',
  'debugging',
  'implementing',
  'committing',
  'reviewing',
  'releasing',
  'inspecting',
  'planning',
  'unknown',
] as const;

/** The meaning of each is in `phaseTexts`. */
export type Phase = (typeof PHASES)[number];

export type GitOperation = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisection';

export type PhaseFact =
  | { readonly kind: 'operation'; readonly operation: GitOperation }
  | { readonly kind: 'conflicts' | 'changed' | 'untracked' | 'staged'; readonly paths: number }
  /** Commits that the branch `base`, or the upstream, does not have. */
  | { readonly kind: 'unmerged'; readonly commits: number; readonly base: string }
  | { readonly kind: 'unpushed'; readonly commits: number }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'detached' | 'no-commits' | 'unchanged' };

/** The phase of the work in a directory, and the facts that show it. */
export interface DetectedPhase {
  readonly phase: Phase;
  /** The branch; absent when none is checked out, and outside of git. */
  readonly branch?: string | undefined;
  /** The facts that decided. Empty for `unknown`. */
  readonly evidence: readonly PhaseFact[];
}

export interface DetectPhaseOptions {
  /** For tests and for callers with an environment of their own. Variables of git that name a repository are not passed on. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How long one call of git may take. Status of a large work tree on a cold cache takes seconds. */
const GIT_TIMEOUT_MS = 10_000;
/** What git answers outside of a repository, in a bare one, and in the directory `.git`. */
const notAWorkTree = /not a git repository|must be run in a work tree/u;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const operations: readonly (readonly [file: string, operation: GitOperation])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisection'],
];

/** Branches that work is merged into, when the remote does not name one. */
const usualBases = ['origin/main', 'origin/master', 'main', 'master'];

/** Returns the environment without variables that make git work on another repository, as in a hook of git. */
function environmentOf(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const own = Object.entries(env).filter(
    ([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX)$/u.test(name),
  );
  return { ...Object.fromEntries(own), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
}

/** What git printed; `undefined` with `failure`, why it exited with one. */
type Git = (...args: readonly string[]) => Promise<{ readonly text?: string; readonly failure?: string }>;

function gitIn(root: string, { env = process.env, signal }: DetectPhaseOptions): Git {
  const options = {
    cwd: root,
    env: environmentOf(env),
    timeout: GIT_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    ...(signal && { signal }),
  };
  return (...args) =>
    new Promise((done, fail) => {
      // A file system monitor is a program that the configuration of the repository names.
      execFile('git', ['-c', 'core.fsmonitor=false', ...args], options, (error, stdout, stderr) => {
        if (!error) done({ text: stdout });
        else if (typeof error.code === 'number') done({ failure: stderr.trim() });
        else if (signal?.aborted === true) fail(signal.reason);
        else fail(gitFailed(root, error.message, error as NodeJS.ErrnoException));
      });
    });
}

function gitFailed(root: string, reason: string, cause?: NodeJS.ErrnoException): KnowledgeError {
  const hint =
    cause?.code === 'ENOENT'
      ? 'Install git, and check that the directory exists.'
      : `Run git status in ${root} to see why it does not answer.`;
  const [line = ''] = reason.trim().split('\n');
  return new KnowledgeError('GIT_FAILED', [`The state of ${root} is unknown: ${line}`, hint], { path: root, cause });
}

/** Without a branch, git prints `(detached)`. */
const BRANCH = /^# branch\.head (?!\(detached\)$)(.*)$/u;

/** Reads what `git status --porcelain=v2 --branch -z` prints. */
function parseStatus(text: string) {
  const records = text.split('\0');
  let branch: string | undefined;
  /** Commits that the upstream does not have; `undefined` without an upstream. */
  let ahead: number | undefined;
  const status = { isUnborn: false, staged: 0, unstaged: 0, untracked: 0, conflicts: 0 };
  for (let index = 0; index < records.length; index++) {
    const record = records[index] ?? '';
    const [kind, first = ''] = record.split(' ', 2);
    if (record.startsWith('# branch.oid ')) status.isUnborn = record.endsWith('(initial)');
    else if (record.startsWith('# branch.head ')) branch = BRANCH.exec(record)?.[1];
    else if (record.startsWith('# branch.ab ')) ahead = Number(/\+(\d+)/u.exec(record)?.[1] ?? 0);
    else if (kind === '?') status.untracked++;
    else if (kind === 'u') status.conflicts++;
    else if (kind === '1' || kind === '2') {
      if (!first.startsWith('.')) status.staged++;
      if (!first.endsWith('.')) status.unstaged++;
      // The next record is the path that a renamed file had.
      if (kind === '2') index++;
    }
  }
  return { ...status, branch, ahead };
}

/** Returns the branch that work on `branch` is merged into; `undefined` when it cannot be known. */
async function baseOf(git: Git, branch: string): Promise<string | undefined> {
  const { text: named = '' } = await git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
  const bases = named === '' ? usualBases : [named.trim()];
  for (const base of bases) {
    if (base === branch || base === `origin/${branch}`) return undefined;
    const { text } = await git('rev-parse', '--verify', '--quiet', `${base}^{commit}`);
    if (text !== undefined) return base;
  }
  return undefined;
}

/** Returns the commits that wait for a review or a push. */
async function ownCommits(
  git: Git,
  { branch, ahead = 0, isUnborn }: ReturnType<typeof parseStatus>,
): Promise<PhaseFact[]> {
  if (branch === undefined || isUnborn) return [];
  const base = await baseOf(git, branch);
  const { text = '0' } = base === undefined ? {} : await git('rev-list', '--count', `${base}..HEAD`, '--');
  const commits = Number(text);
  return [
    ...(base !== undefined && commits > 0 ? [{ kind: 'unmerged', commits, base } as const] : []),
    ...(ahead > 0 ? [{ kind: 'unpushed', commits: ahead } as const] : []),
  ];
}

async function runningOperations(git: Git, root: string): Promise<readonly GitOperation[]> {
  const { text = '' } = await git('rev-parse', ...operations.flatMap(([file]) => ['--git-path', file]));
  const paths = text.split('\n');
  const found = operations.filter((_, index) => existsSync(resolve(root, paths[index] ?? '')));
  return [...new Set(found.map(([, operation]) => operation))];
}

function factsOf(kind: 'conflicts' | 'changed' | 'untracked' | 'staged', paths: number): PhaseFact[] {
  return paths > 0 ? [{ kind, paths }] : [];
}

/**
 * Names the phase of the work in a directory from the state of git. It changes nothing, and it runs `git` only.
 *
 * @throws {KnowledgeError} `GIT_FAILED` when git is missing or does not answer.
 */
export async function detectPhase(root: string, options: DetectPhaseOptions = {}): Promise<DetectedPhase> {
  checkArguments.options('detectPhase', options, { env: 'optional', signal: 'optional' });
  options.signal?.throwIfAborted();
  const git = gitIn(root, options);
  const answer = await git('status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal');
  if (answer.text === undefined) {
    const { failure = '' } = answer;
    if (notAWorkTree.test(failure)) return { phase: 'unknown', evidence: [] };
    throw gitFailed(root, failure);
  }
  const status = parseStatus(answer.text);
  const { branch, staged, unstaged, untracked, conflicts } = status;
  const running = await runningOperations(git, root);
  const is = (phase: Phase, evidence: readonly PhaseFact[]): DetectedPhase => ({ phase, branch, evidence });
  const merges = running.filter((operation) => operation !== 'bisection');
  if (merges.length > 0 || conflicts > 0) {
    const inProgress = merges.map((operation) => ({ kind: 'operation', operation }) as const);
    return is('resolving', [...inProgress, ...factsOf('conflicts', conflicts)]);
  }
  if (running.includes('bisection')) return is('debugging', [{ kind: 'operation', operation: 'bisection' }]);
  const changes = [...factsOf('changed', unstaged), ...factsOf('untracked', untracked), ...factsOf('staged', staged)];
  if (unstaged + untracked > 0) return is('implementing', changes);
  if (staged > 0) return is('committing', changes);
  const commits = await ownCommits(git, status);
  if (commits.length > 0) return is('reviewing', commits);
  const { text: tags = '' } = status.isUnborn ? {} : await git('tag', '--points-at', 'HEAD');
  const [tag = ''] = tags.split('\n');
  if (tag !== '') return is('releasing', [{ kind: 'tag', tag }]);
  if (branch === undefined) return is('inspecting', [{ kind: 'detached' }]);
  return is('planning', [{ kind: status.isUnborn ? 'no-commits' : 'unchanged' }]);
}
