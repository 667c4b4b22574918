import type { Language } from '@cairn/tool/kernel';

/** The words in a tree that are not names. */
export interface TreeTexts {
  /** The last line of a tree that a limit cut. */
  readonly notice: (entries: number) => string;
  /** The line for the children of a directory that are not shown. */
  readonly more: (count: number) => string;
  readonly folded: Readonly<Record<'excluded' | 'repository' | 'unreadable', string>>;
}

/** The notice in Chinese is from the source document. */
export const treeTexts: Readonly<Record<Language, TreeTexts>> = {
  en: {
    notice: (entries) => `... (truncated, ${entries} entries in total)`,
    more: (count) => `… ${count} more`,
    folded: { excluded: 'not listed', repository: 'git repository', unreadable: 'unreadable' },
  },
  zh: {
    notice: (entries) => `... (截断，总共约 ${entries} 项)`,
    more: (count) => `… 还有 ${count} 项`,
    folded: { excluded: '未列出', repository: 'git 仓库', unreadable: '无法读取' },
  },
};
