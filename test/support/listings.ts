import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileType } from '@cairn/natives';
import type { ToolOptions } from './tools.ts';
import { git, ripgrep, splitNames } from './tools.ts';

/** The repository may belong to another user than the one who runs the tests. */
const anyOwner = ['-c', 'safe.directory=*'];

export interface GitListing {
  readonly files: string[];
  /** Repositories inside, which git names but does not enter. */
  readonly repositories: string[];
}

/** Tracked files that exist and untracked ones that no rule hides. Symbolic links count as files. */
export function gitListing(root: string, options: ToolOptions = {}): GitListing {
  const args = [...anyOwner, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const names = splitNames(git(args, root, options));
  const deleted = new Set(splitNames(git([...anyOwner, 'ls-files', '-z', '--deleted'], root, options)));
  return {
    files: names.filter((name) => !name.endsWith('/') && !deleted.has(name)),
    repositories: names.filter((name) => name.endsWith('/')),
  };
}

/**
 * The files that ripgrep would search, with ignore files applied also outside of repositories. Without the flag `--hidden`,
 * those without a hidden name: for ripgrep, a rule can show one.
 */
export function ripgrepListing(root: string, flags: readonly string[] = [], options: ToolOptions = {}): string[] {
  const args = ['--files', '--null', ...ripgrepRules(root), '--no-messages', '--glob=!.git', '--hidden', ...flags];
  const files = splitNames(ripgrep(args, root, options).stdout);
  return flags.includes('--hidden') ? files : files.filter((path) => !/(?:^|\/)\./u.test(path));
}

/** The flags with which ripgrep applies git's rules. It knows where a repository ends only when it requires one. */
function ripgrepRules(root: string): readonly string[] {
  for (let directory = root; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return ['--require-git'];
    if (dirname(directory) === directory) return ['--no-require-git'];
  }
}

export interface DiskEntry {
  /** Relative to the root, `/` separated. Invalid UTF-8 is replaced. */
  readonly path: string;
  /** The same, one character per byte. */
  readonly bytes: string;
  readonly fileType: FileType;
}

/** Everything below a directory but `.git` and what is neither file, directory nor symbolic link. */
export function diskListing(root: string, under = ''): DiskEntry[] {
  const directory = Buffer.from(`${root}/`).toString('latin1') + under;
  const entries = readdirSync(Buffer.from(directory, 'latin1'), { withFileTypes: true, encoding: 'buffer' });
  return entries.flatMap((entry) => {
    const name = entry.name.toString('latin1');
    const fileType = entry.isFile()
      ? FileType.File
      : entry.isDirectory()
        ? FileType.Dir
        : entry.isSymbolicLink()
          ? FileType.Symlink
          : undefined;
    if (fileType === undefined || name === '.git') return [];
    const bytes = under + name;
    const here = { path: Buffer.from(bytes, 'latin1').toString(), bytes, fileType };
    return fileType === FileType.Dir ? [here, ...diskListing(root, `${bytes}/`)] : [here];
  });
}

/** Those of `entries` that git ignores, themselves or with a directory above, tracked or not. */
export function gitIgnored(root: string, entries: readonly DiskEntry[]): Set<string> {
  const input = Buffer.from(entries.map(({ bytes }) => `${bytes}\0`).join(''), 'latin1');
  const args = [...anyOwner, 'check-ignore', '-z', '--stdin', '--no-index'];
  const output = git(args, root, { input, codes: [1] });
  return new Set(output.toString('latin1').split('\0').slice(0, -1));
}
