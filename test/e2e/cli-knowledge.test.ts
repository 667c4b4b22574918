/** The commands on knowledge, as a person types them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKnowledge } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createToolSession } from '@cairn/tool';
import { cairn as inHost, cairnProcess } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { newcomer } from './newcomer.ts';

const head = ['--type', 'pitfall', '--title', 'Redis failover', '--area', 'exchange/infra'];

/** Returns a person with one asset. */
async function withAsset() {
  const cairn = newcomer();
  const added = await cairn(['knowledge', 'add', '--name', 'redis', ...head], '主从切换需要 30 秒。\n');
  expect(added).toMatchObject({ exitCode: 0, stdout: 'exchange/infra/redis\n' });
  return cairn;
}

test('without knowledge every command that reads names the one that adds', async () => {
  const cairn = newcomer();
  for (const args of [['list'], ['index'], ['gaps'], ['stats'], ['show', 'x']]) {
    const { exitCode, stdout, stderr } = await cairn(['knowledge', ...args]);
    expect({ exitCode, stdout }, args[0]).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^cairn: there is no knowledge in .*; 'cairn knowledge add' creates it\n$/u);
  }
});

test('a Markdown file becomes an asset by its name, its heading and options', async () => {
  const cairn = newcomer();
  const file = join(cairn.home, '撮合引擎-延迟.md');
  writeFileSync(file, '# 撮合引擎延迟优化 #\n\n避免 GC。\n');
  const added = await cairn([
    'knowledge',
    'add',
    file,
    '--type',
    'pitfall',
    '--tag',
    'gc,latency',
    '--path',
    '**/*.java',
  ]);
  expect(added).toMatchObject({ exitCode: 0, stdout: 'general/撮合引擎-延迟\n' });
  const shown = await cairn(['knowledge', 'show', '撮合引擎-延迟']);
  expect(shown).toEqual({
    exitCode: 0,
    signal: null,
    stdout:
      '---\nname: 撮合引擎-延迟\ntype: pitfall\nproduct_line: general\ntitle: 撮合引擎延迟优化\ntags: [gc, latency]\npaths: ["**/*.java"]\n---\n\n# 撮合引擎延迟优化 #\n\n避免 GC。\n',
    stderr: '',
  });
  const found = await cairn(['knowledge', 'search', '避免']);
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  expect(found.stdout).toMatch(/^general\/撮合引擎-延迟 {2}pitfall/u);
});

test('what cannot be added is rejected with its place, and nothing is stored', async () => {
  const cairn = await withAsset();
  const cases: readonly (readonly [args: readonly string[], input: string, message: RegExp])[] = [
    [['--name', '../../x', ...head], 'x', /^cairn: Invalid asset name "\.\.\/\.\.\/x": it has "\.\."/u],
    [['--name', '$(rm)', ...head], 'x', /^cairn: Invalid asset name "\$\(rm\)"/u],
    [
      ['--name', 'a', ...head],
      'one\npassword: Zx9kQp2mVt4L',
      /^cairn: The text seems to have a secret \(line 9, column 11: /u,
    ],
    [['--name', 'a', ...head], 'a\0b', /^cairn: Invalid asset, line 8: it is binary/u],
    [['--name', 'a', ...head], 'x '.repeat(2 ** 20), /^cairn: The asset has \d+ bytes, more than 1048576/u],
    [
      ['--name', 'redis', ...head],
      'Something else about networks.',
      /^cairn: The asset "exchange\/infra\/redis" exists/u,
    ],
    [
      ['--name', 'b', ...head, '--new'],
      '主从切换需要  30 秒。',
      /^cairn: Another asset has exactly this text: exchange\/infra\/redis/u,
    ],
    [['--type', 'adr'], 'x', /^cairn: --title is missing; add it, as in: cairn knowledge add --title /u],
    [[], ' \n', /^cairn: --title and the text are missing; add them, as in: cairn knowledge add --title /u],
    [[], '---\nname: a\ntitle: b: c\n---\nx', /^cairn: Invalid asset, line 3: invalid YAML/u],
    [['--name', 'a', '--type', 'recipe'], 'x', /^cairn: invalid --type "recipe"; use note, pitfall, /u],
  ];
  for (const [args, input, message] of cases) {
    const { exitCode, stdout, stderr } = await cairn(['knowledge', 'add', ...args], input);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  }
  expect((await cairn(['knowledge', 'list'])).stdout.split('\n')).toHaveLength(2);
});

test('similar assets are named before something is added twice', async () => {
  const cairn = await withAsset();
  const text = '主从切换需要 30 秒，客户端要重试。';
  const args = ['knowledge', 'add', '--name', 'redis-again', ...head];
  const refused = await cairn(args, text);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr.split('\n')).toEqual([
    'cairn: similar: exchange/infra/redis: Redis failover',
    'cairn: similar assets exist: exchange/infra/redis; nothing was added; use --update <asset> to change one of them, or --new to add it',
    '',
  ]);
  const equal = await cairn(args, '主从切换需要  30 秒。');
  expect(equal.stderr).toMatch(/^cairn: Another asset has exactly this text: exchange\/infra\/redis/u);
  const updated = await cairn(['knowledge', 'add', '--update', 'redis'], `${text}\n`);
  expect(updated).toMatchObject({ exitCode: 0, stdout: 'exchange/infra/redis\n' });
  expect((await cairn(['knowledge', 'show', 'redis'])).stdout).toContain(`title: Redis failover\n---\n\n${text}\n`);
  expect(await cairn([...args, '--new'], `${text} Again.`)).toMatchObject({ exitCode: 0 });
});

