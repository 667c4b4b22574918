import { ROOT, type Layout } from './layout.ts';

export interface FocusEntries {
  /** Each after its parent. */
  readonly nodes: readonly number[];
  /** The directories that show all of their children. */
  readonly whole: ReadonlySet<number>;
}

/** Finds the entries of the paths: their ancestors and siblings, and the children of a path that is a directory. */
export function focusEntries({ summary, children }: Layout, focus: readonly string[]): FocusEntries {
  const nodes: number[] = [];
  const whole = new Set<number>();
  for (const path of focus) {
    let node: number | undefined = ROOT;
    let parent = ROOT;
    // `/` or `./` before a path and `/` after it do not count.
    for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
      parent = node;
      node = children[parent]?.find((child) => summary.entries[child - 1]?.name.normalize() === name.normalize());
      if (node === undefined) break;
      nodes.push(node);
    }
    if (node === undefined) continue;
    for (const directory of [parent, node]) {
      whole.add(directory);
      nodes.push(...(children[directory] ?? []));
    }
  }
  return { nodes, whole };
}

export interface Choice {
  /** 1 for each entry of the layout that is shown. */
  readonly isShown: Uint8Array;
  /** The number of children that each directory shows. */
  readonly shown: Int32Array;
  /** The length of the lines, each with its line end. */
  readonly length: number;
  /** Whether the layout lacks entries that would have come before the last one of the choice, or directly after it. */
  readonly lacksEntries: boolean;
}

/** A directory shows no child, or at least this many: one name and `… 7 more` tell less than `/ (8)`. */
const MIN_SHOWN = 3;

/** Returns the number of children that a directory shows next. It never leaves out just one: that line would be as long as the entry. */
function nextGroup(shown: number, total: number): number {
  const size = shown === 0 ? MIN_SHOWN : 1;
  return total - shown <= size + 1 ? total - shown : size;
}

/**
 * Chooses entries so that their lines fit into a length: the first level, with directories first; then `focus`, each after its parent;
 * then level by level, the first three children of each directory, then one more of each, and so on. The first that do not fit end the
 * choice. The time is linear in the size of the layout. `depths` has the depth of what is below each entry.
 */
export function chooseEntries(
  layout: Layout,
  { focus, depths }: { readonly focus: readonly number[]; readonly depths: Int32Array },
  maxLength: number,
): Choice {
  const { summary, parents, levels, children, totals, labels, indents, texts } = layout;
  const isShown = new Uint8Array(labels.length);
  const shown = new Int32Array(labels.length);
  let length = 0;
  let lacksEntries = false;

  const at = (column: Int32Array, node: number): number => column[node] ?? 0;
  /** The length of the ` (N)` of a directory that shows no child. */
  const countLength = (node: number): number => {
    const total = at(totals, node);
    return total === 0 || node === ROOT ? 0 : ` (${total})`.length;
  };
  /** The length of the line for the children that are not shown. */
  const moreLength = (node: number, count: number): number =>
    count === 0 ? 0 : at(indents, node) + texts.more(count).length + 1;

  const add = (node: number): void => {
    const parent = at(parents, node);
    const hidden = at(totals, parent) - at(shown, parent);
    const before = at(shown, parent) === 0 ? countLength(parent) : moreLength(parent, hidden);
    const line = at(indents, parent) + (labels[node] ?? '').length + countLength(node) + 1;
    length += line + moreLength(parent, hidden - 1) - before;
    isShown[node] = 1;
    shown[parent] = at(shown, parent) + 1;
  };
  /** Adds entries of one directory, all or none. Returns whether they fit. */
  const addGroup = (nodes: readonly number[]): boolean => {
    const before = length;
    for (const node of nodes) add(node);
    if (length <= maxLength) return true;
    for (const node of nodes) {
      isShown[node] = 0;
      shown[at(parents, node)] = at(shown, at(parents, node)) - 1;
    }
    length = before;
    return false;
  };
  const addAll = (nodes: readonly number[]): boolean => nodes.every((node) => isShown[node] === 1 || addGroup([node]));
  const addInTurn = (directories: readonly number[]): boolean => {
    let waiting = directories.map((node) => ({
      node,
      own: (children[node] ?? []).filter((child) => isShown[child] === 0),
      next: 0,
    }));
    while (waiting.length > 0) {
      for (const list of waiting) {
        const { node, own, next } = list;
        const size = nextGroup(at(shown, node), at(totals, node));
        list.next += size;
        if (own.length < list.next) lacksEntries = true;
        if (!addGroup(own.slice(next, list.next))) return false;
      }
      waiting = waiting.filter(({ node, own, next }) => next < own.length && at(shown, node) < at(totals, node));
    }
    return true;
  };

  const isDirectory = (node: number): boolean => summary.entries[node - 1]?.kind === 'dir';
  const first = children[ROOT] ?? [];
  const byLevel: number[][] = [];
  for (let node = 1; node < labels.length; node++) {
    const isOpen = at(totals, node) > 0 && at(levels, node) < at(depths, node);
    if (isOpen) (byLevel[at(levels, node)] ??= []).push(node);
  }
  const isFirstWhole = addAll(first.filter(isDirectory)) && addAll(first) && addAll(focus);
  if (isFirstWhole) byLevel.every((directories) => addInTurn(directories));
  return { isShown, shown, length, lacksEntries };
}
