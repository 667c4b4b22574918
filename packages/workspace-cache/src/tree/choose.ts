import { ROOT } from './layout.ts';
import type { Layout } from './layout.ts';

/** The entries that a tree shows. */
export interface Choice {
  /** 1 for each entry of the layout that is shown. */
  readonly isShown: Uint8Array;
  /** The number of children that each directory shows. */
  readonly shown: Int32Array;
  /** The length of the lines, each with its line end. */
  readonly length: number;
}

/**
 * Chooses the entries whose lines fit into a length: the first level, with directories first; then `focus`; then level by
 * level, the first child of each directory, then the second child of each, and so on. The first line that does not fit ends
 * the choice.
 *
 * The time is linear in the size of the layout.
 *
 * @param focus entries that come directly after the first level, each after its parent.
 */
export function chooseEntries(layout: Layout, focus: readonly number[], maxLength: number): Choice {
  const { summary, parents, levels, children, totals, labels, indents, texts } = layout;
  const isShown = new Uint8Array(labels.length);
  const shown = new Int32Array(labels.length);
  let length = 0;

  const at = (column: Int32Array, node: number): number => column[node] ?? 0;
  /** The length of the ` (N)` of a directory that shows no child. */
  const countLength = (node: number): number => {
    const total = at(totals, node);
    return total === 0 || node === ROOT ? 0 : ` (${total})`.length;
  };
  /** The length of the line for the children that are not shown. */
  const moreLength = (node: number, count: number): number =>
    count === 0 ? 0 : at(indents, node) + texts.more(count).length + 1;

  const add = (node: number): boolean => {
    const parent = at(parents, node);
    const hidden = at(totals, parent) - at(shown, parent);
    const before = at(shown, parent) === 0 ? countLength(parent) : moreLength(parent, hidden);
    const line = at(indents, parent) + (labels[node] ?? '').length + countLength(node) + 1;
    const next = length + line + moreLength(parent, hidden - 1) - before;
    if (next > maxLength) return false;
    length = next;
    isShown[node] = 1;
    shown[parent] = at(shown, parent) + 1;
    return true;
  };
  const addAll = (nodes: readonly number[]): boolean => nodes.every((node) => isShown[node] === 1 || add(node));
  /** Adds a child of each directory in turn. */
  const addInTurn = (directories: readonly number[]): boolean => {
    let lists = directories.map((node) => (children[node] ?? []).filter((child) => isShown[child] === 0));
    for (let turn = 0; lists.length > 0; turn++) {
      lists = lists.filter((list) => turn < list.length);
      if (!lists.every((list) => add(list[turn] ?? ROOT))) return false;
    }
    return true;
  };

  const isDirectory = (node: number): boolean => summary.entries[node - 1]?.kind === 'dir';
  const first = children[ROOT] ?? [];
  const byLevel: number[][] = [];
  for (let node = 1; node < labels.length; node++) {
    if ((children[node] ?? []).length > 0) (byLevel[at(levels, node)] ??= []).push(node);
  }
  const isFirstWhole = addAll(first.filter(isDirectory)) && addAll(first) && addAll(focus);
  if (isFirstWhole) byLevel.every((directories) => addInTurn(directories));
  return { isShown, shown, length };
}