test('an asset is converted, renamed, reported and removed', async () => {
  const cairn = await withAsset();
  expect((await cairn(['knowledge', 'convert', 'redis', 'reference'])).exitCode).toBe(0);
  expect((await cairn(['knowledge', 'convert', 'redis', 'reference'])).exitCode).toBe(1);
  const renamed = await cairn(['knowledge', 'rename', 'exchange/infra/redis', 'valkey', '--area', 'infra']);
  expect(renamed).toMatchObject({ exitCode: 0, stdout: 'infra/valkey\n' });
  await cairn(['knowledge', 'report', 'valkey', 'wrong', '--note', 'the port changed']);
  const twice = await cairn(['knowledge', 'report', 'valkey', 'wrong']);
  expect(twice.stderr).toBe(
    "cairn: infra/valkey: 0 helpful, 2 wrong; it is marked for review: correct it, or run 'cairn knowledge verify infra/valkey'\n",
  );
  expect((await cairn(['knowledge', 'list'])).stdout).toBe(
    'infra/valkey  reference  Redis failover  (review)  (not shared)\n',
  );
  const stats = await cairn(['knowledge', 'stats', '--json']);
  expect(JSON.parse(stats.stdout)).toMatchObject({ assets: 1, unshared: 1, review: 1, types: { reference: 1 } });
  const unknown = await cairn(['knowledge', 'remove', 'valky']);
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('infra/valkey') });
  expect((await cairn(['knowledge', 'remove', 'valkey'])).stderr).toBe(
    'cairn: removed infra/valkey; the text is erased from the local store\n',
  );
  const directory = join(cairn.home, '.local/share/cairn/knowledge');
  for (const file of ['knowledge.db', 'AGENTS-INDEX.md']) {
    expect(readFileSync(join(directory, file), 'utf8'), file).not.toMatch(/Redis failover|主从/u);
  }
});

