/** `cairn hook session-start` as hosts run it: a process with a JSON document on standard input and on standard output. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createKnowledge } from '@cairn/knowledge';
import { openGaps, openLocalStore } from '@cairn/knowledge/internal';
import { sessionPayload } from '@cairn/knowledge/session';
import { sqlite } from '@cairn/memory/sqlite';
import { estimateTokens } from '@cairn/tool/prompt';
import { beforeEach, expect, test } from 'vitest';
import { cairnProcess, finished, startCairn } from '../support/cli.ts';
import type { CairnOptions, CairnResult } from '../support/cli.ts';
import { createTree, fifo, file } from '../support/tree.ts';

let directory: string;
let cwd: string;

beforeEach(() => {
  directory = join(createTree({}), 'knowledge');
  cwd = createTree({});
});

function draftOf(
  number: number,
  productLine: string = 'exchange/infra',
): Parameters<ReturnType<typeof openLocalStore>['add']>[0] {
  return {
    name: `redis-failover-${number}`,
    productLine,
    type: 'reference',
    title: `Redis 集群故障转移指南 ${number}`,
    tags: ['redis', 'ha'],
    body: `# Failover ${number}\n\nWait ${number} seconds.\n`,
  };
}

/** Adds assets, and writes the index as every command does. */
async function add(count: number, productLine?: string): Promise<void> {
  const knowledge = createKnowledge({ directory });
  for (let number = 0; number < count; number++) await knowledge.store.add(draftOf(number, productLine));
  await knowledge.close();
}

function inputOf(fields: object = {}): string {
  // The documents of Claude Code and of Codex.
  const common = { session_id: 's', transcript_path: '/tmp/t.jsonl', hook_event_name: 'SessionStart' };
  return JSON.stringify({ ...common, cwd, source: 'startup', model: 'm', permission_mode: 'default', ...fields });
}

function start(args: readonly string[], { input = inputOf(), ...options }: CairnOptions = {}): Promise<CairnResult> {
  // A busy machine must not decide.
  const all = ['hook', 'session-start', '--directory', directory, '--timeout', '60000', ...args];
  return cairnProcess(all, { cwd, input, ...options });
}

function contextOf({ stdout }: CairnResult): string {
  const { hookSpecificOutput, ...others } = JSON.parse(stdout) as {
    readonly hookSpecificOutput: { readonly hookEventName: string; readonly additionalContext: string };
  };
  expect(others).toEqual({});
  expect(hookSpecificOutput.hookEventName).toBe('SessionStart');
  return hookSpecificOutput.additionalContext;
}

function failureWith(reason: RegExp): object {
  return { exitCode: 0, signal: null, stdout: '', stderr: expect.stringMatching(reason) as string };
}

const LINE = 'redis-failover-0|reference|exchange/infra|Redis 集群故障转移指南 0|redis,ha|0';

test.each(['claude', 'codex'])('%s gets one document with the payload within its limit', async (host) => {
  await add(150);
  const result = await start(['--host', host]);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  const context = contextOf(result);
  expect(context).toMatch(/^<cairn-knowledge>\n[^]*\n<\/cairn-knowledge>$/u);
  expect(context).toContain('redis-failover-149|reference|exchange/infra|');
  expect(context).toContain('Total assets: 150 (L1: 150, L2: 0)');
  expect(context.length).toBeLessThanOrEqual(host === 'claude' ? 9500 : Infinity);
  expect(estimateTokens(context)).toBeLessThanOrEqual(host === 'codex' ? 2400 : Infinity);
});

