import { checkArguments, type Language } from '@cairn/tool/kernel';
import { check, checkToolNames } from '../checks.ts';
import type { ToolNames } from '../data.ts';

export const CACHE_DIRECTORY = 'cache_directory';

const en = {
  description: (list: string): string =>
    `Cache the listing of a directory for all agents of this run. Call it after ${list}. The directory is listed again, and the real entries are cached.`,
  path: 'Directory path that was listed',
  items: (list: string): string => `Items returned by ${list}`,
  rules: (list: string): string =>
    `
## Rules for tools

### How to use ${list}
When you need to call the \`${list}\` tool:
1. **Check the cache first**: see whether \`workspaceCache\` has this directory already
2. **Update the cache after the call**: after \`${list}\`, call the \`cache_directory\` tool at once to cache the result
3. **Examples**:
   - ✅ Right: check the cache → not found → ${list} → cache_directory
   - ❌ Wrong: ${list} alone, without an update of the cache

Available tools:
- \`${list}\`: lists a directory
- \`cache_directory\`: caches the structure of a directory in userContext (call it after ${list})
`.trim(),
  checked: 'The directory was listed again. Its real entries are cached; your items differ:',
  unknown: (names: string): string => `- not in the directory: ${names}`,
  missing: (names: string): string => `- missing from your items: ${names}`,
  otherKind: (names: string): string => `- of another kind: ${names}`,
  secrets: (count: number): string =>
    `Left out: ${count} ${count === 1 ? 'name' : 'names'} that may stand for secrets.`,
  more: (count: number): string => `and ${count} more`,
  tooMany: (path: string, count: number, list: string): string =>
    `Not cached: ${path} has ${count} entries, more than the limit of 1000. Call ${list} when you need it.`,
  secretDirectory: (path: string): string => `Not cached: directories with names like ${path} usually hold secrets.`,
  tooLarge: (path: string, list: string): string =>
    `Not cached: the names in ${path} are too long. Call ${list} when you need them.`,
};

/** The texts of the tool, for a model. `list` is the name of the tool that lists a directory. */
export type CacheDirectoryTexts = typeof en;

/** The rules in Chinese, and the descriptions of the parameters in English, are from the source document. */
export const cacheDirectoryTexts: Readonly<Record<Language, CacheDirectoryTexts>> = {
  en,
  zh: {
    description: (list) =>
      `将目录结构缓存到 userContext，供本次运行的所有 agent 使用（调用 ${list} 后必须调用）。工具会重新列出该目录，并缓存真实的内容。`,
    path: 'Directory path that was listed',
    items: (list) => `Items returned by ${list}`,
    rules: (list) =>
      `
## 工具使用规则

### ${list} 使用规范
当你需要调用 \`${list}\` 工具时：
1. **优先检查缓存**：先查看 \`workspaceCache\` 中是否已有该目录信息
2. **调用后更新缓存**：调用 \`${list}\` 后，必须立即调用 \`cache_directory\` 工具缓存结果
3. **示例**：
   - ✅ 正确：先查缓存 → 未命中 → ${list} → cache_directory
   - ❌ 错误：直接 ${list}，不更新缓存

可用工具：
- \`${list}\`: 列出目录内容
- \`cache_directory\`: 将目录结构缓存到 userContext（调用 ${list} 后必须调用）
`.trim(),
    checked: '已重新列出该目录并缓存其真实内容；提供的 items 与之不同：',
    unknown: (names) => `- 目录中不存在：${names}`,
    missing: (names) => `- items 中缺少：${names}`,
    otherKind: (names) => `- 类型不同：${names}`,
    secrets: (count) => `已略去 ${count} 个可能包含敏感信息的名称。`,
    more: (count) => `另有 ${count} 个`,
    tooMany: (path, count, list) => `未缓存：${path} 有 ${count} 项，超过上限 1000。需要时请调用 ${list}。`,
    secretDirectory: (path) => `未缓存：名称类似 ${path} 的目录通常包含敏感信息。`,
    tooLarge: (path, list) => `未缓存：${path} 中的名称过长。需要时请调用 ${list}。`,
  },
};

/** Returns the rules for the tool, for a prompt. @throws {ToolError} `INVALID_OPTION` */
export function cacheDirectoryRules(
  options: { readonly language?: Language | undefined; readonly toolNames?: ToolNames | undefined } = {},
): string {
  checkArguments.options('cacheDirectoryRules', options, { language: 'optional', toolNames: 'optional' });
  const { language = 'en', toolNames = {} } = options;
  check('language', language, language === 'en' || language === 'zh', '"en" or "zh"');
  checkToolNames(toolNames);
  const { list = 'ls' } = toolNames;
  return cacheDirectoryTexts[language].rules(list);
}
