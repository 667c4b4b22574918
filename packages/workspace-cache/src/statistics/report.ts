import type { Language } from '@cairn/tool/kernel';
import { adviceOf } from './advice.ts';
import { statisticsOf, type RunCounts, type StatisticsOptions } from './statistics.ts';

export interface ReportOptions extends StatisticsOptions {
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
