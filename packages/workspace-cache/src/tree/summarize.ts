import { ToolError } from '@cairn/tool';
import { isSecretName } from '@cairn/tool/prompt';
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeEntry, TreeSummary, TreeSummaryOptions } from './summary.ts';

/** Until the native function is there: no ignore rules, no version, level by level. */
export async function treeSummary(options: TreeSummaryOptions): Promise<TreeSummary> {
  const { path, hidden = false, exclude = [], allow = [], maxEntries = 2000 } = options;
  if (!statSync(path).isDirectory()) throw new ToolError('NOT_A_DIRECTORY', [`not a directory: ${path}`, 'Use one.']);
  const root = realpathSync(path);
  let excluded = 0;
  let hiddenSecrets = 0;
  let totalEntries = 0;
  const list = (directory: string): { name: string; kind: TreeEntry['kind'] }[] => {
    try {
      return readdirSync(join(root, directory), { withFileTypes: true })
        .filter((entry) => {
          if (entry.name === '.git') return false;
          if (isSecretName(entry.name) && !entry.isDirectory()) {
            hiddenSecrets += 1;
            return false;
          }
          if (allow.includes(entry.name) || !entry.isDirectory()) return true;
          const isOut = exclude.includes(entry.name) || (!hidden && entry.name.startsWith('.'));
          if (isOut) excluded += 1;
          return !isOut;
        })
        .map((entry) => ({
          name: entry.name,
          kind: entry.isDirectory()
            ? ('dir' as const)
            : entry.isSymbolicLink()
              ? ('symlink' as const)
              : ('file' as const),
        }))
        .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    } catch (error) {
      if (directory === '') throw error;
      return [];
    }
  };
  const rootList = list('');
  const depth =
    options.depth === 'auto' ? (rootList.length < 20 ? 4 : rootList.length < 100 ? 3 : 2) : (options.depth ?? 3);
  const entries: TreeEntry[] = [];
  let level: { directory: string; index: number; list: ReturnType<typeof list> }[] = [
    { directory: '', index: -1, list: rootList },
  ];
  for (let number = 1; level.length > 0; number++) {
    const next: typeof level = [];
    for (const { directory, index, list: own } of level) {
      for (const { name, kind } of own) {
        totalEntries += 1;
        const place = directory === '' ? name : `${directory}/${name}`;
        const inside = kind === 'dir' ? list(place) : [];
        const at = number <= depth && entries.length < maxEntries ? entries.length : -2;
        if (at >= 0) {
          const target = kind === 'symlink' ? { target: readlinkSync(join(root, place)) } : {};
          entries.push({ name, parent: index, kind, children: inside.length, ...target });
        }
        next.push({ directory: place, index: at, list: inside });
      }
    }
    level = next;
  }
  return {
    root,
    depth,
    rootChildren: rootList.length,
    entries,
    totalEntries,
    excluded,
    hiddenSecrets,
    generation: 1,
    complete: true,
  };
}
