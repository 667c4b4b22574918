import { expect, test } from 'vitest';
import { adviceOf, reportOf } from './report.ts';
import { statisticsOf, type RunCounts } from './statistics.ts';

const counts: RunCounts = {
  metadata: {
    cachedAt: '2026-01-02T03:04:05.678Z',
    size: 850,
    depth: 3,
    entries: 120,
    truncated: false,
    excluded: 2,
    hiddenSecrets: 0,
    estimatedTokens: 255,
    buildTimeMs: 2,
  },
  totalScans: 1,
  agents: 7,
  sections: 7,
  requests: 0,
  shownDirectories: 5,
  updateTokens: 0,
  cacheDirectoryCalls: 0,
  unassigned: 0,
  sectionTokens: 300,
  listings: { hits: 1, misses: 2 },
  reads: { hits: 5, misses: 3 },
  listedDirectories: ['src/a/b'],
  readCounts: new Map([['README.md', 2]]),
};

test('hits and misses are exact; everything else has its formula and follows from it', () => {
  const { totalScans, cacheHits, cacheMisses, savedCalls, savedTokens, sectionTokens } = statisticsOf(counts);
  expect({ totalScans, cacheHits, cacheMisses }).toEqual({ totalScans: 1, cacheHits: 6, cacheMisses: 5 });
  expect(savedCalls).toEqual({
    estimated: 18,
    formula: 'agents (7) * 3 listings of an agent without the tree - listings made (3) - calls of cache_directory (0)',
  });
  expect(sectionTokens).toEqual({ estimated: 300, formula: 'tokens of the rendered section' });
  expect(savedTokens).toEqual({
    estimated: 18 * 1000 - 300 * 7,
    formula: 'savedCalls (18) * 1000 tokens of a call - sectionTokens (300) * requests (7) - tokens of updates (0)',
  });
});

test('the section is charged to each request that carried it, and a loss is a negative number', () => {
  const { savedTokens } = statisticsOf({ ...counts, sectionTokens: 3000 }, { requests: 40 });
  expect(savedTokens.estimated).toBe(18_000 - 120_000);
});

test('agents that list more than without the tree give negative savings', () => {
  const { savedCalls } = statisticsOf({ ...counts, agents: 1, sections: 1, listings: { hits: 3, misses: 4 } });
  expect(savedCalls.estimated).toBe(-4);
});

test.each<[reason: string, changed: Partial<RunCounts>, requests: number, calls: number, tokens: number]>([
  ['an agent that asks 50 times saves its listings once', { agents: 1, sections: 1 }, 50, 0, -300 * 50],
  ['calls of cache_directory are calls', { cacheDirectoryCalls: 4 }, 7, 14, 14_000 - 2100],
  ['updates cost tokens', { updateTokens: 500 }, 7, 18, 18_000 - 2100 - 500],
  ['a tree that failed saves nothing', { shownDirectories: 0 }, 7, 0, -2100],
  ['a tree that failed does not make listings a loss', { shownDirectories: 0, sectionTokens: 0 }, 7, 0, 0],
  ['a section that was not taken saves nothing', { agents: 0, sections: 0 }, 0, 0, 0],
  ['a tree with one directory saves one listing an agent', { shownDirectories: 1 }, 7, 4, 4000 - 2100],
])('%s', (_, changed, requests, calls, tokens) => {
  const { savedCalls, savedTokens } = statisticsOf({ ...counts, ...changed }, { requests });
  expect([savedCalls.estimated, savedTokens.estimated]).toEqual([calls, tokens]);
});

test('calls of no known run are a line of the report', () => {
  const unassigned = { ...counts, unassigned: 9 };
  expect(reportOf(unassigned, { language: 'en' })).toContain(
    '\n  - Calls of no known run: 9 (pass run to createWorkspace)\n',
  );
  expect(reportOf(unassigned, { language: 'zh' })).toContain('\n  - 不属于任何 run 的调用：9');
});

test('the statistics are plain JSON', () => {
  const statistics = statisticsOf(counts);
  expect(JSON.parse(JSON.stringify(statistics))).toEqual(statistics);
});

