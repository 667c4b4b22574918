import { describe, expect, it } from 'vitest';
import { createTree } from '../support/tree.ts';
import { runNode } from '../support/run-node.ts';

/** A cache that nothing leaves by itself, so that only what a test does shows. */
const lasting = { FS_SCAN_CACHE_TTL_MS: '3600000', FS_SCAN_EMPTY_RECHECK_MS: '3600000' };

function withTree(tree: Parameters<typeof createTree>[0], code: string, env: NodeJS.ProcessEnv = lasting): unknown {
  const path = createTree(tree);
  return runNode(`import { writeFileSync, rmSync } from 'node:fs'; const path = ${JSON.stringify(path)}; ${code}`, env);
}

describe('the scan cache', () => {
  it('serves the same scan to calls with the same policy, and tells what it did', () => {
    const code = `
      const found = [];
      for (const name of ['a', 'b', 'c']) {
        writeFileSync(path + '/' + name, '');
        found.push((await glob({ pattern: '*', path, cache: true })).totalMatches);
      }
      const { entries, totalBytes, ...counts } = fsScanCacheStats();
      const [{ root, ageMs, bytes, ...entry }] = entries;
      report({ found, counts, entry, sameRoot: root === path, plausible: ageMs >= 0 && bytes > 0 && bytes === totalBytes });`;
    expect(withTree({}, code)).toEqual({
      found: [1, 1, 1],
      counts: { hits: 2, misses: 1, validations: 0, rescans: 0, invalidations: 0, evictions: 0, joins: 0 },
      entry: {
        hidden: false,
        gitignore: true,
        skipNodeModules: true,
        followLinks: false,
        detail: 'minimal',
        entries: 1,
        complete: true,
      },
      sameRoot: true,
      plausible: true,
    });
  });

  it('is shared by glob and grep, under one root however it is spelled', () => {
    const code = `
      await glob({ pattern: '*', path, hidden: true, cache: true });
      process.chdir(path);
      await grep({ pattern: 'x', path: 'sub/..', cache: true });
      await glob({ pattern: '*', path: '.', hidden: true, cache: true });
      const { hits, misses } = fsScanCacheStats();
      report({ hits, misses });`;
    expect(withTree({ 'sub/a': 'x' }, code)).toEqual({ hits: 2, misses: 1 });
  });

  it('is not filled by calls without cache, and forgets what they scan again', () => {
    const code = `
      await glob({ pattern: '*', path });
      await fuzzyFind({ query: 'a', path });
      await grep({ pattern: 'x', path });
      const before = fsScanCacheStats().entries.length;
      await glob({ pattern: '*', path, cache: true });
      await glob({ pattern: '*', path });
      report([before, fsScanCacheStats().entries.length]);`;
    expect(withTree({ a: '' }, code)).toEqual([0, 0]);
  });

  it('walks once for identical calls at the same time', () => {
    const code = `
      await Promise.all(Array.from({ length: 30 }, () => glob({ pattern: '*', path, cache: true })));
      const { hits, misses, joins } = fsScanCacheStats();
      report([misses, hits + joins]);`;
    expect(withTree({ a: '' }, code)).toEqual([1, 29]);
  });

  it('is bypassed with a time to live of zero', () => {
    const code = `
      const found = [];
      for (const name of ['a', 'b']) {
        writeFileSync(path + '/' + name, '');
        found.push((await glob({ pattern: '*', path, cache: true })).totalMatches);
      }
      report([found, fsScanCacheStats().entries.length]);`;
    expect(withTree({}, code, { FS_SCAN_CACHE_TTL_MS: '0' })).toEqual([[1, 2], 0]);
  });

  it('keeps no more than it may', () => {
    const code = `
      for (const hidden of [true, false]) for (const gitignore of [true, false])
        await glob({ pattern: '*', path, cache: true, hidden, gitignore });
      const { entries, evictions } = fsScanCacheStats();
      report([entries.length, evictions]);`;
    expect(withTree({ a: '' }, code, { ...lasting, FS_SCAN_CACHE_MAX_ENTRIES: '3' })).toEqual([3, 1]);
    expect(withTree({ a: '' }, code, { ...lasting, FS_SCAN_CACHE_MAX_BYTES: '1' })).toEqual([0, 4]);
  });

  it.each([
    ['glob', "glob({ pattern: 'new*', path, cache: true })"],
    ['fuzzyFind', "fuzzyFind({ query: 'new', path, cache: true })"],
    ['grep', "grep({ pattern: 'x', path, glob: 'new*', cache: true })"],
  ])('rescans once when %s finds nothing in a scan that is not fresh', (_, call) => {
    const code = `
      const search = () => ${call};
      const found = [(await search()).totalMatches];
      writeFileSync(path + '/new', 'x');
      found.push((await search()).totalMatches);
      rmSync(path + '/new');
      invalidateFsScanCache(path + '/new');
      found.push((await search()).totalMatches, (await search()).totalMatches);
      report([found, fsScanCacheStats().rescans]);`;
    // The second and the fourth search find nothing in a cached scan; the first and the third make their own.
    expect(withTree({ old: '' }, code, { ...lasting, FS_SCAN_EMPTY_RECHECK_MS: '0' })).toEqual([[0, 1, 0, 0], 2]);
    expect(withTree({ old: '' }, code)).toEqual([[0, 0, 0, 0], 0]);
  });

  it('does not rescan for an empty query on an empty tree', () => {
    const code = `
      await fuzzyFind({ query: '', path, cache: true });
      await fuzzyFind({ query: '', path, cache: true });
      report(fsScanCacheStats().rescans);`;
    expect(withTree({}, code, { ...lasting, FS_SCAN_EMPTY_RECHECK_MS: '0' })).toBe(0);
  });

  it('shows a change after an invalidation, by any spelling of the path, existing or not', () => {
    const code = `
      const count = async () => (await glob({ pattern: '**', path, cache: true })).totalMatches;
      const found = [await count()];
      process.chdir(path);
      const changes = [
        ['a', () => invalidateFsScanCache(path + '/a')],
        ['b', () => invalidateFsScanCache('b')],
        ['c', () => invalidateFsScanCache('sub/../c')],
        ['d', () => invalidateFsScanCache('not/there/yet')],
        ['e', () => invalidateFsScanCache()],
        ['f', () => invalidateFsScanCache(path)],
        ['g', () => invalidateFsScanCache(42)],
        ['h', () => invalidateFsScanCache(path + '-beside')],
      ];
      for (const [name, invalidate] of changes) {
        writeFileSync(name, '');
        invalidate();
        found.push(await count());
      }
      report(found);`;
    expect(withTree({ sub: {} }, code)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8]);
  });

  it('says that a tree over the budget is not whole', () => {
    const code = `
      const results = [
        await glob({ pattern: '**', path }),
        await fuzzyFind({ query: 'f', path }),
        await grep({ pattern: 'x', path }),
      ];
      report(results.map(({ complete, stopReason }) => [complete, stopReason]));`;
    const tree = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, '']));
    expect(withTree(tree, code, { FS_SCAN_MAX_ENTRIES: '5' })).toEqual([
      [false, 'budget'],
      [false, 'budget'],
      [false, 'budget'],
    ]);
  });
});