test('another host gets the text, in the language of the option', async () => {
  await add(1);
  const english = await start(['--host', 'generic']);
  expect(english.stdout).toMatch(/^<cairn-knowledge>\n## 1\. RETRIEVAL-FIRST POLICY\n/u);
  expect(english.stdout).toContain(LINE);
  const chinese = await start(['--language', 'zh'], { input: '' });
  expect(chinese.stdout).toMatch(/^<cairn-knowledge>\n## 1\. 检索优先策略\n/u);
});

test.each([
  ['startup', true],
  ['clear', true],
  ['compact', true],
  ['resume', false],
])('after %s there is a payload: %s', async (source, hasPayload) => {
  await add(1);
  const result = await start(['--host', 'claude'], { input: inputOf({ source }) });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout !== '').toBe(hasPayload);
});

test('the payload has the same bytes in each session, also after the store was opened and closed', async () => {
  await add(30);
  const first = await start(['--host', 'claude']);
  expect(contextOf(first)).toContain(LINE);
  const knowledge = createKnowledge({ directory });
  await knowledge.store.get('exchange/infra/redis-failover-1');
  await knowledge.close();
  await expect(start(['--host', 'claude'])).resolves.toEqual(first);
});

test.skipIf(process.platform === 'win32')('in a clone the commands that it suggests run in any directory', async () => {
  await add(1);
  const env = { HOME: cwd, PATH: '/usr/bin:/bin', CAIRN_COMMAND: '', CAIRN_KNOWLEDGE_DIR: directory };
  const { stdout } = await start([], { input: '', env });
  const commands = [...stdout.matchAll(/`([^`]+ knowledge (?:search|show)) <[^`]+>`/gu)].map(([, one = '']) => one);
  const ran = commands.map((one) =>
    execFileSync('/bin/sh', ['-c', `${one} redis-failover-0`], { cwd: '/', env, encoding: 'utf8' }),
  );
  expect(ran[0]).toContain('redis-failover-0');
  expect(ran[1]).toContain('Wait 0 seconds.');
});

test.each(['en', 'zh'])('a knowledge base without assets costs at most 300 bytes in %s', async (language) => {
  for (const host of ['claude', 'codex', 'generic']) {
    const result = await start(['--host', host, '--language', language]);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toMatch(/had no asset when this was written|没有资产/u);
    expect(Buffer.byteLength(result.stdout)).toBeLessThanOrEqual(300);
  }
  expect(existsSync(directory)).toBe(false);
  // With a store, too.
  await add(1);
  const knowledge = createKnowledge({ directory });
  await knowledge.store.remove('exchange/infra/redis-failover-0');
  await knowledge.close();
  const { stdout } = await start(['--host', 'claude', '--language', language]);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(300);
});

