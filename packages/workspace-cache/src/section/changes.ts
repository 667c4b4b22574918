import type { WorkspaceChange } from '@cairn/coding-agent';
import { isSecretName } from '@cairn/tool/prompt';
import { basename, dirname, relative, sep } from 'node:path';
import type { Language } from '../data.ts';
import { escapeName } from '../tree/escape.ts';
import { fenced } from './fence.ts';
import { sectionTexts } from './texts.ts';

type Kind = 'file' | 'dir' | 'symlink' | undefined;

/** What a change list compares changes with: the tree of its run. */
export interface ChangeListContext {
  /** The canonical root; `undefined` when it cannot be read. */
  readonly root: string | undefined;
  /** The kind of an entry of the tree. */
  readonly kindOf: (path: string) => Kind;
  /** Whether the rules leave a directory of this name out. */
  readonly isLeftOut: (name: string) => boolean;
  readonly language: Language;
}

/** What changed since the tree of a run was made. */
export interface ChangeList {
  note(change: WorkspaceChange): void;
  /** Writes the list, such as `+ a` and `- b`. Empty when nothing was created, removed or renamed. */
  render(context: ChangeListContext): string;
}

interface Entry {
  /** Whether the path existed at the time of the tree. */
  readonly before: boolean;
  /** What it is now; absent when it does not exist. */
  now: Present | undefined;
}

interface Present {
  /** `undefined` when the change does not state it. */
  readonly isDirectory: boolean | undefined;
  /** The path at the time of the tree, when it was renamed. */
  readonly from?: string | undefined;
}

/** The maximal number of lines of a list. */
const MAX_LINES = 50;

/** The maximal number of paths that a list remembers. */
const MAX_PATHS = 10_000;

/** Makes the list of the changes during one run. */
export function createChangeList(): ChangeList {
  const entries = new Map<string, Entry>();
  /** Two caches of one workspace pass on the same change. */
  const noted = new WeakSet<WorkspaceChange>();
  let forgotten = 0;

  const put = (path: string, entry: Entry): void => {
    if (entries.size >= MAX_PATHS && !entries.has(path)) forgotten += 1;
    else entries.set(path, entry);
  };
  const appear = (path: string, now: Present): void => {
    const entry = entries.get(path);
    if (entry === undefined) put(path, { before: false, now });
    else entry.now = now;
  };
  /** Removes a path, and everything below it. Returns what the list had below it. */
  const disappear = (path: string): (readonly [rest: string, entry: Entry])[] => {
    const below: (readonly [string, Entry])[] = [];
    for (const [other, entry] of entries) {
      if (!other.startsWith(`${path}${sep}`)) continue;
      below.push([other.slice(path.length), entry]);
      entries.delete(other);
    }
    const entry = entries.get(path);
    if (entry === undefined) put(path, { before: true, now: undefined });
    else if (entry.before) entry.now = undefined;
    else entries.delete(path);
    return below;
  };

  /** Whether a directory on the way was removed, so that the tree states nothing about what is in it now. */
  const wasRemoved = (directory: string): boolean => {
    if (entries.get(directory)?.before === true) return true;
    const parent = dirname(directory);
    return parent !== directory && wasRemoved(parent);
  };

  return {
    note: (change) => {
      if (noted.has(change)) return;
      noted.add(change);
      const { written, created, createdDirectories, deleted, renamed } = change;
      // A path in `deleted` and in another list still exists.
      for (const path of deleted) disappear(path);
      for (const { from, to } of renamed) {
        const known = entries.get(from)?.now;
        const below = disappear(from);
        appear(to, below.length > 0 ? { isDirectory: true } : (known ?? { isDirectory: undefined, from }));
        for (const [rest, { now }] of below) if (now) appear(`${to}${rest}`, now);
      }
      for (const path of createdDirectories) appear(path, { isDirectory: true });
      for (const path of created) appear(path, { isDirectory: false });
      for (const path of written) if (entries.has(path)) appear(path, { isDirectory: false });
    },
    render: ({ root, kindOf, isLeftOut, language }) => {
      if (root === undefined) return '';
      const lines: string[] = [];
      const pathOf = (path: string): string | undefined => {
        const inside = relative(root, path);
        if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return undefined;
        const names = inside.split(sep);
        const isHidden = names.some(
          (name, index) =>
            isSecretName(name, 'directory') || (index === names.length - 1 ? isSecretName(name) : isLeftOut(name)),
        );
        return isHidden ? undefined : names.join('/');
      };
      const sorted = [...entries]
        .map(([path, entry]) => ({ path, entry, bytes: Buffer.from(path) }))
        .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes));
      for (const { path: absolute, entry } of sorted) {
        const { before, now } = entry;
        const path = pathOf(absolute);
        if (path === undefined) continue;
        const kind = wasRemoved(dirname(absolute)) ? undefined : kindOf(path);
        const isDirectory = now?.isDirectory ?? (now?.from !== undefined && kindOf(pathOf(now.from) ?? '') === 'dir');
        // The tree may have been made after the change.
        if (!before && now && kind !== undefined) continue;
        // A file that was replaced by a file is as before; a directory may have lost its contents.
        if (before && now && !isDirectory && kind !== undefined && kind !== 'dir') continue;
        const shown = path.split('/').map((name) => escapeName(name));
        if (before) lines.push(`- ${shown.join('/')}${kind === 'dir' ? '/' : ''}`);
        if (now && !(isDirectory && isLeftOut(basename(path))))
          lines.push(`+ ${shown.join('/')}${isDirectory ? '/' : ''}`);
      }
      if (lines.length === 0 && forgotten === 0) return '';
      const texts = sectionTexts[language];
      const rest = Math.max(0, lines.length - MAX_LINES) + forgotten;
      const shown = rest > 0 ? [...lines.slice(0, MAX_LINES), texts.moreChanges(rest)] : lines;
      return `${texts.changes}\n\n${fenced(shown.join('\n'))}`;
    },
  };
}
