import { beforeAll, describe, expect, test } from 'vitest';
import { readme, withTables } from './simulation/readme.ts';
import { compareAll, reportOf } from './simulation/table.ts';
import type { Comparison } from './simulation/table.ts';

let comparisons: readonly Comparison[] = [];
// Contents and listings are kept on Linux alone.
describe.skipIf(process.platform !== 'linux')('the simulated run of seven agents', () => {
  beforeAll(async () => {
    comparisons = await compareAll();
  }, 300_000);

  test('makes one scan and one tree for all agents', () => {
    for (const { without, cached } of comparisons) {
      expect([without.scans, without.summaries]).toEqual([0, 0]);
      expect(cached.map(({ scans, summaries }) => [scans, summaries])).toEqual([
        [1, 1],
        [1, 1],
      ]);
    }
  });

  test('lists 20 directories or more without the cache, and with it only what the tree does not show', () => {
    for (const { project, without, cached } of comparisons) {
      expect(without.listings).toBeGreaterThanOrEqual(20);
      // The limit of 10,000 characters cuts one level of the largest tree.
      const isCut = project.kind === 'mixed' && project.size === 'large';
      expect(cached[1]?.listings, `${project.kind}, ${project.size}`).toBe(isCut ? 2 : 1);
      expect(cached[0]?.listings, `${project.kind}, ${project.size}`).toBeLessThanOrEqual(2);
    }
  });

  test('no project loses tokens with the default options, with a prompt cache or without', () => {
    const saved = comparisons.map(({ project, without, cached: [own] }) => ({
      name: `${project.kind}, ${project.size}`,
      isSaved: own !== undefined && own.tokens < without.tokens,
      isSavedWithPromptCache: own !== undefined && own.tokensWithPromptCache < without.tokensWithPromptCache,
    }));
    expect(saved.filter(({ isSaved, isSavedWithPromptCache }) => !isSaved || !isSavedWithPromptCache)).toEqual([]);
  });

  test('reads each file from the disk once', () => {
    for (const { project, cached } of comparisons) {
      const files = new Set([...project.coreFiles, ...project.detailFiles]);
      expect(cached.map(({ reads }) => reads)).toEqual([files.size, files.size]);
    }
  });

  test('has the figures that the README shows; `npm run simulate -- --write` updates them', () => {
    expect(readme.text).toBe(withTables(readme.text, reportOf(comparisons)));
  });
});