test('an old or reported asset is marked until a person confirms it', async () => {
  const cairn = newcomer();
  const directory = join(cairn.home, '.local/share/cairn/knowledge');
  const marks = async (): Promise<unknown> =>
    JSON.parse((await cairn(['knowledge', 'show', 'redis', '--json'])).stdout).marks;
  {
    const clock = (): number => Date.now() - 181 * 24 * 60 * 60 * 1000;
    await using past = createKnowledge({ directory, clock });
    await past.store.add({ text: '---\nname: redis # a comment\ntype: pitfall\ntitle: T\n---\nWait.\n' });
  }
  expect(await marks()).toEqual(['unverified']);
  const old = await cairn(['knowledge', 'show', 'redis']);
  expect(old.stderr).toContain("check it, then run 'cairn knowledge verify general/redis'");

  const day = (): string => new Date().toISOString().slice(0, 10);
  const before = day();
  const verified = await cairn(['knowledge', 'verify', 'redis', '--json']);
  expect(verified.exitCode).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ changed: true, marks: [], unshared: true });
  const { stdout } = await cairn(['knowledge', 'show', 'redis']);
  const [, today = ''] = /\nverified_at: (.*)\n/u.exec(stdout) ?? [];
  expect([before, day()]).toContain(today);
  expect(stdout).toBe(`---\nname: redis # a comment\ntype: pitfall\ntitle: T\nverified_at: ${today}\n---\nWait.\n`);
  const again = await cairn(['knowledge', 'verify', 'redis']);
  expect(again).toMatchObject({ exitCode: 1, stderr: 'cairn: general/redis has this already; nothing was changed\n' });

  for (const note of ['one', 'two']) await cairn(['knowledge', 'report', 'redis', 'wrong', '--note', note]);
  expect(await marks()).toEqual(['review']);
  expect((await cairn(['knowledge', 'show', 'redis'])).stderr).toMatch(
    /^cairn: 2 reports .*; note: one; note: two\n$/u,
  );
  expect(await cairn(['knowledge', 'verify', 'redis'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^cairn: verified general\/redis on \d{4}-\d\d-\d\d\n$/u),
  });
  expect(await marks()).toEqual([]);
});

test('an asset that no longer holds leaves the index and searches, and comes back', async () => {
  const cairn = await withAsset();
  const deprecate = (...args: readonly string[]) => cairn(['knowledge', 'deprecate', ...args]);
  await cairn(['knowledge', 'add', '--name', 'valkey', '--new', ...head], '切换需要 10 秒。\n');
  const index = async (): Promise<string> => (await cairn(['knowledge', 'index'])).stdout;
  const text = (await cairn(['knowledge', 'show', 'redis'])).stdout;

  expect(await deprecate('redis')).toMatchObject({ exitCode: 0, stdout: 'exchange/infra/redis\n' });
  expect(await index()).not.toContain('redis|pitfall');
  expect((await cairn(['knowledge', 'list'])).stdout).toContain('(deprecated)');
  expect((await cairn(['knowledge', 'search', '主从切换'])).stderr).toContain("'cairn knowledge show' reads them");
  expect((await cairn(['knowledge', 'verify', 'redis'])).stderr).toContain('; it is still deprecated\n');
  expect((await deprecate('redis')).exitCode).toBe(1);

  const replaced = await deprecate('redis', '--superseded-by', 'valkey', '--json');
  expect(JSON.parse(replaced.stdout)).toMatchObject({
    status: 'superseded',
    superseded_by: 'exchange/infra/valkey',
    marks: ['superseded'],
  });
  expect((await cairn(['knowledge', 'show', 'redis'])).stderr).toContain(
    "'cairn knowledge show exchange/infra/valkey'",
  );
  expect((await deprecate('redis')).exitCode).toBe(1);

  expect(await deprecate('valkey', '--superseded-by', 'valkey')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('exchange/infra/valkey cannot be superseded by itself'),
  });
  expect(await deprecate('valkey', '--superseded-by', 'redis')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('exchange/infra/redis is superseded by exchange/infra/valkey'),
  });
  expect((await deprecate('redis', '--superseded-by', 'valkey', '--active')).exitCode).toBe(2);

  expect((await deprecate('redis', '--active')).stderr).toBe('cairn: exchange/infra/redis is active again\n');
  expect(await index()).toContain('redis|pitfall');
  const verified = new RegExp(String.raw`verified_at: \S+\n`, 'u');
  expect((await cairn(['knowledge', 'show', 'redis'])).stdout.replace(verified, '')).toBe(text);
});

