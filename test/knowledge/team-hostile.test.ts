import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorld, failure, fileOf, git, gitWith, memberEnv } from './team-harness.ts';
import type { Member, World } from './team-harness.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

async function joined(name = 'ann'): Promise<Member> {
  const member = world.member(name);
  await member.team.init({ remote: world.remote });
  return member;
}

/** A tree of git with entries that git itself would not add. */
function rawCommit(entries: readonly string[], parent = git(world.remote, 'rev-parse', 'main').trim()): void {
  const input = `${entries.join('\n')}\n`;
  const tree = gitWith(world.remote, { input }, 'mktree', '--missing').trim();
  const commit = git(world.remote, 'commit-tree', tree, '-p', parent, '-m', 'raw').trim();
  git(world.remote, 'update-ref', 'refs/heads/main', commit);
}

function blob(text: string): string {
  return gitWith(world.remote, { input: text }, 'hash-object', '-w', '--stdin').trim();
}

function treeOf(...entries: readonly string[]): string {
  return gitWith(world.remote, { input: `${entries.join('\n')}\n` }, 'mktree', '--missing').trim();
}

describe('what a team store may have', () => {
  test('paths that leave the clone, links and submodules are written nowhere, and stay in git', async () => {
    const ann = await joined();
    await ann.add('p/a', 'One.');
    await ann.team.sync();
    const evil = blob(fileOf('p/evil', 'Evil.'));
    const link = blob('/etc/passwd');
    const up = treeOf(`040000 tree ${treeOf(`100644 blob ${evil}\tevil.md`)}\t..`);
    const p = treeOf(
      `100644 blob ${blob(fileOf('p/a', 'One.'))}\ta.md`,
      `120000 blob ${link}\tlink.md`,
      `100644 blob ${evil}\tevil.md`,
    );
    rawCommit([
      `040000 tree ${p}\tp`,
      `040000 tree ${up}\t..`,
      `040000 tree ${treeOf(`100755 blob ${evil}\tpost-checkout`)}\t.git`,
      `120000 blob ${link}\tl`,
      `120000 blob ${link}\tl\u001b[31m`,
      `160000 commit ${git(world.remote, 'rev-parse', 'main').trim()}\tsub`,
    ]);
    const report = await ann.team.sync();
    expect(report.pulled.added).toEqual(['p/evil']);
    expect(report.otherFiles).toBe(6);
    expect(existsSync(join(ann.clone, '../../evil.md'))).toBe(false);
    for (const name of ['.git', 'p', 'l', 'hooks']) expect(existsSync(join(ann.clone, name))).toBe(false);
    await ann.change('p/a', 'Changed.');
    expect((await ann.team.sync()).pushed.changed).toEqual(['p/a']);
    const names = git(world.remote, 'ls-tree', '-r', '--name-only', 'main');
    expect(names.split('\n')).toEqual(
      expect.arrayContaining(['../../evil.md', '.git/post-checkout', 'l', 'p/link.md', 'sub', 'p/a.md']),
    );
  });

  test('files that differ only in case or in their form of Unicode are one asset, and the other file is reported', async () => {
    const ann = await joined();
    world.commit({ 'p/x.md': fileOf('p/x', 'Small.') });
    await ann.team.sync();
    const big = blob(fileOf('p/X', 'Big.'));
    const decomposed = 'caf\u0065\u0301';
    const nfd = blob(fileOf('p/caf\u00e9', 'NFD.'));
    const p = treeOf(
      `100644 blob ${blob(fileOf('p/x', 'Small.'))}\tx.md`,
      `100644 blob ${big}\tX.md`,
      `100644 blob ${nfd}\t${decomposed}.md`,
    );
    rawCommit([`040000 tree ${p}\tp`]);
    const report = await ann.team.sync();
    expect(report.problems).toEqual([{ path: 'p/X.md', message: 'it would be the same asset as p/x.md' }]);
    expect(Object.keys(await ann.texts())).toEqual(['p/caf\u00e9', 'p/x']);
    expect((await ann.store.get('p/x'))?.text).toContain('Small.');
    await ann.change('p/caf\u00e9', 'Changed.');
    await ann.team.sync();
    expect(Object.keys(world.files())).toEqual(['p/X.md', `p/${decomposed}.md`, 'p/x.md']);
    expect(world.files()[`p/${decomposed}.md`]).toContain('Changed.');
  });

  test('line ends and a byte order mark stay byte for byte', async () => {
    const ann = await joined();
    const bytes = `\uFEFF${fileOf('p/x', 'One.\nTwo.').replaceAll('\n', '\r\n')}`;
    world.commit({ '.gitattributes': '* text=auto eol=lf\n*.md filter=x\n' });
    const p = treeOf(`100644 blob ${blob(bytes)}\tx.md`);
    rawCommit([`040000 tree ${p}\tp`, `100644 blob ${blob('* text=auto eol=lf\n')}\t.gitattributes`]);
    await ann.team.sync();
    expect((await ann.store.get('p/x'))?.text).toBe(bytes);
    expect(await ann.team.sync()).toMatchObject({ pushed: { changed: [] } });
    await ann.store.change('p/x', { fields: { title: 'New' } });
    await ann.team.sync();
    expect(world.files()['p/x.md']).toBe(bytes.replace('A title', 'New'));
  });

  test.each([
    ['front matter that does not parse', '---\nname: x\ntype: [\n---\n\nText.\n', 4],
    ['no front matter', 'Only text.\n', 1],
    ['another name', fileOf('p/other', 'Text.'), 2],
    ['an unknown type', fileOf('p/x', 'Text.').replace('pitfall', 'robot'), 3],
    ['binary content', Buffer.from('---\nname: x\ntype: pitfall\ntitle: A\n---\n\0\n'), 6],
    ['bytes that are not UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]), undefined],
    ['more than 1 MB', fileOf('p/x', 'x'.repeat(5_000_000)), undefined],
  ])('a file with %s is reported and stays, and the others are pulled', async (_, content, line) => {
    const ann = await joined();
    world.commit({ 'p/x.md': content, 'p/good.md': fileOf('p/good', 'Good.') });
    for (let round = 0; round < 2; round++) {
      const { problems } = await ann.team.sync();
      expect(problems).toMatchObject([{ path: 'p/x.md', ...(line !== undefined && { line }) }]);
    }
    expect(Object.keys(await ann.texts())).toEqual(['p/good']);
    // A local asset of this name does not overwrite it either.
    await ann.add('p/x', 'Mine.');
    expect((await ann.team.sync()).pushed.added).toEqual([]);
    expect(git(world.remote, 'show', 'main:p/x.md')).not.toContain('Mine.');
  });

  test('an asset that the team breaks stays as it was here, until it is corrected', async () => {
    const ann = await joined();
    await ann.add('p/x', 'One.');
    await ann.team.sync();
    world.commit({ 'p/x.md': 'broken\n' });
    for (let round = 0; round < 2; round++) expect((await ann.team.sync()).problems).toHaveLength(1);
    expect((await ann.store.get('p/x'))?.text).toContain('One.');
    await ann.change('p/x', 'Mine.');
    expect(await ann.team.sync()).toMatchObject({ pushed: { changed: [] }, problems: [{ path: 'p/x.md' }] });
    world.commit({ 'p/x.md': fileOf('p/x', 'Corrected.') });
    expect((await ann.team.sync()).conflicts).toEqual(['p/x']);
  });
});

describe('what a remote may be', () => {
  test.each([
    ['', 'it is empty'],
    ['-upload-pack=touch x', 'starts with "-"'],
    ['--upload-pack=x', 'starts with "-"'],
    ['ext::sh -c touch% x', 'protocol is not allowed'],
    ['fd::17', 'protocol is not allowed'],
    ['javascript://x', 'protocol is not allowed'],
    ['https://x\n.example', 'control characters'],
    ['ssh://-oProxyCommand=x/y', 'protocol is not allowed'],
  ])('%j is rejected', async (remote, problem) => {
    const error = await failure(world.member('ann').team.init({ remote }), 'INVALID_INPUT');
    expect(error.summary).toContain(problem);
    expect(existsSync(join(world.root, 'ann/team.git'))).toBe(false);
  });

  test('names of branches and users do not reach a shell', async () => {
    const name = '$(touch x);`touch y`|&';
    const ann = world.member('ann', { env: { ...memberEnv(name) } });
    const quoted = join(world.root, "it's $(touch z) `x`.git");
    git(world.root, 'clone', '--quiet', '--bare', world.remote, quoted);
    await ann.team.init({ remote: quoted });
    await ann.add('p/a', 'One.');
    await ann.team.sync();
    expect(git(quoted, 'log', '-1', '--format=%an', 'main').trim()).toBe(name);
    for (const file of ['x', 'y', 'z']) expect(existsSync(file)).toBe(false);
  });

  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener);
    await new Promise<void>((done) => void server?.listen(0, '127.0.0.1', done));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('a remote that asks for a password is an error, and the password of the address is not shown', async () => {
    const address = await serve((_, response) => {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' });
      response.end();
    });
    const ask = join(world.root, 'ask');
    writeFileSync(ask, `#!/bin/sh\ntouch ${join(world.root, 'asked')}\necho secret\n`, { mode: 0o755 });
    const env = { ...memberEnv('ann'), GIT_ASKPASS: ask, SSH_ASKPASS: ask, DISPLAY: ':0' };
    const ann = world.member('ann', { env });
    const error = await failure(ann.team.init({ remote: `http://me:hunter2@${address}/x.git` }), 'REMOTE_FAILED');
    expect(error.summary).toContain('rejects access');
    expect(error.message).not.toContain('hunter2');
    await failure(ann.team.init({ remote: `http://${address}/x.git` }), 'REMOTE_FAILED');
    expect(existsSync(join(world.root, 'asked'))).toBe(false);
  });

  test('a remote that does not answer is an error in time', async () => {
    const address = await serve(() => undefined);
    const ann = world.member('ann', { remoteTimeoutMs: 500 });
    const error = await failure(ann.team.init({ remote: `http://${address}/x.git` }), 'REMOTE_FAILED');
    expect(error.summary).toContain('did not answer');
  });

  test('an aborted call ends git, and the next one works', async () => {
    const address = await serve(() => abort.abort(new Error('enough')));
    const abort = new AbortController();
    const ann = world.member('ann');
    const remote = `http://${address}/x.git`;
    await expect(ann.team.init({ remote, signal: abort.signal })).rejects.toThrow('enough');
    await ann.team.init({ remote: world.remote });
  });

  test.each([
    ['a directory that does not exist', (root: string) => join(root, 'nowhere.git')],
    ['a directory without a repository', (root: string) => root],
    ['a port without a listener', () => 'http://127.0.0.1:9/x.git'],
    ['a host that does not exist', () => 'https://host.invalid/x.git'],
  ])('%s is an error, and nothing is left behind', async (_, remoteOf) => {
    const ann = world.member('ann');
    await failure(ann.team.init({ remote: remoteOf(world.root) }), 'REMOTE_FAILED');
    await failure(ann.team.sync(), 'NO_TEAM');
    await ann.team.init({ remote: world.remote });
  });
});

