import type { TreeEntry, TreeSummary } from '@cairn/natives';
import { escapeName } from './escape.ts';
import type { TreeForm } from './options.ts';
import type { TreeTexts } from './texts.ts';

/** The place of the root in the columns of a {@link Layout}. Entry `i` of the summary is at `i + 1`. */
export const ROOT = 0;

/** The entries of a summary, with the text and the width of their lines in one form. */
export interface Layout {
  readonly format: TreeForm;
  readonly texts: TreeTexts;
  readonly summary: TreeSummary;
  readonly parents: Int32Array;
  readonly levels: Int32Array;
  /** The entries of each directory that the summary has, in the order of the summary. */
  readonly children: readonly (readonly number[])[];
  /** The number of children of each directory, even if the summary does not have them. */
  readonly totals: Int32Array;
  /** The escaped names. Directories end in `/`, links show their target. */
  readonly labels: readonly string[];
  /** The length of what stands before the names of the children of each directory. */
  readonly indents: Int32Array;
}

function labelOf({ name, nameBytes, kind, folded, target, targetBytes }: TreeEntry, texts: TreeTexts): string {
  const label = escapeName(name, nameBytes);
  if (kind === 'symlink') return `${label} -> ${target === undefined ? '?' : escapeName(target, targetBytes)}`;
  if (kind === 'file') return label;
  return folded === undefined ? `${label}/` : `${label}/ (${texts.folded[folded]})`;
}

export function layOut(summary: TreeSummary, format: TreeForm, texts: TreeTexts): Layout {
  const { entries } = summary;
  const size = entries.length + 1;
  const parents = new Int32Array(size);
  const levels = new Int32Array(size);
  const totals = new Int32Array(size);
  const indents = new Int32Array(size);
  const indentOf = (level: number, pathLength: number): number => {
    if (format === 'paths') return pathLength;
    return format === 'box' ? 4 * (level + 1) : 2 * level;
  };
  const labels: string[] = [''];
  const children: number[][] = Array.from({ length: size }, () => []);
  totals[ROOT] = summary.rootChildren;
  indents[ROOT] = indentOf(0, 0);
  for (const [index, entry] of entries.entries()) {
    const node = index + 1;
    const parent = entry.parent + 1;
    const label = labelOf(entry, texts);
    const level = (levels[parent] ?? 0) + 1;
    parents[node] = parent;
    levels[node] = level;
    totals[node] = entry.children;
    indents[node] = indentOf(level, (indents[parent] ?? 0) + label.length);
    labels.push(label);
    children[parent]?.push(node);
  }
  return { format, texts, summary, parents, levels, children, totals, labels, indents };
}
