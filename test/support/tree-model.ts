import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TreeSummaryOptions } from '@cairn/natives';
import { git } from './tools.ts';

/** An entry that a tree shows. */
export interface ModelEntry {
  readonly name: string;
  readonly kind: 'file' | 'dir' | 'symlink';
  readonly folded?: 'excluded' | 'repository';
  readonly target?: string;
  readonly entries: readonly ModelEntry[];
}

export interface ModelTree {
  readonly entries: readonly ModelEntry[];
  readonly excluded: number;
  readonly hiddenSecrets: number;
}

type Rules = Pick<TreeSummaryOptions, 'hidden' | 'gitignore' | 'exclude' | 'allow' | 'secrets'>;

function composed(names: readonly string[] | undefined): Set<string> {
  return new Set((names ?? []).map((name) => name.normalize('NFC')));
}

function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.replace(/\/$/u, '').split('*');
  const source = parts.map((part) => part.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)).join('.*');
  return new RegExp(`^${source}$`, 'isv').test(name.normalize('NFC'));
}

function isSecret(patterns: readonly string[], name: string, isDirectory: boolean): boolean {
  const matches = (pattern: string): boolean => matchesPattern(pattern, name);
  const exceptions = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const own = patterns.filter((pattern) => !pattern.startsWith('!') && pattern.endsWith('/') === isDirectory);
  return own.some(matches) && !exceptions.some(matches);
}

/** The tree below `root`, which is in the repository `top`, read again from the disk and by git. */
export function modelTree(top: string, root: string, rules: Rules): ModelTree {
  const all: string[] = [];
  const collect = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.name === '.git') continue;
      all.push(relative(top, join(directory, entry.name)));
      if (entry.isDirectory()) collect(join(directory, entry.name));
    }
  };
  collect(root);
  const input = Buffer.from(all.map((path) => `${path}\0`).join(''));
  const ignoredPaths = git(['check-ignore', '--no-index', '-z', '--stdin'], top, { input, codes: [1] }).toString();
  const ignored = new Set(rules.gitignore === false ? [] : ignoredPaths.split('\0'));
  const tracked = git(['ls-files', '-z'], top).toString().split('\0').filter(Boolean);
  const isTracked = (path: string): boolean => tracked.includes(path);
  const holdsTracked = (path: string): boolean => tracked.some((name) => name === path || name.startsWith(`${path}/`));
  const [exclude, allow, secrets] = [composed(rules.exclude), composed(rules.allow), rules.secrets ?? []];
  let [excluded, hiddenSecrets] = [0, 0];
  const leadsToSecret = (path: string, name: string): boolean => {
    const target = readlinkSync(path);
    const resolved = existsSync(path) ? realpathSync(path) : undefined;
    const isDirectory = resolved !== undefined && statSync(resolved).isDirectory();
    const judge = (names: readonly string[]): boolean =>
      names.some((one, index) => {
        const isLast = index === names.length - 1;
        const asDirectory = !isLast || isDirectory || resolved === undefined;
        const asFile = isLast && !isDirectory;
        return (asDirectory && isSecret(secrets, one, true)) || (asFile && isSecret(secrets, one, false));
      });
    const namesOf = (where: string): string[] => {
      const inside = where.startsWith(`${root}/`) ? where.slice(root.length) : where;
      return inside.split('/').filter((one) => !['', '.', '..'].includes(one));
    };
    return [[name], namesOf(target), namesOf(resolved ?? '')].some(judge) || isSecret(secrets, name, false);
  };
  const list = (directory: string, isIgnoredHere: boolean): ModelEntry[] => {
    const names = readdirSync(directory).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return names.flatMap((name): ModelEntry[] => {
      const path = join(directory, name);
      const fromTop = relative(top, path);
      const stats = lstatSync(path);
      if (name === '.git') return [];
      const isDirectory = stats.isDirectory();
      const isLink = stats.isSymbolicLink();
      if (isSecret(secrets, name, isDirectory) || (isLink && leadsToSecret(path, name))) {
        hiddenSecrets++;
        return [];
      }
      const leaf = { name, kind: 'file', entries: [] } as const;
      const isIgnored = isIgnoredHere || ignored.has(fromTop);
      const isListed = exclude.has(name.normalize('NFC')) && isDirectory;
      const isHidden = isDirectory && name.startsWith('.') && rules.hidden !== true;
      const open = (isIgnoredInside: boolean): ModelEntry[] => {
        if (isLink) return [{ ...leaf, kind: 'symlink', target: readlinkSync(path) }];
        if (!isDirectory) return [leaf];
        if (existsSync(join(path, '.git'))) return [{ ...leaf, kind: 'dir', folded: 'repository' }];
        return [{ ...leaf, kind: 'dir', entries: list(path, isIgnoredInside) }];
      };
      if (allow.has(name.normalize('NFC'))) {
        if (isDirectory && isIgnored) throw new Error('git does not tell which rules hold in an ignored directory');
        return open(false);
      }
      if (!isIgnored && !isListed && !isHidden) return open(false);
      if (!isDirectory && isTracked(fromTop)) return open(true);
      if (isListed && holdsTracked(fromTop)) return [{ ...leaf, kind: 'dir', folded: 'excluded' }];
      if (!isListed && !isHidden && isDirectory && holdsTracked(fromTop)) return open(true);
      excluded++;
      return [];
    });
  };
  const entries = list(root, false);
  return { entries, excluded, hiddenSecrets };
}

