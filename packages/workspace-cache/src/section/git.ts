import { escapeControls } from '@cairn/tool/paths';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Language } from '../data.ts';
import { sectionTexts } from './texts.ts';
import type { NoGitReason } from './texts.ts';

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

/**
 * The environment of git: one language, whose messages can be recognized, and no variable by which a hook or a program names
 * another repository.
 */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG_)/u.test(name));
  return { ...Object.fromEntries(own), LC_ALL: 'C' };
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...SAFE, '-C', root, ...args], {
    env: environment(),
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    windowsHide: true,
  });
  return stdout;
}

function shorten(subject: string): string {
  const characters = [...escapeControls(subject)];
  const isLong = characters.length > MAX_SUBJECT_LENGTH;
  return isLong ? `${characters.slice(0, MAX_SUBJECT_LENGTH).join('')}…` : characters.join('');
}

/** Returns the branch and the number of changed files from `git status --porcelain=v2 --branch -z`. */
export function readStatus(output: string): { readonly branch: string; readonly changedFiles: number } {
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
  return { branch, changedFiles };
}

/** Returns the line about the repository of a directory: branch, number of changed files, last three subjects. */
export async function gitLineOf(root: string, language: Language): Promise<string> {
  const texts = sectionTexts[language];
  try {
    const status = readStatus(
      await git(root, 'status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--', '.'),
    );
    // A repository without a commit has no log.
    const log = await git(root, 'log', '-3', '--format=%s').catch(() => '');
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
  if (killed === true) return 'too-slow';
  return stderr?.includes('not a git repository') === true ? 'not-a-repository' : 'failed';
}