test('a search that finds too little states it once', async () => {
  const cairn = await withAsset();
  expect(await cairn(['knowledge', 'search', 'failovr'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/redis/u),
  });
  const cases: readonly (readonly [query: string, stdout: RegExp, notice: RegExp])[] = [
    [
      'failover of kubernetes ingress certificates at midnight',
      /redis/u,
      /^cairn: No asset has enough of the words of the query; [^\n]*\ncairn: the question was recorded as a gap; [^\n]*\n$/u,
    ],
    [
      'zebra',
      /^$/u,
      /^cairn: none of 1 assets has a word of the query\ncairn: the question was recorded as a gap; [^\n]*\n$/u,
    ],
    ['???', /^$/u, /^cairn: The query has no word to search for; add one.\n$/u],
  ];
  for (const [query, stdout, notice] of cases) {
    const found = await cairn(['knowledge', 'search', query]);
    expect(found, query).toMatchObject({ exitCode: 1 });
    expect(found.stdout).toMatch(stdout);
    expect(found.stderr, query).toMatch(notice);
  }
});

/** Searches, in their order, and why each is here. Some close or repeat the gaps of earlier ones. */
const searches: readonly (readonly [why: string, query: string, filters?: { type?: string; product_line?: string }])[] =
  [
    ['an answer', '主从切换'],
    ['all words are in the title', 'redis failover'],
    ['nothing has a word of it', 'How do we rotate the signing keys?'],
    ['the same words in another order', 'signing keys: rotate'],
    ['too little evidence', 'failover of kubernetes ingress certificates at midnight'],
    ['only a similar spelling', 'failovr'],
    ['Chinese without an answer', '消息队列失败重试'],
    ['no word', '???'],
    ['a secret', 'is ghp_16C7e42F292c6912E7710c838347Ae178B4a valid?'],
    ['a filter leaves the rest out', 'zebra crossing', { type: 'adr' }],
    ['another filter', 'zebra crossing', { product_line: 'mobile' }],
    ['quotes and operators', '"zebra" AND crossing*'],
    ['its gap is closed by an answer', 'valkey'],
    ['the words are escaped', 'c:\\temp\nand a tab\t'],
  ];

test('a search at the command line leaves the same gaps as the tool', async () => {
  const cairn = await withAsset();
  const directories = [cairn.home, temporaryDirectory()].map((home) => join(home, '.local/share/cairn/knowledge'));
  const [own = '', other = ''] = directories;
  const gapsOf = async (directory: string): Promise<unknown> => {
    const knowledge = createKnowledge({ directory });
    const gaps = await knowledge.gaps.list();
    await knowledge.close();
    return gaps.map(({ firstMs: _, lastMs: __, ...gap }) => gap).toSorted((one, two) => (one.id < two.id ? -1 : 1));
  };
  const prepared = createKnowledge({ directory: other });
  await prepared.store.add({ text: (await cairn(['knowledge', 'show', 'redis'])).stdout });
  await prepared.close();
  for (const directory of directories) {
    const knowledge = createKnowledge({ directory });
    await knowledge.store.add({ name: 'cache', type: 'adr', title: 'Valkey', body: 'We use it.' });
    await knowledge.gaps.record('valkey');
    await knowledge.close();
  }
  const set = createKnowledgeToolSet({ open: async () => createKnowledge({ directory: other }) });
  const session = {
    roots: [other] as const,
    readOnly: false,
    session: createToolSession(),
    signal: new AbortController().signal,
  };
  const { tools } = await set.open({ ...session, naming: 'default' });
  for (const [why, query, filters = {}] of searches) {
    const { type, product_line: productLine } = filters;
    const options = [...(type ? ['--type', type] : []), ...(productLine ? ['--area', productLine] : [])];
    await cairn(['knowledge', 'search', ...options, '--', query]);
    await tools['search_knowledge']?.execute({ query, ...filters });
    expect(await gapsOf(own), why).toEqual(await gapsOf(other));
  }
  await set.close?.();
  expect(await gapsOf(own)).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ query: 'How do we rotate the signing keys?', asked: 2 })]) as [],
  );
  expect(await gapsOf(own)).not.toContainEqual(expect.objectContaining({ query: 'valkey' }));
});

test('the first search makes the store that keeps its question', async () => {
  const cairn = newcomer();
  const found = await cairn(['knowledge', 'search', 'zebra', 'crossing']);
  expect(found).toMatchObject({ exitCode: 1, stdout: '' });
  expect(found.stderr).toBe(
    "cairn: none of 0 assets has a word of the query\ncairn: the question was recorded as a gap; when you find the answer, 'cairn knowledge add' keeps it\n",
  );
  expect((await cairn(['knowledge', 'gaps'])).stdout).toContain('zebra crossing');
});

