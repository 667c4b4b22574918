import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { cairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

type Kind = 'matches' | 'tree' | 'details' | 'failedRun' | 'failure';

const schema = JSON.parse(readFileSync(new URL('../../packages/cli/schema/output.json', import.meta.url), 'utf8')) as {
  readonly $defs: Readonly<Record<string, object>>;
};

/** The part of the schema for one kind of document. */
function validatorOf(kind: Kind): z.ZodType {
  return z.fromJSONSchema({ ...schema.$defs[kind], $defs: schema.$defs } as Parameters<typeof z.fromJSONSchema>[0]);
}

const validators: Readonly<Record<Kind, z.ZodType>> = {
  matches: validatorOf('matches'),
  tree: validatorOf('tree'),
  details: validatorOf('details'),
  failedRun: validatorOf('failedRun'),
  failure: validatorOf('failure'),
};

interface Case {
  /** Commands that run before, to make what the good call finds. */
  readonly before?: readonly (readonly string[])[];
  readonly good: readonly string[];
  readonly kind: Kind;
  readonly bad: readonly string[];
  /** The code of the error that the bad call reports. */
  readonly code: string;
  readonly input?: string;
  readonly editor?: string;
  /** Whether a model server is configured. */
  readonly hasModel?: boolean;
}

/** Stands for the id of the fact that the commands before have stored. */
const ID = 'fact_id';

const store = ['--store', 'memory.db'];
const remember = ['memory', 'remember', 'one', '--source', 'a', ...store];
const newAgent = ['agents', 'new', 'helper', '--description', 'd', '--prompt', 'p'];
const importMessages = ['memory', 'import', 'messages.jsonl', ...store];
const message = { kind: 'message', stream: 'agent', group: 'g', id: 'message_1', role: 'user', content: 'one' };
const importWorkflows = ['memory', 'import', 'workflow.jsonl', ...store];
/** A repository of git, which each test has. */
const REMOTE = 'remote.git';
const initTeam = ['knowledge', 'team', 'init', REMOTE];
/** Adds `asset.md`. */
const addAsset = ['knowledge', 'add', 'asset.md'];
const workflow = '{"kind":"workflow","id":"workflow_1703123456789_abc123","goal":"g","todos":[],"streamName":"s"}\n';
const failedWorkflow =
  '{"kind":"workflow","id":"workflow_1703123456789_abc124","goal":"g","status":"failed","todos":[{"id":"todo_0","content":"c","status":"failed"}],"streamName":"s"}\n';

/** Every command that has --json, with a good and a bad call. */
const cases: Readonly<Record<string, Case>> = {
  find: { good: ['a'], kind: 'matches', bad: ['a', '--path', 'nowhere'], code: 'PATH_NOT_FOUND' },
  glob: { good: ['*.txt', '--limit', '1'], kind: 'matches', bad: ['*', '--path', 'a.txt'], code: 'NOT_A_DIRECTORY' },
  grep: { good: ['a', '-c'], kind: 'matches', bad: ['[z-a]'], code: 'INVALID_REGEX' },
  ls: { good: ['--limit', '1'], kind: 'matches', bad: ['nowhere'], code: 'NOT_FOUND' },
  tree: { good: ['--depth', '1', '--focus', 'd/x'], kind: 'tree', bad: ['nowhere'], code: 'PATH_NOT_FOUND' },
  read: { good: ['a.txt'], kind: 'details', bad: ['nowhere'], code: 'NOT_FOUND' },
  write: { good: ['new.txt', '--content', 'x'], kind: 'details', bad: ['a.txt', '--content', 'x'], code: 'NOT_READ' },
  edit: {
    good: ['a.txt', '--old', 'a', '--new', 'b'],
    kind: 'details',
    bad: ['a.txt', '--old', 'zzz', '--new', 'b'],
    code: 'NO_MATCH',
  },
  patch: {
    input: '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n',
    good: [],
    kind: 'details',
    bad: ['--root', 'nowhere'],
    code: 'NOT_FOUND',
  },
  delete: { good: ['a.txt'], kind: 'details', bad: ['d'], code: 'IS_DIRECTORY' },
  rename: { good: ['a.txt', 'c.txt'], kind: 'details', bad: ['a.txt', 'b.txt'], code: 'EXISTS' },
  recall: {
    before: [remember],
    good: ['one', ...store, '--directory', 'knowledge'],
    kind: 'matches',
    bad: ['x', '--limit', '0', ...store],
    code: 'USAGE',
  },
  'memory remember': { good: ['x', ...store], kind: 'details', bad: ['', ...store], code: 'INVALID_INPUT' },
  'memory recall': { before: [remember], good: ['one', ...store], kind: 'matches', bad: [...store], code: 'USAGE' },
  'memory list': { before: [remember], good: store, kind: 'matches', bad: ['--backend', 'mongo'], code: 'USAGE' },
  'memory show': {
    before: [importMessages],
    good: ['message_1', ...store],
    kind: 'details',
    bad: ['x', ...store],
    code: 'UNKNOWN_FACT',
  },
  'memory update': {
    before: [remember],
    good: [ID, '--pin', ...store],
    kind: 'details',
    bad: [ID, ...store],
    code: 'USAGE',
  },
  'memory archive': {
    before: [remember],
    good: [ID, ...store],
    kind: 'details',
    bad: ['x', ...store],
    code: 'UNKNOWN_FACT',
  },
  'memory restore': {
    before: [remember, ['memory', 'archive', ID, ...store]],
    good: [ID, ...store],
    kind: 'details',
    bad: ['x', ...store],
    code: 'UNKNOWN_FACT',
  },
  'memory forget': { before: [remember], good: [ID, ...store], kind: 'details', bad: store, code: 'USAGE' },
  'memory embed': {
    before: [remember],
    good: ['--off', ...store],
    kind: 'details',
    bad: store,
    code: 'NOT_CONFIGURED',
  },
  'memory edit': {
    before: [remember],
    editor: 'true',
    good: store,
    kind: 'details',
    bad: ['--apply', 'x', ...store],
    code: 'ENOENT',
  },
  'memory start': { before: [remember], good: store, kind: 'details', bad: ['--language', 'x'], code: 'USAGE' },
  'memory groups': {
    before: [importMessages],
    good: store,
    kind: 'matches',
    bad: ['--backend', 'mongo'],
    code: 'USAGE',
  },
  'memory messages': {
    before: [importMessages],
    good: ['--limit', '1', ...store],
    kind: 'matches',
    bad: ['--store', 'a.txt'],
    code: 'CORRUPT_STORE',
  },
  // The good call prints JSON lines of its own.
  'memory export': {
    before: [remember],
    good: store,
    kind: 'details',
    bad: ['--store', 'a.txt'],
    code: 'CORRUPT_STORE',
  },
  'memory import': { input: workflow, good: store, kind: 'details', bad: ['nowhere', ...store], code: 'ENOENT' },
  'memory backup': { before: [remember], good: ['copy.db', ...store], kind: 'details', bad: store, code: 'USAGE' },
  'memory project list': {
    before: [remember],
    good: store,
    kind: 'matches',
    bad: ['--backend', 'mongo'],
    code: 'USAGE',
  },
  'memory project move': {
    before: [remember],
    good: ['.', 'other', ...store],
    kind: 'details',
    bad: ['.', ...store],
    code: 'USAGE',
  },
  'memory stats': { good: store, kind: 'details', bad: ['--store', 'a.txt'], code: 'CORRUPT_STORE' },
  'knowledge add': { good: ['asset.md'], kind: 'details', bad: ['a.txt'], code: 'USAGE' },
  'knowledge share': {
    before: [remember],
    good: [ID, ...store],
    kind: 'details',
    bad: ['x', ...store],
    code: 'UNKNOWN_FACT',
  },
  'knowledge list': { before: [addAsset], good: [], kind: 'matches', bad: ['--type', 'x'], code: 'USAGE' },
  'knowledge search': {
    before: [addAsset],
    good: ['wait'],
    kind: 'matches',
    bad: ['x', '--limit', '0'],
    code: 'USAGE',
  },
  'knowledge show': { before: [addAsset], good: ['redis'], kind: 'details', bad: ['x'], code: 'UNKNOWN_ASSET' },
  'knowledge edit': {
    before: [addAsset],
    editor: 'true',
    good: ['redis'],
    kind: 'details',
    bad: ['redis', '--apply', 'x'],
    code: 'ENOENT',
  },
  'knowledge convert': {
    before: [addAsset],
    good: ['redis', 'reference'],
    kind: 'details',
    bad: ['redis', 'x'],
    code: 'USAGE',
  },
  'knowledge rename': {
    before: [addAsset],
    good: ['redis', 'valkey'],
    kind: 'details',
    bad: ['redis', '../../x'],
    code: 'INVALID_NAME',
  },
  'knowledge verify': { before: [addAsset], good: ['redis'], kind: 'details', bad: ['x'], code: 'UNKNOWN_ASSET' },
  'knowledge deprecate': {
    before: [addAsset],
    good: ['redis'],
    kind: 'details',
    bad: ['redis', '--superseded-by', 'x'],
    code: 'UNKNOWN_ASSET',
  },
  'knowledge remove': { before: [addAsset], good: ['redis'], kind: 'details', bad: ['x'], code: 'UNKNOWN_ASSET' },
  'knowledge report': {
    before: [addAsset],
    good: ['redis', 'wrong', '--note', 'x'],
    kind: 'details',
    bad: ['redis', 'good'],
    code: 'USAGE',
  },
  'knowledge import': { good: ['d'], kind: 'details', bad: ['nowhere'], code: 'INVALID_INPUT' },
  'knowledge index': { before: [addAsset], good: [], kind: 'details', bad: ['--directory', ''], code: 'USAGE' },
  'knowledge gaps': { before: [addAsset], good: [], kind: 'matches', bad: ['--close', 'x'], code: 'UNKNOWN_GAP' },
  'knowledge stats': { before: [addAsset], good: [], kind: 'details', bad: ['x'], code: 'USAGE' },
  'knowledge team init': { good: [REMOTE], kind: 'details', bad: ['nowhere'], code: 'REMOTE_FAILED' },
  'knowledge team pull': { before: [addAsset, initTeam], good: [], kind: 'details', bad: ['x'], code: 'USAGE' },
  'knowledge team push': { before: [addAsset, initTeam], good: [], kind: 'details', bad: ['x'], code: 'USAGE' },
  'knowledge team sync': { before: [addAsset, initTeam], good: [], kind: 'details', bad: ['x'], code: 'USAGE' },
  'knowledge team status': { before: [addAsset, initTeam], good: [], kind: 'details', bad: ['x'], code: 'USAGE' },
  'knowledge team resolve': {
    before: [addAsset, initTeam],
    good: [],
    kind: 'matches',
    bad: ['x'],
    code: 'UNKNOWN_ASSET',
  },
  'hook install': { good: ['codex', '--dry-run'], kind: 'details', bad: ['codex'], code: 'CONFIRMATION_NEEDED' },
  'hook remove': { good: ['codex', '--dry-run'], kind: 'details', bad: ['x'], code: 'USAGE' },
  'hook phase': { good: [], kind: 'details', bad: ['nowhere'], code: 'GIT_FAILED' },
  'notes list': {
    before: [['notes', 'add', 'build', 'x', ...store]],
    good: ['build', ...store],
    kind: 'matches',
    bad: ['--keep', '1'],
    code: 'USAGE',
  },
  'notes add': { good: ['build', 'x', ...store], kind: 'details', bad: store, code: 'USAGE' },
  'workflow run': {
    hasModel: true,
    good: ['x', '--no-tools', ...store],
    kind: 'details',
    bad: ['x', '--functions', 'nowhere.mjs', ...store],
    code: 'INVALID_FUNCTIONS',
  },
  'workflow resume': {
    before: [importWorkflows],
    hasModel: true,
    good: ['workflow_1703123456789_abc123', '--no-tools', ...store],
    kind: 'details',
    bad: ['nope', ...store],
    code: 'UNKNOWN_WORKFLOW',
  },
  'workflow edit': {
    before: [importWorkflows],
    editor: `add() { echo 'a new step' >> "$1"; }; add`,
    good: ['workflow_1703123456789_abc123', ...store],
    kind: 'details',
    bad: ['nope', ...store],
    code: 'UNKNOWN_WORKFLOW',
  },
  'workflow cancel': {
    before: [importWorkflows],
    good: ['workflow_1703123456789_abc123', ...store],
    kind: 'details',
    bad: ['nope', ...store],
    code: 'UNKNOWN_WORKFLOW',
  },
  'workflow retry': {
    before: [importWorkflows],
    hasModel: true,
    good: ['workflow_1703123456789_abc124', '--no-tools', ...store],
    kind: 'details',
    bad: ['workflow_1703123456789_abc123', ...store],
    code: 'INVALID_INPUT',
  },
  'workflow list': { good: store, kind: 'matches', bad: ['--store', 'x', '--url', 'x'], code: 'USAGE' },
  'workflow show': {
    before: [importWorkflows],
    good: ['workflow_1703123456789_abc123', ...store],
    kind: 'details',
    bad: ['nope', ...store],
    code: 'UNKNOWN_WORKFLOW',
  },
  'agents list': { before: [newAgent], good: [], kind: 'matches', bad: ['--root', 'nowhere'], code: 'USAGE' },
  'agents show': { before: [newAgent], good: ['helper'], kind: 'details', bad: ['x'], code: 'UNKNOWN_AGENT' },
  'agents new': {
    before: [newAgent],
    good: ['other', '--description', 'd', '--prompt', 'p'],
    kind: 'details',
    bad: ['helper', '--description', 'd', '--prompt', 'p'],
    code: 'AGENT_EXISTS',
  },
  'agents context': { before: [newAgent], good: ['helper'], kind: 'details', bad: ['x'], code: 'UNKNOWN_AGENT' },
  'agents run': {
    before: [newAgent],
    hasModel: true,
    good: ['helper', 'x'],
    kind: 'details',
    bad: ['x', 'x'],
    code: 'UNKNOWN_AGENT',
  },
  'agents sessions': {
    before: [newAgent, ['agents', 'run', 'helper', 'x']],
    hasModel: true,
    good: [],
    kind: 'matches',
    bad: ['--remove', 'x'],
    code: 'UNKNOWN_SESSION',
  },
  'agents clear': {
    before: [newAgent, ['agents', 'run', 'helper', 'x']],
    hasModel: true,
    good: ['helper'],
    kind: 'details',
    bad: ['x'],
    code: 'UNKNOWN_AGENT',
  },
  'mcp install': {
    good: ['codex', '--dry-run'],
    kind: 'details',
    bad: ['codex'],
    code: 'CONFIRMATION_NEEDED',
  },
  doctor: { good: [], kind: 'details', bad: ['x'], code: 'USAGE' },
};

test('every command with --json is in the table', async () => {
  const commandsOf = (help: string): string[] => {
    const [, block = ''] = help.split('\nCommands:\n');
    return [...(block.split('\n\n')[0] ?? '').matchAll(/^ {2}([\w-]+)/gmu)].map(([, name = '']) => name);
  };
  const found: string[] = [];
  const visit = async (words: readonly string[]): Promise<void> => {
    const { stdout: help } = await cairn([...words, '--help']);
    if (help.includes('\n  --json ')) found.push(words.join(' '));
    for (const name of commandsOf(help)) if (name !== 'help') await visit([...words, name]);
  };
  await visit([]);
  expect(found.toSorted()).toEqual(Object.keys(cases).toSorted());
  // A process for each command.
}, 400_000);

test.each(Object.entries(cases))('cairn %s --json prints documents of the schema', async (name, one) => {
  const cwd = createTree({
    'a.txt': 'a\n',
    'b.txt': 'a\n',
    'd/x': '',
    'asset.md': '---\nname: redis\ntype: pitfall\ntitle: Redis\n---\n\nWait 30 seconds.\n',
    'workflow.jsonl': workflow + failedWorkflow,
    'messages.jsonl': `${JSON.stringify({ ...message, time: Date.now() })}\n`,
  });
  if (name.startsWith('knowledge team')) spawnSync('git', ['init', '--quiet', '--bare', join(cwd, REMOTE)]);
  const home = temporaryDirectory();
  const server = one.hasModel === true ? await startModelServer(() => ({ text: 'x' })) : undefined;
  onTestFinished(async () => server?.close());
  const model = server === undefined ? {} : { CAIRN_BASE_URL: server.url, CAIRN_MODEL: 'scripted' };
  let id = ID;
  const env = { HOME: home, EDITOR: one.editor ?? '', VISUAL: '', ...model };
  const run = (args: readonly string[]): Promise<CairnResult> =>
    cairn(
      args.map((arg) => (arg === ID ? id : arg)),
      { cwd, env, input: one.input },
    );
  for (const args of one.before ?? []) {
    const result = await run(args);
    expect(result).toMatchObject({ exitCode: 0 });
    id = /^fact_\w+/u.exec(result.stdout)?.[0] ?? id;
  }
  const words = name.split(' ');

  const bad = await run([...words, ...one.bad, '--json']);
  expect({ exitCode: bad.exitCode, stderr: bad.stderr }).toEqual({ exitCode: 2, stderr: '' });
  const failure: unknown = JSON.parse(bad.stdout);
  expect(failure).toMatchObject({ error: { code: one.code } });
  expect(() => validators.failure.parse(failure)).not.toThrow();

  const good = await run([...words, ...one.good, '--json']);
  expect(good.stderr).toBe('');
  // An export is JSON lines of its own.
  const documents =
    name === 'memory export' ? [] : [JSON.parse(good.stdout) as { matches?: unknown[]; shown?: number }];
  expect(() => documents.map((document) => validators[one.kind].parse(document)), good.stdout).not.toThrow();
  expect(documents.map(({ shown }) => shown)).toEqual(documents.map(({ matches }) => matches?.length));
});

test('the schema tells the kinds of documents apart', () => {
  const documents: Readonly<Record<Kind, unknown>> = {
    matches: { matches: [], shown: 0, totalMatches: 0, complete: true, notices: [] },
    tree: {
      root: '/a',
      tree: '└── b',
      metadata: {
        cachedAt: '2026-01-02T03:04:05.678Z',
        buildTimeMs: 0.5,
        size: 5,
        estimatedTokens: 2,
        depth: 3,
        entries: 1,
        truncated: false,
        excluded: 0,
        hiddenSecrets: 0,
      },
      notices: [],
    },
    details: { path: 'a', notices: [] },
    failedRun: {
      run: 'run_1',
      session: 's',
      agent: 'helper',
      finishReason: 'error',
      text: '',
      steps: 0,
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, isComplete: true },
      calls: [],
      error: { code: 'MODEL_FAILED', message: 'x' },
      notices: [],
    },
    failure: { error: { code: 'USAGE', message: 'x' } },
  };
  for (const [kind, document] of Object.entries(documents)) {
    const fitting = Object.entries(validators).filter(([, validator]) => validator.safeParse(document).success);
    expect(fitting.map(([name]) => name)).toEqual([kind]);
  }
});
