import { describe, expect, it } from 'vitest';
import { createTree, symlink } from '../support/tree.ts';
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
      const { entries, totalBytes, contentIndex, ...counts } = fsScanCacheStats();
      const [{ root, ageMs, bytes, ...entry }] = entries;
      report({ found, counts, contentIndex, entry, sameRoot: root === path, plausible: ageMs >= 0 && bytes > 0 && bytes === totalBytes });`;
    expect(withTree({}, code)).toEqual({
      found: [1, 1, 1],
      counts: { hits: 2, misses: 1, validations: 0, rescans: 0, invalidations: 0, evictions: 0, joins: 0 },
      contentIndex: { files: 0, indexed: 0, bytes: 0, building: false, watches: 0, offReason: 'notUsed' },
      entry: {
        hidden: false,
        gitignore: true,
        skipNodeModules: true,
        recordExcluded: false,
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

  it('walks once for concurrent identical calls', () => {
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

  it('answers the searches from the scan of a tree, with any options that it covers', () => {
    const code = `
      const { generation } = await treeSummary({ path, cache: true, exclude: ['node_modules'] });
      const found = [
        (await glob({ pattern: '**', path, cache: true })).matches.map((match) => match.path),
        (await glob({ pattern: '**', path, cache: true, hidden: true })).totalMatches,
        (await fuzzyFind({ query: 'a', path, cache: true })).totalMatches,
        (await grep({ pattern: 'x', path, cache: true })).filesWithMatches,
        (await treeSummary({ path, cache: true, exclude: ['node_modules'], hidden: true })).totalEntries,
      ];
      const { hits, misses, validations, rescans } = fsScanCacheStats();
      const again = await treeSummary({ path, cache: true, exclude: ['node_modules'] });
      invalidateFsScanCache(path + '/src/a');
      const unchanged = await treeSummary({ path, cache: true, exclude: ['node_modules'] });
      writeFileSync(path + '/src/c', '');
      invalidateFsScanCache(path + '/src/c');
      const changed = await treeSummary({ path, cache: true, exclude: ['node_modules'] });
      const same = [again, unchanged].every((summary) => summary.generation === generation);
      report({ found, counts: { hits, misses, validations, rescans }, same, rises: changed.generation > generation });`;
    const tree = {
      '.gitignore': 'ignored\n',
      ignored: '',
      node_modules: { a: 'x' },
      '.hidden': { a: 'x' },
      src: { a: 'x', b: '' },
    };
    expect(withTree({ '.git': {}, ...tree }, code)).toEqual({
      found: [['src', 'src/a', 'src/b'], 6, 1, 2, 6],
      counts: { hits: 5, misses: 1, validations: 0, rescans: 0 },
      same: true,
      rises: true,
    });
  });

  it.each([
    ['a glob', "glob({ pattern: '**', path, cache: true })"],
    ['a glob with hidden names', "glob({ pattern: '**', path, cache: true, hidden: true })"],
    ['a tree', 'treeSummary({ path, cache: true })'],
    ['a grep', "grep({ pattern: 'x', path, cache: true })"],
  ])('does not answer from a scan that decided otherwise about links: after %s', (_reason, before) => {
    // The rules hide `F` as a link, and show it as the directory that it leads to.
    const code = `
      await ${before};
      const find = async (cache) => (await fuzzyFind({ query: '', path, cache })).matches.map((match) => match.path);
      report({ cached: await find(true), uncached: await find(false) });`;
    const found = ['F/', 'a/'];
    const tree = { '.ignore': '*\n!*/\n', a: { b: '' }, F: symlink('a') };
    expect(withTree(tree, code)).toEqual({ cached: found, uncached: found });
  });

  it('keeps no more than it may', () => {
    const code = `
      for (const hidden of [false, true]) for (const gitignore of [true, false])
        await glob({ pattern: '*', path, cache: true, hidden, gitignore });
      const { entries, evictions } = fsScanCacheStats();
      report([entries.length, evictions]);`;
    expect(withTree({ a: '' }, code, { ...lasting, FS_SCAN_CACHE_MAX_ENTRIES: '3' })).toEqual([3, 1]);
    expect(withTree({ a: '' }, code, { ...lasting, FS_SCAN_CACHE_MAX_BYTES: '1' })).toEqual([0, 4]);
  });

  it.each([
    ['glob', "glob({ pattern: 'new*', path, cache: true })"],
    ['glob', "glob({ pattern: ['new*', '!*.x'], path, cache: true })"],
    ['fuzzyFind', "fuzzyFind({ query: 'new', path, cache: true })"],
    ['fuzzyFind', "fuzzyFind({ query: 'new', path, cache: true, fileType: FileType.File })"],
    ['fuzzyFind', "fuzzyFind({ query: '^new', path, cache: true, syntax: 'fzf' })"],
    ['grep', "grep({ pattern: 'x', path, glob: 'new*', cache: true })"],
    ['grep', "grep({ pattern: 'x', path, glob: ['*', '!old'], cache: true })"],
    ['grepStream', "natives.grepStream({ pattern: 'x', path, glob: 'new*', cache: true }, () => {})"],
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
    // The first search makes its own scan. The second and the fourth find nothing in a cached one, and the third in one that
    // was compared with the disk only where a change was announced.
    expect(withTree({ old: '' }, code, { ...lasting, FS_SCAN_EMPTY_RECHECK_MS: '0' })).toEqual([[0, 1, 0, 0], 3]);
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

describe('a change outside the root', () => {
  /** An answer from the cache before a change, right after it, and after it expired or was announced; and one without cache. */
  const sequence = (changed: string, content: string): string => `
    const { mkdirSync } = await import('node:fs');
    const { dirname } = await import('node:path');
    const root = path + '/repository/sub';
    const ask = async (cache) => (await glob({ pattern: '*', path: root, cache })).matches.map((match) => match.path).join();
    const waitUntil = async (done) => { while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5)); };
    const before = await ask(true);
    mkdirSync(dirname(path + ${JSON.stringify(changed)}), { recursive: true });
    writeFileSync(path + ${JSON.stringify(changed)}, ${JSON.stringify(content)});`;

  const changes: readonly { reason: string; changed: string; content: string; gitConfig?: string }[] = [
    { reason: 'the default excludes file', changed: '/xdg/git/ignore', content: 'x', gitConfig: '[user]\nname=x' },
    { reason: 'the excludes file that is named', changed: '/named', content: '' },
    { reason: '.gitconfig', changed: '/home/.gitconfig', content: '[core]\nexcludesFile=/none' },
    { reason: 'the configuration below XDG_CONFIG_HOME', changed: '/xdg/git/config', content: '[core]\nignoreCase' },
    { reason: 'an included file', changed: '/home/included', content: '[core]\nignoreCase=on' },
    {
      reason: 'the configuration of the repository above',
      changed: '/repository/.git/config',
      content: '[core]\nignoreCase',
    },
    { reason: 'the private excludes of the repository above', changed: '/repository/.git/info/exclude', content: 'x' },
  ];

  const defaultGitConfig = '[core]\nexcludesFile=~/../named\n[include]\npath=included';

  const tree = {
    named: 'y\n',
    repository: { '.git': { HEAD: 'ref: refs/heads/main\n' }, sub: { x: '', y: '', Y: '', z: '' } },
  };

  const withHome = (code: string, ttlMs: string, gitConfig: string = defaultGitConfig): unknown => {
    const path = createTree({ ...tree, home: { '.gitconfig': gitConfig } });
    const env = { HOME: `${path}/home`, XDG_CONFIG_HOME: `${path}/xdg`, GIT_CONFIG_NOSYSTEM: '1' };
    const imports = `import { writeFileSync } from 'node:fs'; const path = ${JSON.stringify(path)};`;
    return runNode(`${imports} ${code}`, { ...lasting, FS_SCAN_CACHE_TTL_MS: ttlMs, ...env });
  };

  it.each(changes)('is noticed when it is announced: $reason', ({ changed, content, gitConfig }) => {
    const code = `${sequence(changed, content)}
      const stale = await ask(true);
      invalidateFsScanCache(path + ${JSON.stringify(changed)});
      const cached = await ask(true);
      report({ stale: stale === before, changed: cached !== before, right: cached === (await ask(false)) });`;
    expect(withHome(code, '3600000', gitConfig)).toEqual({ stale: true, changed: true, right: true });
  });

  it.each(changes)('is noticed when the scan has expired: $reason', ({ changed, content, gitConfig }) => {
    const code = `${sequence(changed, content)}
      await waitUntil(() => fsScanCacheStats().entries.every(({ ageMs }) => ageMs > 1));
      const cached = await ask(true);
      report({ changed: cached !== before, right: cached === (await ask(false)) });`;
    expect(withHome(code, '1', gitConfig)).toEqual({ changed: true, right: true });
  });

  it.each([
    'sub/',
    './sub',
    'repository//sub',
    'repository/sub/.',
    'repository/sub/..',
    'link/',
    'link/x/',
    'home/../link',
  ])('is noticed under the spelling %s', (spelling) => {
    const code = `
        const { symlinkSync } = await import('node:fs');
        symlinkSync('repository/sub', path + '/link');
        const spelling = ${JSON.stringify(spelling)};
        process.chdir(path + (/^(?:sub|\\.\\/sub)/u.test(spelling) ? '/repository' : ''));
        const root = path + '/repository/sub';
        await glob({ pattern: '*', path: root, cache: true });
        writeFileSync(root + '/new', '');
        invalidateFsScanCache(spelling);
        report((await glob({ pattern: 'new', path: root, cache: true })).totalMatches);`;
    expect(withHome(code, '3600000')).toBe(1);
  });

  it('is noticed when a link is replaced and announced with a slash at its end', () => {
    const code = `
      const { rmSync, symlinkSync } = await import('node:fs');
      const link = path + '/repository/link';
      symlinkSync('sub', link);
      const ask = async () => (await fuzzyFind({ query: 'link', path: path + '/repository', cache: true })).matches.length;
      const before = await ask();
      rmSync(link);
      symlinkSync('nowhere', link);
      writeFileSync(path + '/repository/link-2', '');
      invalidateFsScanCache(link + '/');
      report([before, await ask()]);`;
    expect(withHome(code, '3600000')).toEqual([1, 2]);
  });
});