test('an asset that is shown counts as opened, once for a terminal', async () => {
  const cairn = await withAsset();
  await cairn(['knowledge', 'show', 'redis']);
  await cairn(['knowledge', 'show', 'redis']);
  const knowledge = createKnowledge({ directory: join(cairn.home, '.local/share/cairn/knowledge') });
  expect(await knowledge.usage.opened()).toEqual(new Map([['exchange/infra/redis', 1]]));
  await knowledge.close();
});

test('a product line is selected in any case, with those below it', async () => {
  const cairn = await withAsset();
  for (const line of ['exchange', 'Exchange/Infra/', 'EXCHANGE/INFRA']) {
    const { stdout } = await cairn(['knowledge', 'list', '--area', line]);
    expect(stdout, line).toMatch(/^exchange\/infra\/redis /u);
  }
  expect((await cairn(['knowledge', 'list', '--area', 'exchange/inf'])).exitCode).toBe(1);
});

test('one name in two product lines is asked about', async () => {
  const cairn = await withAsset();
  await cairn(['knowledge', 'add', '--name', 'redis', '--type', 'adr', '--title', 'Why Redis', '--new'], 'It is fast.');
  const { exitCode, stderr } = await cairn(['knowledge', 'show', 'redis']);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/"redis"\. Write one of these and "\/" before the name: exchange\/infra, general\.\n$/u);
  expect((await cairn(['knowledge', 'show', 'general/redis'])).stdout).toContain('It is fast.');
});

test('an editor changes an asset, and keeps the text when another process was first', async () => {
  const cairn = await withAsset();
  const edit = (editor: string, ...args: readonly string[]) =>
    cairn.elsewhere(cairn.home, { EDITOR: editor })(['knowledge', 'edit', 'redis', ...args]);
  expect(await edit('true')).toMatchObject({
    exitCode: 1,
    stderr: 'cairn: the text was not changed; nothing was done\n',
  });
  expect(await edit(`sed -i 's/30/40/; s/^name: .*/name: redis-ha/'`)).toMatchObject({
    exitCode: 0,
    stdout: 'exchange/infra/redis-ha\n',
    stderr: 'cairn: renamed exchange/infra/redis to exchange/infra/redis-ha\n',
  });
  await cairn(['knowledge', 'rename', 'redis-ha', 'redis']);
  const other = join(cairn.home, 'other.sh');
  // While the editor runs, another process changes the asset.
  const directory = join(cairn.home, '.local/share/cairn/knowledge');
  writeFileSync(
    other,
    `#!/bin/sh\nsed -i 's/40/50/' "$1"\ntouch ${cairn.home}/editing\nwhile [ -e ${cairn.home}/editing ]; do :; done\n`,
    {
      mode: 0o755,
    },
  );
  const editing = cairn.elsewhere(cairn.home, { EDITOR: other });
  const running = editing(['knowledge', 'edit', 'redis']);
  await expect.poll(() => existsSync(join(cairn.home, 'editing'))).toBe(true);
  await using knowledge = createKnowledge({ directory });
  await knowledge.store.change('exchange/infra/redis', { fields: { tags: ['new'] } });
  rmSync(join(cairn.home, 'editing'));
  const refused = await running;
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toMatch(/was changed after it was read.*the edited text is in .*--apply/u);
  const [, file = ''] = /the edited text is in (\S+\.md)/u.exec(refused.stderr) ?? [];
  expect(readFileSync(file, 'utf8')).toContain('50 秒');
  const broken = await edit(`sed -i 's/^type: .*/type: recipe/'`);
  expect(broken.stderr).toMatch(/invalid type "recipe".*the edited text is in/u);
});