test('what another process wrote is shown, and the index follows', async () => {
  await add(1);
  const store = openLocalStore({ backend: sqlite({ path: join(directory, 'knowledge.db') }) });
  await store.add(draftOf(7));
  await store.backend.close();
  expect(readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8')).not.toContain('redis-failover-7');
  expect(contextOf(await start(['--host', 'claude']))).toContain('redis-failover-7|');
  expect(readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8')).toContain('redis-failover-7|');
});

test('an asset that was removed is gone', async () => {
  await add(2);
  const knowledge = createKnowledge({ directory });
  await knowledge.store.remove('exchange/infra/redis-failover-0');
  await knowledge.close();
  const context = contextOf(await start(['--host', 'claude']));
  expect(context).not.toContain('redis-failover-0|');
  expect(context).toContain('redis-failover-1|');
});

test('a question that another process recorded is shown, though the assets did not change', async () => {
  await add(1);
  const backend = sqlite({ path: join(directory, 'knowledge.db') });
  const gaps = openGaps({ backend, language: 'en' });
  for (let round = 0; round < 3; round++) await gaps.record('How do we rotate keys?');
  await backend.close();
  expect(contextOf(await start(['--host', 'claude']))).toContain('- How do we rotate keys? (asked 3 times)');
});

/** Sets up a team store. Returns a function that runs git in the clone. */
async function addTeam(): Promise<(...args: readonly string[]) => void> {
  const remote = join(directory, '..', 'team.git');
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  const run = (...args: readonly string[]): void =>
    void execFileSync('git', [...identity, ...args], { stdio: 'ignore' });
  run('init', '--bare', '--initial-branch=main', remote);
  const env = { ...process.env, GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' };
  const knowledge = createKnowledge({ directory, env });
  await knowledge.store.add(draftOf(0));
  await knowledge.team.init({ remote });
  await knowledge.team.sync();
  await knowledge.close();
  return (...args) => run('-C', join(directory, 'team.git'), ...args);
}

/** Fetches a commit of the team outside. */
function fetchOutside(git: (...args: readonly string[]) => void): void {
  const hand = join(directory, '..', 'hand');
  git('clone', join(directory, '..', 'team.git'), hand);
  const text = readFileSync(join(hand, 'exchange/infra/redis-failover-0.md'), 'utf8');
  writeFileSync(
    join(hand, 'exchange/infra/kafka.md'),
    text.replaceAll('redis-failover-0', 'kafka').replaceAll('0', '1'),
  );
  git('-C', hand, 'add', '--all');
  git('-C', hand, 'commit', '--message=kafka');
  git('-C', hand, 'push', 'origin', 'HEAD:main');
  git('fetch');
}

test('commits of the team that were fetched outside are shown', async () => {
  fetchOutside(await addTeam());
  expect(contextOf(await start(['--host', 'claude']))).toContain('\nkafka|reference|exchange/infra|');
});

test.skipIf(process.platform === 'win32')('a git that hangs is given up, and the payload states it', async () => {
  fetchOutside(await addTeam());
  const programs = createTree({ git: file('#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 }) });
  const env = { PATH: `${programs}:${process.env['PATH'] ?? ''}` };
  const context = contextOf(await start(['--host', 'claude', '--timeout', '8000'], { env }));
  expect(context).toContain('redis-failover-0|');
  expect(context).toContain('The clone of the team store may have changes that are missing here');
});

test('a question that was asked three times is pending', async () => {
  const knowledge = createKnowledge({ directory });
  await knowledge.store.add(draftOf(1));
  for (let round = 0; round < 3; round++) await knowledge.gaps.record('如何灰度发布 kafka 消费者');
  await knowledge.close();
  expect(contextOf(await start(['--host', 'claude']))).toContain('- 如何灰度发布 kafka 消费者 (asked 3 times)');
});

test('of many pending questions the five latest are shown and the others counted, and each is pending from its seventh day', async () => {
  const DAY = 24 * 60 * 60 * 1000;
  const nowMs = Date.now();
  let atMs = nowMs - 6 * DAY;
  const knowledge = createKnowledge({ directory, clock: () => atMs });
  await knowledge.store.add(draftOf(1));
  // The first ones are seven days old tomorrow, the last ones in six days.
  for (let number = 0; number < 60; number++) {
    await knowledge.gaps.record(`rotate key-${number}`);
    atMs += DAY / 10;
  }
  await knowledge.close();
  const payloadAt = (nowMs: number): Promise<string> => sessionPayload({ directory, nowMs });
  expect(await payloadAt(nowMs)).not.toContain('rotate key');
  const tomorrow = await payloadAt(nowMs + 1.45 * DAY);
  for (const number of [4, 3, 2, 1, 0]) expect(tomorrow).toContain(`- rotate key-${number} (asked once)\n`);
  expect(tomorrow.match(/rotate key/gu)).toHaveLength(5);
  expect(tomorrow).not.toContain('more questions');
  expect(await payloadAt(nowMs + 8 * DAY)).toContain('- rotate key-55 (asked once)\n- 55 more questions: ');
  const later = createKnowledge({ directory, clock: () => nowMs + 8 * DAY });
  expect(await later.payload()).toBe(await payloadAt(nowMs + 8 * DAY));
  await later.close();
});

test('assets of the area of the directory that the host names are listed, and the others counted by name', async () => {
  await add(1, 'frontend/react');
  const knowledge = createKnowledge({ directory });
  for (let number = 1; number <= 30; number++) await knowledge.store.add(draftOf(number));
  await knowledge.close();
  const project = createTree({ 'package.json': '{"dependencies": {"react": "19.0.0"}}' });
  const [first = ''] = contextOf(await start(['--host', 'codex'], { input: inputOf({ cwd: project }) }))
    .split('<!-- INDEX_START -->\n')
    .slice(1);
  expect(first).toMatch(/^redis-failover-0\|reference\|frontend\/react\|[^\n]*\n<!-- INDEX_END -->\n/u);
  expect(first).toContain('Not listed: 30 assets of other product lines (exchange/infra 30). `scan_index`');
  const only = contextOf(await start(['--host', 'codex', '--only-matching'], { input: inputOf({ cwd: project }) }));
  expect(only).not.toContain('|exchange/infra|');
  expect(only).toContain('30 assets of other product lines');
});

test.each([
  ['an unknown host', ['--host', 'emacs'], /^cairn: invalid --host "emacs"; use claude, codex, generic\n$/u],
  ['an unknown language', ['--language', 'fr'], /^cairn: invalid --language "fr"; use en, zh\n$/u],
  ['an unknown option', ['--hots', 'claude'], /^cairn: [^\n]*--hots[^\n]*\n$/u],
  ['an invalid time limit', ['--timeout', '0'], /^cairn: invalid --timeout "0"; use a whole number [^\n]+\n$/u],
  ['an empty directory', ['--directory='], /^cairn: --directory is empty; give it a value\n$/u],
])('%s is reported on standard error, with status 0', async (_, args, reason) => {
  await expect(start(args)).resolves.toEqual(failureWith(reason));
});

test.each([
  ['invalid JSON', '{"source": ', /is not valid JSON/u],
  ['a list', '[]', /is not a JSON object/u],
  ['another event', inputOf({ hook_event_name: 'PreToolUse' }), /the event of the host is "PreToolUse"/u],
  ['too much', `{"a": "${'a'.repeat(2 ** 21)}"}`, /has more than 1048576 characters/u],
])('%s on standard input is reported on standard error, with status 0', async (_, input, reason) => {
  await add(1);
  await expect(start(['--host', 'claude'], { input })).resolves.toEqual(failureWith(reason));
});

test('a damaged store is reported on standard error, with status 0', async () => {
  await add(1);
  writeFileSync(join(directory, 'knowledge.db'), 'not a database '.repeat(1000));
  await expect(start(['--host', 'claude'])).resolves.toEqual(failureWith(/^cairn: [^\n]*knowledge\.db[^\n]*\n$/u));
});

test('a host that leaves standard input open after its document is answered', async () => {
  await add(1);
  const args = ['hook', 'session-start', '--host', 'claude', '--directory', directory, '--timeout', '60000'];
  const child = startCairn(args, { cwd });
  // In two parts; the first alone is not valid JSON.
  const input = inputOf();
  child.stdin?.write(input.slice(0, 20));
  child.stdin?.write(input.slice(20));
  expect(contextOf(await finished(child))).toContain(LINE);
});

test('a host that leaves standard input open and writes nothing is answered', async () => {
  await add(1);
  const args = ['hook', 'session-start', '--host', 'claude', '--directory', directory, '--timeout', '60000'];
  const child = startCairn(args, { cwd });
  // Its end is the answer: nothing is written, and the stream is never closed.
  const result = await finished(child);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(contextOf(result)).toContain(LINE);
});

test('a document that never ends is given up, with status 0', async () => {
  await add(1);
  const child = startCairn(['hook', 'session-start', '--host', 'claude', '--directory', directory], { cwd });
  child.stdin?.write(inputOf().slice(0, 20));
  await expect(finished(child)).resolves.toEqual(failureWith(/took longer than 900 ms/u));
});

test('a locked store is given up, with status 0', async () => {
  await add(1);
  const owner = new DatabaseSync(join(directory, 'knowledge.db'));
  owner.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE');
  await expect(start(['--host', 'claude', '--timeout', '900'])).resolves.toEqual(failureWith(/^cairn: [^\n]+\n$/u));
  owner.exec('ROLLBACK');
  owner.close();
});

test.skipIf(process.platform === 'win32')('a file system that hangs is given up, with status 0', async () => {
  await add(1);
  const project = createTree({ pipe: fifo() });
  // Opening the pipe keeps a thread waiting, as a file of a server that is gone does.
  const preload = `data:text/javascript,import { open } from 'node:fs/promises'; void open(${JSON.stringify(join(project, 'pipe'))});`;
  const child = startCairn(['hook', 'session-start', '--host', 'claude'], { cwd, preload });
  // A document without an end, so that the time runs out.
  child.stdin?.write('{');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
});

test('it loads neither the command line nor the parts that read assets while nothing changed', async () => {
  await add(300);
  const preload = `data:text/javascript,import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (url.startsWith('file:') && loaded.push(url), next(url, context)) });
    process.on('exit', () => process.stderr.write(loaded.join('\\n')));`;
  const { stdout, stderr } = await start(['--host', 'claude'], { preload: preload.replaceAll('\n', ' ') });
  expect(stdout).not.toBe('');
  const files = stderr.split('\n');
  expect(
    files.filter((file) => /commander|zod|yaml|create-knowledge|stores\/local|src\/start\.ts$/u.test(file)),
  ).toEqual([]);
  expect(files.length).toBeLessThan(80);
});