export function countEntries(entries: readonly ModelEntry[]): number {
  return entries.reduce((sum, entry) => sum + 1 + countEntries(entry.entries), 0);
}

/** An entry with its path. */
interface Placed {
  readonly path: string;
  readonly entry: ModelEntry;
}

function placed(entries: readonly ModelEntry[], prefix = ''): Placed[] {
  return entries.map((entry) => ({ path: prefix + entry.name, entry }));
}

function below({ path, entry }: Placed): Placed[] {
  return placed(entry.entries, `${path}/`);
}

/** The paths that a summary shows, one choice after the other. */
export function modelChoice(
  { entries }: ModelTree,
  depth: number | 'auto',
  limit: number,
  focus: readonly string[],
): { readonly paths: readonly string[]; readonly depth: number } {
  const small = entries.length < 100 ? 3 : 2;
  const levels = depth === 'auto' ? (entries.length < 20 ? 4 : small) : depth;
  const picked = new Set<string>();
  const pick = ({ path }: Placed): void => {
    if (picked.size < limit) picked.add(path);
  };
  /** One more for each directory, again and again. */
  const fill = (directories: readonly Placed[]): boolean => {
    const lists = directories.map((directory) => below(directory).filter(({ path }) => !picked.has(path)));
    for (let left = true; left;) {
      left = false;
      for (const list of lists) {
        const next = list.shift();
        if (next === undefined) continue;
        left = true;
        pick(next);
        if (!picked.has(next.path)) return false;
      }
    }
    return true;
  };
  const first = placed(entries);
  for (const one of first) if (one.entry.kind === 'dir') pick(one);
  for (const one of first) pick(one);
  const chains = focus.flatMap((path) => {
    const chain: Placed[] = [];
    let here = first;
    for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
      const isSame = ({ entry }: Placed): boolean => entry.name.normalize('NFC') === name.normalize('NFC');
      const found = here.find(({ entry }) => entry.name === name) ?? here.find(isSame);
      if (found === undefined) return [];
      chain.push(found);
      here = below(found);
    }
    return chain.length > 0 ? [chain] : [];
  });
  for (const chain of chains) for (const one of chain) pick(one);
  const inOrder = (directories: readonly (Placed | undefined)[]): Placed[] => {
    const byPath = new Map(directories.flatMap((directory) => (directory ? [[directory.path, directory]] : [])));
    return all(first).filter(({ path }) => byPath.has(path));
  };
  fill(inOrder(chains.map((chain) => chain.at(-2))));
  fill(inOrder(chains.map((chain) => chain.at(-1))));
  let level = first;
  for (let at = 1; level.length > 0; at++) {
    const isOpen = ({ path }: Placed): boolean =>
      at < levels || (at === levels && depth === 'auto' && /^(?:src|docs|examples|packages)(?:\/|$)/u.test(path));
    if (!fill(level.filter((one) => picked.has(one.path) && isOpen(one)))) break;
    level = level.flatMap(below);
  }
  return { paths: all(first).flatMap(({ path }) => (picked.has(path) ? [path] : [])), depth: levels };
}

/** All entries, level by level. */
function all(level: readonly Placed[]): Placed[] {
  return level.length === 0 ? [] : [...level, ...all(level.flatMap(below))];
}
