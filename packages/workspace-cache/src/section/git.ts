import type { Language } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { sectionTexts, type NoGitReason } from './texts.ts';

const run = promisify(execFile);

/** No prompt waits longer for git. */
const TIMEOUT_MS = 5000;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const MAX_SUBJECT_LENGTH = 100;

/**
 * The repository is not trusted: its configuration must not start a program. Without optional locks, `git status` changes
 * nothing.
 */
const SAFE = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

type Git = (...args: readonly string[]) => Promise<string>;

/**
 * Returns a function that runs git in one language, so that its messages can be recognized. It ignores variables by which a hook or
 * a program names another repository, and fetches nothing.
 */
function gitIn(root: string, timeout: number): Git {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG_)/u.test(name));
  const env = { ...Object.fromEntries(own), LC_ALL: 'C', GIT_NO_LAZY_FETCH: '1' };
  // A program in the place of git may ignore SIGTERM, and end without an error.
  const options = { env, timeout, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true } as const;
  return async (...args) => (await run('git', [...SAFE, '-C', root, ...args], options)).stdout;
}

/** Returns arguments that disable the filters which the configuration of the repository defines: `git status` runs them. */
async function withoutFilters(git: Git): Promise<string[]> {
  const query = ['config', '--null', '--name-only', '--show-scope', '--get-regexp'];
  const found = await git(...query, String.raw`^filter\..*\.(clean|process)$`).catch((error: unknown) => {
    // Nothing matches.
    if ((error as { code?: unknown }).code === 1) return '';
    throw error;
  });
  const fields = found.split('\0');
  const own = fields.filter((_, index) => /^(?:local|worktree)$/u.test(fields[index - 1] ?? ''));
  if (own.some((key) => key.includes('='))) throw new Error('a filter has a name that cannot be disabled');
  return own.flatMap((key) => ['-c', `${key}=`]);
}

function shorten(subject: string): string {
  const characters = [...escapeControls(subject)];
  const isLong = characters.length > MAX_SUBJECT_LENGTH;
  return isLong ? `${characters.slice(0, MAX_SUBJECT_LENGTH).join('')}…` : characters.join('');
}

interface Status {
  readonly branch: string;
  readonly changedFiles: number;
  readonly hasCommits: boolean;
}

export function readStatus(output: string): Status {
  const fields = output.split('\0');
  let branch = '';
  let changedFiles = 0;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] ?? '';
    if (field.startsWith('# branch.head ')) branch = field.slice('# branch.head '.length);
    if (!/^[12u?] /u.test(field)) continue;
    changedFiles += 1;
    // The old path of a rename is a field of its own.
    if (field.startsWith('2 ')) index += 1;
  }
  return { branch, changedFiles, hasCommits: !fields.includes('# branch.oid (initial)') };
}

/** Returns which commit is checked out, and by which name. Equal while neither changes. */
export async function headOf(root: string): Promise<string> {
  const git = gitIn(root, TIMEOUT_MS);
  try {
    return await git('rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD');
  } catch (error) {
    // Without a commit, git fails and names the branch.
    return reasonOf(error) === 'failed' ? git('symbolic-ref', '--quiet', 'HEAD').catch(() => '') : '';
  }
}

/** Returns the line about the repository of a directory: branch, number of changed files, last three subjects. */
export async function gitLineOf(root: string, language: Language, timeoutMs: number = TIMEOUT_MS): Promise<string> {
  const texts = sectionTexts[language];
  try {
    const git = gitIn(root, timeoutMs);
    const options = ['--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
    const status = readStatus(await git(...(await withoutFilters(git)), 'status', ...options, '--', '.'));
    if (status.branch === '') return texts.noGit.failed;
    const log = status.hasCommits ? await git('log', '-3', '--no-show-signature', '--format=%s') : '';
    const subjects = log.split('\n').filter((subject) => subject !== '');
    return texts.git({
      branch: escapeControls(status.branch),
      changedFiles: status.changedFiles,
      subjects: subjects.map(shorten),
    });
  } catch (error) {
    return texts.noGit[reasonOf(error)];
  }
}

function reasonOf(error: unknown): NoGitReason {
  const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string };
  if (code === 'ENOENT') return 'not-installed';
  // Too much output kills git, too, but has a code.
  if (killed === true && code === null) return 'too-slow';
  return stderr?.includes('not a git repository') === true ? 'not-a-repository' : 'failed';
}
