import type { Language } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import { statisticsOf, type RunCounts, type StatisticsOptions } from './statistics.ts';

/** One listing may be chance. */
const MIN_LISTINGS = 2;
/** A file that each of several agents reads. */
const MIN_READS = 3;
const MAX_NAMED = 3;

/** The number of names in a relative path. The root has none. */
function levelOf(path: string): number {
  return path.split('/').filter((name) => name !== '').length;
}

/** The first paths as JSON, so that no name forges a line or turns its text. */
function named(paths: readonly string[]): string {
  return escapeControls(JSON.stringify(paths.slice(0, MAX_NAMED)));
}

interface Advice {
  readonly en: string;
  readonly zh: string;
}

/** Advice on the options of the next run: what was counted, then what to set. Empty when nothing stands out. */
export function adviceOf(counts: RunCounts, options: StatisticsOptions = {}): Advice[] {
  const { metadata, listedDirectories, readCounts, sections } = counts;
  const isLoss = sections > 0 && statisticsOf(counts, options).savedTokens.estimated < 0;
  // The children of a directory of level n have level n + 1.
  const below = listedDirectories.filter((path) => levelOf(path) >= metadata.depth);
  const shown = listedDirectories.filter((path) => levelOf(path) < metadata.depth);
  const hot = [...readCounts].filter(([, reads]) => reads >= MIN_READS).toSorted(([, left], [, right]) => right - left);
  const advice: Advice[] = [];
  // A larger section would cost even more.
  if (metadata.truncated && !isLoss) {
    advice.push({
      en: `the tree is cut at its limit; raise maxCharacters or maxTokens, or lower depth (${metadata.depth})`,
      zh: `目录树因超出限制而被截断；请增大 maxCharacters 或 maxTokens，或减小 depth（${metadata.depth}）`,
    });
  }
  if (below.length >= MIN_LISTINGS) {
    const depth = `depth: ${Math.max(...below.map(levelOf)) + 1}`;
    const settings = [...(isLoss || metadata.truncated ? [] : [depth]), `focus: ${named(below)}`];
    advice.push({
      en: `agents listed ${below.length} directories below the tree; set ${settings.join(', or ')}`,
      zh: `agent 列出了目录树深度以外的 ${below.length} 个目录；请设置 ${settings.join('，或 ')}`,
    });
  }
  if (!metadata.truncated && shown.length >= MIN_LISTINGS) {
    advice.push({
      en: `agents listed ${shown.length} directories that the tree shows; put the section into the prompt of every agent`,
      zh: `agent 列出了目录树中已有的 ${shown.length} 个目录；请将缓存内容放入每个 agent 的提示词`,
    });
  }
  if (hot.length > 0) {
    const paths = named(hot.map(([path]) => path));
    advice.push({
      en: `${hot.length === 1 ? '1 file was' : `${hot.length} files were`} read ${MIN_READS} times or more: ${paths}; set coreFiles: true, or call content.preload()`,
      zh: `${hot.length} 个文件被读取 ${MIN_READS} 次以上：${paths}；请设置 coreFiles: true，或调用 content.preload()`,
    });
  }
  // No option shortens the note that there is no tree.
  if (isLoss && metadata.size > 0) {
    advice.push({
      en: 'the section costs more tokens than it saves; lower depth or maxTokens; `indent` is the shortest form',
      zh: '缓存内容消耗的 token 多于节省的 token；请减小 depth 或 maxTokens；`indent` 是最短的格式',
    });
  }
  return advice;
}

interface ReportOptions extends StatisticsOptions {
  readonly language: Language;
}

/**
 * Writes the statistics of a run for people, then advice on its options. The title and the lines on the tree, the depth and
 * the saved calls are from the source document.
 */
export function reportOf(counts: RunCounts, { language, requests }: ReportOptions): string {
  const { metadata } = counts;
  const { totalScans, cacheHits, cacheMisses, listings, reads, ...rest } = statisticsOf(counts, { requests, language });
  const { savedCalls, savedTokens, unassigned } = rest;
  const calls = cacheHits + cacheMisses;
  const [listed, read] = [listings, reads].map(({ hits, misses }) => `${hits}/${hits + misses}`);
  const lines = {
    en: [
      '✓ Workspace cache stats:',
      `Directory tree: ${metadata.size} chars`,
      `Max depth: ${metadata.depth}`,
      `Scans: ${totalScans}`,
      `Cache hits: ${cacheHits}/${calls} (listings ${listed}, reads ${read})`,
      ...(unassigned > 0 ? [`Calls of no known run: ${unassigned} (pass run to createWorkspace)`] : []),
      `Estimated saved calls: ~${savedCalls.estimated} = ${savedCalls.formula}`,
      `Estimated saved tokens: ~${savedTokens.estimated} = ${savedTokens.formula}`,
      ...adviceOf(counts, { requests }).map(({ en }) => `Advice: ${en}`),
    ],
    zh: [
      '✓ Workspace 缓存统计：',
      `目录树：${metadata.size} 字符`,
      `最大深度：${metadata.depth}`,
      `扫描次数：${totalScans}`,
      `缓存命中：${cacheHits}/${calls}（目录列表 ${listed}，文件读取 ${read}）`,
      ...(unassigned > 0 ? [`不属于任何 run 的调用：${unassigned}（请向 createWorkspace 传入 run）`] : []),
      `估算节省的调用：~${savedCalls.estimated} = ${savedCalls.formula}`,
      `估算节省的 token：~${savedTokens.estimated} = ${savedTokens.formula}`,
      ...adviceOf(counts, { requests }).map(({ zh }) => `建议：${zh}`),
    ],
  }[language];
  return lines.map((line, index) => (index === 0 ? line : `  - ${line}`)).join('\n');
}
