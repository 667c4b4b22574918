import type { Language } from '@cairn/tool/kernel';

/** The name of the tool that lists a directory; `false` when the agent has none. */
type ListTool = string | false;

interface GitFacts {
  readonly branch: string;
  readonly changedFiles: number;
  readonly subjects: readonly string[];
}

const en = {
  heading: '## Workspace directory structure cache',
  intro: (list: ListTool, depth: number): string =>
    `${list === false ? 'Here' : `To reduce repeated \`${list}\` calls, here`} is an overview of the directory structure of the workspace (at most ${depth} ${depth === 1 ? 'level' : 'levels'} deep):`,
  notes: '**Note**:',
  /** Notes 1 and 2 of the source document. */
  usage: (list: ListTool): readonly string[] =>
    list === false
      ? ['- Deeper levels and directories that were filtered out are not shown']
      : [
          `- Check the directory structure above first, and avoid repeated calls of \`${list}\``,
          `- For deeper levels or directories that were filtered out, you can still use the \`${list}\` tool`,
        ],
  /** Note 3 of the source document. */
  cachedAt: (time: string): string => `- Cached at: ${time}`,
  incomplete: '- The overview is not complete: a part of the workspace was not scanned',
  unavailable: (list: ListTool): string =>
    `The directory structure cache is not available.${list === false ? '' : ` Use the \`${list}\` tool to list directories on demand.`}`,
  empty: 'The workspace has no entries to show.',
  dynamicHeading: (list: ListTool): string =>
    `## Dynamically cached directories${list === false ? '' : ` (visited with ${list})`}`,
  dynamicIntro: 'These directories were visited and cached. Read them here:',
  /** States of a kept listing. */
  emptyListing: 'empty',
  listedAt: (time: string): string => `cached at ${time}`,
  moreListings: (count: number): string => `… ${count} more ${count === 1 ? 'listing' : 'listings'}`,
  coreFiles: '## Core files',
  changes: '## Changes since the directory overview',
  laterChanges: '## Changes since the previous list',
  /** For a workspace that could not be compared with the disk. */
  unknownChanges: 'The workspace could not be checked for changes. There may be more than listed here.',
  moreChanges: (count: number): string => `… ${count} more`,
  moreCharacters: (count: number): string => `… ${count} more characters`,
  moreBytes: (count: number): string => `… ${count} more bytes`,
  git: ({ branch, changedFiles, subjects }: GitFacts): string =>
    `Git: branch ${branch}, ${changedFiles} changed ${changedFiles === 1 ? 'file' : 'files'}${subjects.length > 0 ? `, last commits: ${subjects.join('; ')}` : ', no commits'}`,
  noGit: {
    'not-installed': 'Git: no information (git is not installed)',
    'not-a-repository': 'Git: no information (not a git repository)',
    'too-slow': 'Git: no information (git took too long)',
    changing: 'Git: no information (the branch or commit kept changing)',
    failed: 'Git: no information (git failed)',
  },
};

/** Why there is no line about a repository. */
export type NoGitReason = keyof typeof en.noGit;

/** The Chinese strings are from the source document, as far as it has them. */
export const sectionTexts: Readonly<Record<Language, typeof en>> = {
  en,
  zh: {
    heading: '## Workspace 目录结构缓存',
    intro: (list, depth) =>
      `${list === false ? '' : `为减少重复的 \`${list}\` 调用，`}以下是 workspace 的目录结构概览（最多 ${depth} 层深度）：`,
    notes: '**注意**：',
    usage: (list) =>
      list === false
        ? ['- 更深层次和被过滤的目录未列出']
        : [
            `- 优先参考以上目录结构，避免重复调用 \`${list}\``,
            `- 如需更深层次或被过滤的目录信息，仍可使用 \`${list}\` 工具`,
          ],
    cachedAt: (time) => `- 缓存时间：${time}`,
    incomplete: '- 目录结构概览不完整：部分目录未扫描',
    unavailable: (list) => `目录结构缓存不可用${list === false ? '' : `，请使用 \`${list}\` 工具按需查询`}。`,
    empty: 'workspace 中没有可显示的内容。',
    dynamicHeading: (list) => `## 动态缓存的目录${list === false ? '' : `（已通过 ${list} 访问）`}`,
    dynamicIntro: '以下目录已被访问并缓存，可直接查看：',
    emptyListing: '空',
    listedAt: (time) => `缓存时间 ${time}`,
    moreListings: (count) => `… 还有 ${count} 个目录列表`,
    coreFiles: '## 核心文件',
    changes: '## 目录结构概览之后的变化',
    laterChanges: '## 上次列表之后的变化',
    unknownChanges: '无法检查 workspace 的变化，可能还有未列出的变化。',
    moreChanges: (count) => `… 还有 ${count} 项`,
    moreCharacters: (count) => `… 还有 ${count} 个字符`,
    moreBytes: (count) => `… 还有 ${count} 字节`,
    git: ({ branch, changedFiles, subjects }) =>
      `Git：分支 ${branch}，${changedFiles} 个文件有改动${subjects.length > 0 ? `，最近提交：${subjects.join('；')}` : '，尚无提交'}`,
    noGit: {
      'not-installed': 'Git：无信息（未安装 git）',
      'not-a-repository': 'Git：无信息（不是 git 仓库）',
      'too-slow': 'Git：无信息（git 运行超时）',
      changing: 'Git：无信息（分支或提交一直在变化）',
      failed: 'Git：无信息（git 执行失败）',
    },
  },
};