test('a folder is imported once, and its problems are listed', async () => {
  const cairn = newcomer();
  const project = join(cairn.home, 'shop');
  mkdirSync(join(project, 'docs/infra'), { recursive: true });
  writeFileSync(join(project, 'AGENTS.md'), '# How to work here\n\nRun the tests first.\n');
  writeFileSync(join(project, 'docs/infra/redis.md'), '# Redis\n\n主从切换需要 30 秒。\n');
  writeFileSync(join(project, 'docs/bad.md'), '---\ntitle: a: b\n---\nx');
  const here = cairn.elsewhere(project);
  expect(await here(['knowledge', 'import'])).toMatchObject({ exitCode: 0, stdout: 'general/shop-AGENTS\n' });
  const folder = await here(['knowledge', 'import', 'docs', '--json']);
  expect(folder).toMatchObject({ exitCode: 2, stderr: '' });
  expect(JSON.parse(folder.stdout)).toMatchObject({
    added: [{ id: 'infra/redis', type: 'reference', title: 'Redis' }],
    problems: [{ path: join(project, 'docs/bad.md'), line: 2, code: 'INVALID_ASSET' }],
  });
  const again = await here(['knowledge', 'import', 'docs/infra']);
  expect(again).toMatchObject({ exitCode: 1, stdout: '', stderr: 'cairn: added 0, 1 already imported\n' });
  expect(await cairn(['knowledge', 'import', 'nowhere'])).toMatchObject({ exitCode: 2 });
});

test('a question without an answer becomes a draft', async () => {
  const cairn = await withAsset();
  const directory = join(cairn.home, '.local/share/cairn/knowledge');
  const knowledge = createKnowledge({ directory });
  const gap = await knowledge.gaps.record('How do we rotate the keys of Kafka?');
  await knowledge.close();
  const listed = await cairn(['knowledge', 'gaps']);
  expect(listed.stdout).toContain(`${gap?.id ?? ''}  1 time  How do we rotate the keys of Kafka?\n`);
  expect(await cairn(['knowledge', 'gaps', '--pending'])).toMatchObject({ exitCode: 1, stdout: '' });
  const draft = await cairn(['knowledge', 'gaps', '--draft', gap?.id ?? '']);
  expect(draft).toMatchObject({ exitCode: 0 });
  expect((await cairn(['knowledge', 'list', '--type', 'discovery'])).stdout).toContain(draft.stdout.trim());
});

test('processes that add the same text and other texts at once add each text once', async () => {
  const home = temporaryDirectory();
  const env = { HOME: home, TMPDIR: home };
  const add = (name: string, input: string) =>
    cairnProcess(['knowledge', 'add', '--name', name, '--type', 'adr', '--title', name, '--new'], {
      cwd: home,
      env,
      input,
    });
  const results = await Promise.all(
    [1, 2, 3, 4].flatMap((one) => [add(`same-${one}`, 'one and the same text'), add(`own-${one}`, `text ${one}`)]),
  );
  expect(results.filter(({ exitCode }) => exitCode === 0)).toHaveLength(5);
  const { stdout } = await inHost(['knowledge', 'list', '--json'], { cwd: home, env });
  expect(JSON.parse(stdout)).toMatchObject({ shown: 5 });
  const index = readFileSync(join(home, '.local/share/cairn/knowledge/AGENTS-INDEX.md'), 'utf8');
  expect(index.match(/^(?:own|same)-\d\|adr\|/gmu)).toHaveLength(5);
});

test('an index above 20 KB lists 200 assets, and the command warns of its size', async () => {
  const cairn = newcomer();
  const knowledge = createKnowledge({ directory: join(cairn.home, '.local/share/cairn/knowledge') });
  for (let number = 0; number < 210; number++) {
    const title = `${number}: ${'a long title '.repeat(10)}`;
    await knowledge.store.add({ name: `asset-${number}`, type: 'adr', title, body: `Text ${number}.` });
  }
  await knowledge.close();
  const { exitCode, stdout, stderr } = await cairn(['knowledge', 'index']);
  expect(exitCode).toBe(0);
  expect(stdout.match(/^asset-\d+\|adr\|/gmu)).toHaveLength(200);
  expect(stderr).toMatch(/^cairn: AGENTS-INDEX\.md has \d+ bytes without tags, more than 20480; /mu);
  expect(stderr).toMatch(/^cairn: 200 of 210 assets in /mu);
});