describe('what runs next to git', () => {
  test('hooks, filters and monitors of the clone do not run', async () => {
    const ann = await joined();
    await ann.add('p/a', 'One.');
    await ann.team.sync();
    const ran = join(world.root, 'ran');
    const script = `#!/bin/sh\necho "$0" >> ${ran}\n`;
    const hooks = join(ann.clone, 'hooks');
    mkdirSync(hooks, { recursive: true });
    const names = [
      'pre-push',
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'post-rewrite',
      'pre-auto-gc',
    ];
    for (const name of names) writeFileSync(join(hooks, name), script, { mode: 0o755 });
    const monitor = join(world.root, 'monitor');
    writeFileSync(monitor, script);
    chmodSync(monitor, 0o755);
    git(ann.clone, 'config', 'core.fsmonitor', monitor);
    for (const part of ['clean', 'smudge', 'process']) git(ann.clone, 'config', `filter.lfs.${part}`, monitor);
    mkdirSync(join(ann.clone, 'info'), { recursive: true });
    writeFileSync(join(ann.clone, 'info/attributes'), '* filter=lfs diff=lfs merge=lfs\n');
    world.commit({ '.gitattributes': '*.md filter=lfs\n', 'p/b.md': fileOf('p/b', 'Of the team.') });
    await ann.change('p/a', 'Two.');
    await ann.team.sync();
    expect(world.files()['p/a.md']).toBe(fileOf('p/a', 'Two.'));
    expect((await ann.texts())['p/b']).toBe(fileOf('p/b', 'Of the team.'));
    await ann.team.status({ fetch: true });
    expect(existsSync(ran)).toBe(false);
  });

  test.each([
    ['core.sshCommand', 'touch x'],
    ['gc.recentObjectsHook', 'touch x'],
    ['core.gitProxy', 'touch x'],
    ['credential.helper', '!touch x'],
    ['credential.https://x.helper', '!touch x'],
    ['remote.origin.uploadpack', 'touch x'],
  ])('a clone with the setting %s is rejected', async (name, value) => {
    const ann = await joined();
    git(ann.clone, 'config', name, value);
    const error = await failure(ann.team.sync(), 'GIT_FAILED');
    expect(error.summary.toLowerCase()).toContain(name.toLowerCase());
    git(ann.clone, 'config', '--unset', name);
    await ann.team.sync();
  });

  test('variables that name another repository or a program are ignored', async () => {
    const other = join(world.root, 'other');
    git(world.root, 'init', '--quiet', other);
    const ran = join(world.root, 'ran');
    const env = {
      ...memberEnv('ann'),
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, 'index'),
      GIT_OBJECT_DIRECTORY: join(other, 'objects'),
      GIT_EXTERNAL_DIFF: `touch ${ran}`,
      GIT_PAGER: `touch ${ran}`,
      GIT_EDITOR: `touch ${ran}`,
      LANGUAGE: 'zh_CN',
      LC_ALL: 'zh_CN.UTF-8',
    };
    const ann = world.member('ann', { env });
    await ann.team.init({ remote: world.remote });
    await ann.add('p/a', 'One.');
    await ann.team.sync();
    expect(git(other, 'status', '--porcelain')).toBe('');
    expect(existsSync(ran)).toBe(false);
    expect(Object.keys(world.files())).toEqual(['p/a.md']);
  });

  test('a disk that is full during a commit loses nothing', async () => {
    const ann = await joined();
    await ann.add('p/a', 'One.');
    const bin = join(world.root, 'bin');
    mkdirSync(bin);
    const real = git(world.root, '--exec-path').trim();
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nfor one in "$@"; do [ "$one" = fast-import ] && ulimit -f 0; done\nexec ${real}/git "$@"\n`,
      { mode: 0o755 },
    );
    const full = world.member('ann', {
      store: ann.store,
      env: { ...memberEnv('ann'), PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    });
    await failure(full.team.sync(), 'GIT_FAILED');
    expect(await ann.store.get('p/a')).toMatchObject({ isPromoted: false });
    expect((await ann.team.sync()).pushed.added).toEqual(['p/a']);
  });

  test('without git, the error names it', async () => {
    const ann = world.member('ann', { env: { PATH: world.root } });
    const error = await failure(ann.team.init({ remote: world.remote }), 'GIT_FAILED');
    expect(error.summary).toContain('git is not installed');
  });
});
