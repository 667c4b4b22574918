import type { Language } from '@cairn/tool/kernel';

const en = {
  /** The last line of a tree that a limit cut. */
  notice: (entries: number): string => `... (truncated, ${entries} entries in total)`,
  /** The line for the children of a directory that are not shown. */
  more: (count: number): string => `… ${count} more`,
  folded: { excluded: 'not listed', repository: 'git repository', unreadable: 'unreadable' },
};

/** The words in a tree that are not names. */
export type TreeTexts = typeof en;

/** The notice in Chinese is from the source document. */
export const treeTexts: Readonly<Record<Language, TreeTexts>> = {
  en,
  zh: {
    notice: (entries) => `... (截断，总共约 ${entries} 项)`,
    more: (count) => `… 还有 ${count} 项`,
    folded: { excluded: '未列出', repository: 'git 仓库', unreadable: '无法读取' },
  },
};
