import type { Language } from '@cairn/tool/kernel';

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const en = {
  description:
    'Show a directory as a tree of names: an overview of the workspace in one call. name/ (12) has 12 entries that are not shown.',
  path: 'directory; default: the root',
  depth: 'levels, or auto; default: as many as fit',
  characters: 'limit of the tree; default: about 1000 tokens',
  format: 'indent (default) is shortest, box is drawn with lines, paths has one path a line',
  focus: 'paths to show at any depth, with what is next to them',
  empty: (path: string): string => `[${path}: no entries to show]`,
  counts: (path: string, entries: number, depth: number): string =>
    `[${path}: ${plural(entries, 'entry', 'entries')}, depth ${depth}]`,
  cut: (characters: number): string =>
    `[cut at ${characters} characters; call workspace_tree with more characters, a smaller depth, or a path]`,
  leftOut: (excluded: number, secrets: number, list: string): string => {
    const what = [
      ...(excluded > 0
        ? [plural(excluded, 'ignored, hidden or excluded name', 'ignored, hidden or excluded names')]
        : []),
      ...(secrets > 0 ? [plural(secrets, 'secret name', 'secret names')] : []),
    ];
    return `[not shown: ${what.join(', ')}; ${list} lists a directory with all of its names]`;
  },
  unreadable: (count: number, paths: string): string =>
    `[could not read ${plural(count, 'directory or entry', 'directories or entries')}: ${paths}]`,
  missingFocus: (paths: string): string =>
    `[not in the tree: ${paths}; focus needs paths that exist, that no rule leaves out and that do not lead through a link]`,
  incomplete: (error: string): string => `[incomplete: ${error}]`,
  treeResource: 'The directory tree of the workspace, as it is now. Its notes are in brackets after an empty line.',
  listingsResource: (list: string): string => `The directory listings that were cached after ${list}, by path.`,
};

export const treeToolTexts: Readonly<Record<Language, typeof en>> = {
  en,
  zh: {
    description: '以树形显示目录中的名称：一次调用即可了解 workspace 的整体结构。name/ (12) 表示还有 12 项未显示。',
    path: '目录；默认为根目录',
    depth: '层数或 auto；默认为容得下的层数',
    characters: '目录树的字符上限；默认约 1000 个 token',
    format: 'indent（默认）最短，box 用线条绘制，paths 每行一个路径',
    focus: '无论多深都要显示的路径，连同其旁边的内容',
    empty: (path) => `[${path}：没有可显示的项]`,
    counts: (path, entries, depth) => `[${path}：共 ${entries} 项，深度 ${depth}]`,
    cut: (characters) =>
      `[已在 ${characters} 字符处截断；可调用 workspace_tree 并设置更大的 characters、更小的 depth 或 path]`,
    leftOut: (excluded, secrets, list) => {
      const what = [
        ...(excluded > 0 ? [`${excluded} 个被忽略、隐藏或排除的名称`] : []),
        ...(secrets > 0 ? [`${secrets} 个可能包含敏感信息的名称`] : []),
      ];
      return `[未显示：${what.join('，')}；用 ${list} 可列出目录中的所有名称]`;
    },
    unreadable: (count, paths) => `[无法读取 ${count} 项：${paths}]`,
    missingFocus: (paths) => `[不在目录树中：${paths}；focus 中的路径须存在、未被规则排除且不经过链接]`,
    incomplete: (error) => `[不完整：${error}]`,
    treeResource: 'workspace 当前的目录树。说明位于空行之后的方括号中。',
    listingsResource: (list) => `调用 ${list} 后缓存的目录列表，以路径为键。`,
  },
};