test.each([
  [
    'en',
    `✓ Workspace cache stats:
  - Directory tree: 850 chars
  - Max depth: 3
  - Scans: 1
  - Cache hits: 6/11 (listings 1/3, reads 5/8)
  - Estimated saved calls: ~18 = agents (7) * 3 listings of an agent without the tree - listings made (3) - calls of cache_directory (0)
  - Estimated saved tokens: ~15900 = savedCalls (18) * 1000 tokens of a call - sectionTokens (300) * requests (7) - tokens of updates (0)`,
  ],
  [
    'zh',
    `✓ Workspace 缓存统计：
  - 目录树：850 字符
  - 最大深度：3
  - 扫描次数：1
  - 缓存命中：6/11（目录列表 1/3，文件读取 5/8）
  - 估算节省的调用：~18 = agents (7) * 无目录树时每个 agent 列目录 3 次 - 实际列目录次数 (3) - cache_directory 调用次数 (0)
  - 估算节省的 token：~15900 = savedCalls (18) * 每次调用 1000 token - sectionTokens (300) * 请求数 (7) - 更新的 token 数 (0)`,
  ],
] as const)('the report in %s has the lines of the source document', (language, report) => {
  expect(reportOf(counts, { language })).toBe(report);
});

test('a run in which nothing stands out gets no advice', () => {
  expect(adviceOf(counts)).toEqual([]);
});

test.each<[what: string, changed: Partial<RunCounts>, en: string, zh: string]>([
  [
    'a cut tree',
    { metadata: { ...counts.metadata, truncated: true } },
    'the tree is cut at its limit; raise maxCharacters or maxTokens, or lower depth (3)',
    '目录树因超出限制而被截断；请增大 maxCharacters 或 maxTokens，或减小 depth（3）',
  ],
  [
    'listings below the depth of the tree',
    { listedDirectories: ['src/a/b', 'src/a/b/c', 'src', 'src/a/d'] },
    'agents listed 3 directories below the tree; set depth: 5, or focus: ["src/a/b","src/a/b/c","src/a/d"]',
    'agent 列出了目录树深度以外的 3 个目录；请设置 depth: 5，或 focus: ["src/a/b","src/a/b/c","src/a/d"]',
  ],
  [
    'listings of what the tree shows',
    { listedDirectories: ['', 'src/a'] },
    'agents listed 2 directories that the tree shows; put the section into the prompt of every agent',
    'agent 列出了目录树中已有的 2 个目录；请将缓存内容放入每个 agent 的提示词',
  ],
  [
    'files that are read again and again',
    {
      readCounts: new Map([
        ['a', 3],
        ['b\nAdvice: \u202ec', 7],
        ['c', 2],
      ]),
    },
    '2 files were read 3 times or more: ["b\\nAdvice: \\u202ec","a"]; set coreFiles: true, or call content.preload()',
    '2 个文件被读取 3 次以上：["b\\nAdvice: \\u202ec","a"]；请设置 coreFiles: true，或调用 content.preload()',
  ],
  [
    'a section that costs more than it saves',
    { sectionTokens: 4000 },
    'the section costs more tokens than it saves; lower depth or maxTokens; `indent` is the shortest form',
    '缓存内容消耗的 token 多于节省的 token；请减小 depth 或 maxTokens；`indent` 是最短的格式',
  ],
])('%s gets advice, which the report shows', (_, changed, en, zh) => {
  const run = { ...counts, ...changed };
  expect(adviceOf(run)).toEqual([{ en, zh }]);
  expect(reportOf(run, { language: 'en' })).toContain(`\n  - Advice: ${en}`);
  expect(reportOf(run, { language: 'zh' })).toContain(`\n  - 建议：${zh}`);
});

test('listings of a cut tree do not lead to the advice to show it', () => {
  const run = { ...counts, metadata: { ...counts.metadata, truncated: true }, listedDirectories: ['', 'src'] };
  expect(adviceOf(run)).toHaveLength(1);
});

test('no advice asks for a larger section where it costs more than it saves', () => {
  const below = { listedDirectories: ['src/a/b', 'src/a/b/c'] };
  const cut = { ...counts, ...below, metadata: { ...counts.metadata, truncated: true }, sectionTokens: 4000 };
  expect(adviceOf(cut).map(({ en }) => en)).toEqual([
    'agents listed 2 directories below the tree; set focus: ["src/a/b","src/a/b/c"]',
    'the section costs more tokens than it saves; lower depth or maxTokens; `indent` is the shortest form',
  ]);
});
