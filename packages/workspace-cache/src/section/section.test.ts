import { expect, test } from 'vitest';
import type { TreeMetadata } from '../data.ts';
import { renderSection } from './section.ts';

const metadata: TreeMetadata = {
  cachedAt: '2026-01-02T03:04:05.678Z',
  size: 5,
  depth: 2,
  entries: 1,
  truncated: false,
  excluded: 0,
  hiddenSecrets: 0,
  estimatedTokens: 2,
  buildTimeMs: 1,
};

test.each([
  ['en', '- The overview is not complete: a part of the workspace was not scanned'],
  ['zh', '- 目录结构概览不完整：部分目录未扫描'],
] as const)('a tree that is not complete has a note (%s)', (language, line) => {
  const style = { language, toolNames: {}, showTime: false };
  const content = { tree: '└── a', levels: 1, dynamic: {} };
  const lines = (error?: string): string[] =>
    renderSection({ ...content, metadata: { ...metadata, ...(error && { error }) } }, style).split('\n');
  expect(lines('the scan took too long')).toContain(line);
  expect(lines()).not.toContain(line);
});
