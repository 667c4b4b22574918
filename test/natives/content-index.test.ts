import { grep } from '@cairn/natives';
import { contentIndexPolicy } from '@cairn/natives/internal';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

/** Every tree is large enough, and a file may be indexed as soon as its clock has ticked. */
const eager = { FS_CONTENT_INDEX_MIN_FILES: '0', FS_CONTENT_INDEX_SETTLE_MS: '0' };

const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}.txt`, `needle${index} of hay\n`]));

/** Runs code with `ask`, a search from the cache, and `build`, which resolves when every file is indexed. */
function withTree(code: string, env: NodeJS.ProcessEnv = eager): unknown {
  return runNode(
    `
    import { writeFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    const path = ${JSON.stringify(createTree(files))};
    const ask = async (pattern, more) => {
      const { filesSearched, filesExcluded, freshness, matches } = await grep({ pattern, path, cache: true, ...more });
      return [filesSearched, filesExcluded, freshness, matches.map((match) => match.path).join()];
    };
    const index = () => fsScanCacheStats().contentIndex;
    const build = async () => {
      while (index().indexed < ${Object.keys(files).length} || index().building) {
        await ask('absent text');
        await setTimeout(5);
      }
    };
    ${code}`,
    env,
  );
}

describe.skipIf(!contentIndexPolicy(tmpdir()).keepsTimes)('an index of contents', () => {
  test('begins at the second search, and leaves out the files that it proves to have no match', () => {
    const code = `
      const first = [await ask('needle7'), index()];
      await build();
      const { bytes, ...counts } = index();
      const found = [await ask('needle7 '), await ask('absent text'), await ask('needle7 ', { watch: true }), await ask('.')];
      const part = await grep({ pattern: 'absent text', path, cache: true, glob: '1*' });
      const uncached = await grep({ pattern: 'absent text', path });
      report({ first, counts, hasBytes: bytes > 0, found: found.map(([searched, excluded, how, paths]) =>
        [searched, excluded, how?.replace('watched', 'validated'), paths.length > 9 ? 'all' : paths]),
        part: [part.filesSearched, part.filesExcluded], uncached: 'filesExcluded' in uncached || 'freshness' in uncached });`;
    const none = { files: 0, indexed: 0, bytes: 0, building: false, watches: 0, offReason: 'notUsed' };
    expect(withTree(code)).toEqual({
      first: [[50, null, null, '7.txt'], none],
      counts: expect.objectContaining({ files: 50, indexed: 50, building: false }) as unknown,
      hasBytes: true,
      found: [
        [50, 49, 'validated', '7.txt'],
        [50, 50, 'validated', ''],
        [50, 49, 'validated', '7.txt'],
        // A pattern without three fixed characters.
        [50, null, null, 'all'],
      ],
      part: [11, 11],
      uncached: false,
    });
  });

  test('finds what changed since, though no change was announced', () => {
    const code = `
      await build();
      writeFileSync(path + '/3.txt', 'a new needle\\n');
      const changed = await ask('new needle');
      writeFileSync(path + '/new.txt', 'a new needle\\n');
      report([changed, await ask('new needle')]);`;
    expect(withTree(code)).toEqual([
      [50, 49, 'validated', '3.txt'],
      [51, 49, 'validated', '3.txt,new.txt'],
    ]);
  });

  test.each([
    ['disabled', { ...eager, FS_CONTENT_INDEX_MAX_BYTES: '0' }],
    ['tooLarge', { ...eager, FS_CONTENT_INDEX_MAX_BYTES: '1' }],
    ['tooSmall', {}],
  ])('is off: %s', (reason, env) => {
    const code = `
      for (let asked = 0; asked < 2; asked++) await ask('needle');
      while (index().building) await setTimeout(5);
      report([await ask('needle7'), index().indexed, index().offReason]);`;
    expect(withTree(code, env)).toEqual([[50, null, null, '7.txt'], 0, reason]);
  });

  test('changes no answer, whatever the options, while files change', async () => {
    const child = join(import.meta.dirname, 'content-index-child.ts');
    const env = { ...process.env, ...eager };
    const { stdout } = await promisify(execFile)(process.execPath, [child, temporaryDirectory(), '300'], { env });
    const { runs, used, excluded } = JSON.parse(stdout) as Record<'runs' | 'used' | 'excluded', number>;
    expect(runs).toBe(300);
    // Otherwise it has tested nothing.
    expect(used).toBeGreaterThan(30);
    expect(excluded).toBeGreaterThan(100);
  });
});

test('watching needs the cache', async () => {
  const call = grep({ pattern: 'x', path: '.', watch: true });
  await expect(call).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'watch' });
});
