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
