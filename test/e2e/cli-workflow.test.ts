import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { cairn, cairnProcess, finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { startModelServer, toolNamesOf } from '../support/model-server.ts';
import type { ModelReply, ModelRequest, ModelScript, ModelServer } from '../support/model-server.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { runInTerminal } from '../support/terminal.ts';
import { temporaryDirectory } from '../support/tree.ts';

const desktop = fileURLToPath(new URL('functions/desktop.mjs', import.meta.url));

const goal = '帮我做一个表格';
const question = '请告诉我表格的具体内容，包括行数、列数、表头和数据';
const answer = '3行3列，表头是姓名、年龄、城市，数据是张三25北京、李四30上海、王五28深圳';
const data =
  '[{"姓名":"张三","年龄":25,"城市":"北京"},{"姓名":"李四","年龄":30,"城市":"上海"},{"姓名":"王五","年龄":28,"城市":"深圳"}]';

/** The answers of the source's example, byte for byte. */
const source = {
  decision: `用户请求：帮我做一个表格

分析：
- 这是一个复杂任务，需要多步骤完成
- 需要：1. 确定表格内容 2. 创建Excel文件 3. 填写数据

决策：需要TODO工作流
TODO列表:
1. 询问用户表格的具体内容和格式
2. 创建Excel文件
3. 填写数据到表格`,
  first: `完成度评估: 0.3
执行动作: 无
下一步建议: 需要询问用户表格的具体内容：行数、列数、表头、数据等
笔记: 用户需要创建表格，但具体内容未确定`,
  second: `完成度评估: 0.5
执行动作: [询问用户:${question}]
下一步建议: 等待用户回复后创建Excel文件
笔记: 已询问用户表格内容，等待回复`,
  third: `完成度评估: 0.8
执行动作: [生成Excel:表格.xlsx:${data}]
下一步建议: 无
笔记: 已创建Excel文件，包含3行3列数据`,
};

interface Place {
  readonly cwd: string;
  readonly server: ModelServer;
  readonly cairn: (...args: readonly string[]) => Promise<CairnResult>;
  readonly start: (...args: readonly string[]) => ReturnType<typeof startCairn>;
  readonly env: Readonly<Record<string, string>>;
}

async function startPlace(script: ModelScript): Promise<Place> {
  const cwd = temporaryDirectory();
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const env = { CAIRN_MODEL: 'm', CAIRN_BASE_URL: server.url, HOME: cwd };
  const store = ['--store', join(cwd, 'memory.db')];
  return {
    cwd,
    server,
    env,
    cairn: (...args) => cairn(['workflow', ...args, ...store], { cwd, env }),
    start: (...args) => startCairn(['workflow', ...args, ...store], { cwd, env }),
  };
}

/** The text of the last message of a request. */
function promptOf({ chat }: ModelRequest): string {
  const content = chat.messages.at(-1)?.content;
  if (typeof content !== 'string') throw new Error('the last message is not a text');
  return content;
}

/** The name of a workflow that standard error shows. */
function idIn({ stderr, stdout }: Pick<CairnResult, 'stderr' | 'stdout'>): string {
  const [id] = /workflow_\d+_[\da-z]+/u.exec(`${stderr}\n${stdout}`) ?? [];
  if (id === undefined) throw new Error(`no workflow in ${stderr}\n${stdout}`);
  return id;
}

function fail(what: string): never {
  throw new Error(what);
}

/** Reads the rows of a workbook whose parts are not compressed. */
function rowsOf(path: string): string[][] {
  const text = readFileSync(path, 'utf8');
  const sheet = /<sheetData>(.*)<\/sheetData>/su.exec(text)?.[1] ?? '';
  return [...sheet.matchAll(/<row>(.*?)<\/row>/gsu)].map(([, row = '']) =>
    [...row.matchAll(/<t>(.*?)<\/t>/gsu)].map(([, value = '']) => value),
  );
}

const table = [
  ['姓名', '年龄', '城市'],
  ['张三', '25', '北京'],
  ['李四', '30', '上海'],
  ['王五', '28', '深圳'],
];

const run = ['--stream', 'chat', '--merge', 'desktop', '--functions', `desktop=${desktop}`, '--no-tools'];

/** Kills a process after it has printed a text to standard error. */
async function killed(child: ReturnType<typeof startCairn>, text: string = ''): Promise<CairnResult> {
  const end = finished(child);
  await new Promise<void>((resolve) => {
    let printed = '';
    const check = (more: string): void => {
      printed += more;
      if (printed.includes(text)) resolve();
    };
    child.stderr?.on('data', check);
    child.once('close', resolve);
    check('');
  });
  child.kill('SIGKILL');
  return end;
}

test('makes the table of the source in Chinese, killed in the middle and resumed by another process', async () => {
  let reached = (): void => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let isFirst = true;
  const place = await startPlace((request) => {
    const prompt = promptOf(request);
    const [, task] = /【当前任务】\n(.*)\n/u.exec(prompt) ?? [];
    if (task === undefined) return { text: source.decision };
    if (task === '询问用户表格的具体内容和格式') return { text: source.first };
    if (task === '创建Excel文件') {
      if (!isFirst) return { text: source.second };
      isFirst = false;
      reached();
      return { never: true };
    }
    if (task === '填写数据到表格') return { text: source.third };
    return { text: '完成度评估: 1\n执行动作: 无\n下一步建议: 无\n笔记: 无' };
  });
  const { cwd, server, start, cairn } = place;

  const first = start(
    'run',
    goal,
    ...run,
    '--language',
    'zh',
    '--persona',
    '你是一个智能助手。',
    '--group',
    'group_123',
  );
  await isReached;
  const step = 'todo_0 partly done (30 %); next: 需要询问用户表格的具体内容：行数、列数、表头、数据等\n';
  const gone = await killed(first, step);
  expect(gone.signal).toBe('SIGKILL');
  const id = idIn(gone);
  expect(gone.stderr).toContain(`${id}: ${goal}\n  todo_0 pending: 询问用户表格的具体内容和格式\n`);
  expect(gone.stderr).toContain(step);

  // Another process waits for the end of the lease, repeats the step that was interrupted, and asks.
  const asked = await cairn('resume', id);
  expect(asked).toMatchObject({ exitCode: 1, stdout: `${question}\n` });
  expect(asked.stderr).toContain(
    `it waits for your answer: cairn workflow resume ${id} '<answer>' --store ${cwd}/memory.db`,
  );
  const shown = await cairn('show', id);
  expect(shown.stdout).toContain('status: waiting');
  expect(shown.stdout).toContain(`: ${question}`);

  const done = await cairn('resume', id, answer);
  expect(done).toMatchObject({ exitCode: 0, stdout: '已创建Excel文件，包含3行3列数据\n' });
  expect(rowsOf(join(cwd, '表格.xlsx'))).toEqual(table);
  expect(readFileSync(join(cwd, 'calls.txt'), 'utf8')).toBe('表格.xlsx\n');
  expect(server.refusals).toEqual([]);

  // The step that makes the table read the notes, the question and the answer.
  const third = server.requests.find((request) => promptOf(request).includes('【当前任务】\n填写数据到表格\n'));
  const sent = third === undefined ? '' : promptOf(third);
  expect(sent).toContain('1. 已询问用户表格内容，等待回复\n2. 用户需要创建表格，但具体内容未确定\n');
  expect(JSON.stringify(third?.chat.messages)).toContain(answer);
  expect(sent).toContain(
    '- desktop.create_excel_document(filename: 文件名, data: 数据：对象的数组，键是表头): 创建Excel文件',
  );
  const [system] = third?.chat.messages ?? [];
  expect(JSON.stringify(system)).toContain('你的记忆存储在：ai:memory:chat-desktop:group_123');
  expect((await cairn('show', id, '--json')).stdout).toContain('"status":"done"');
  expect(done.stderr).toContain('todo_2 done (80 %)\ntodo_3 closed by todo_2\ntodo_4 closed by todo_2\n');
  const steps = (await cairn('show', id)).stdout.match(/^todo_\d [a-z ]+(?=:)/gmu);
  expect(steps).toEqual(['todo_0 partly done', 'todo_1 partly done', 'todo_2 done', 'todo_3 closed', 'todo_4 closed']);
  expect((await cairn('list')).stdout).toContain(`${id} done, 3 of 5 done, 2 partly, `);
});

test('makes the table in English with calls of tools, killed in the middle of a call and resumed', async () => {
  const rows = [
    { name: 'Ann', age: 25, city: 'Oslo' },
    { name: 'Bob', age: 30, city: 'Rome' },
    { name: 'Cem', age: 28, city: 'Bonn' },
  ];
  const call = (name: string, input: object): ModelReply => ({ toolCalls: [{ name, input }] });
  const script = (request: ModelRequest): ModelReply => {
    const user = request.chat.messages.findLast(({ role }) => role === 'user')?.content;
    const prompt = typeof user === 'string' ? user : '';
    const last = request.chat.messages.at(-1);
    const [, task] = /# Current task\n(.*)\n/u.exec(prompt) ?? [];
    if (task === undefined) return call('create_todos', { todos: ['Ask what is in the table', 'Create the file'] });
    if (task === 'Ask what is in the table') {
      if (!prompt.includes('3 rows of Ann')) return call('ask_user', { question: 'What is in the table?' });
      return call('finish_step', { completion: 1, note: 'the user answered' });
    }
    // After the kill the model reads that the outcome is not known, and finds the file.
    if (prompt.includes('outcome unknown')) {
      return call('finish_step', { completion: 1, result: 'The table is in table.xlsx.' });
    }
    if (last?.role === 'tool') throw new Error('the call ended, though it hangs');
    return call('desktop_create_excel_document', { filename: 'table.xlsx', data: rows });
  };
  const { cwd, server, start, cairn } = await startPlace(script);
  writeFileSync(join(cwd, 'hang'), '');

  const asked = await cairn('run', 'Make a table for me', ...run);
  expect(asked).toMatchObject({ exitCode: 1, stdout: 'What is in the table?\n' });
  const id = idIn(asked);

  const child = start('resume', id, '3 rows of Ann, Bob and Cem');
  const written = join(cwd, 'calls.txt');
  const watcher = watch(cwd);
  onTestFinished(() => watcher.close());
  const isWritten = (): boolean => existsSync(written) && readFileSync(written, 'utf8').endsWith('\n');
  while (!isWritten()) await once(watcher, 'change');
  await killed(child);
  rmSync(join(cwd, 'hang'));

  const done = await cairn('resume', id);
  expect(done).toMatchObject({ exitCode: 0, stdout: 'The table is in table.xlsx.\n' });
  expect((await cairn('show', id)).stdout).toMatch(
    /^call_\d+ of todo_1 unknown: desktop\.create_excel_document \{"filename":"table\.xlsx",/mu,
  );
  // It was not made a second time.
  expect(readFileSync(written, 'utf8')).toBe('table.xlsx\n');
  expect(rowsOf(join(cwd, 'table.xlsx'))).toEqual([
    ['name', 'age', 'city'],
    ...rows.map(({ name, age, city }) => [name, String(age), city]),
  ]);
  expect(server.refusals).toEqual([]);
});

test('the module of the README works', async () => {
  const readme = readFileSync(new URL('../../packages/cli/README.md', import.meta.url), 'utf8');
  const module = codeBlocksOf('README.md', readme).find(({ language }) => language === 'js')?.text ?? '';
  const { cwd, cairn } = await startPlace(({ chat }) => {
    const prompt = JSON.stringify(chat.messages.at(-1));
    if (!prompt.includes('# Current task'))
      return { text: 'Decision: complex\nTODO list:\n1. Ask\n2. Create the file' };
    if (prompt.includes('Ann, Bob')) {
      const rows = JSON.stringify([{ name: 'Ann' }, { name: 'Bob' }]);
      return {
        text: `Completion: 1\nAction: [生成表格:team.csv:${rows}]\nNext step: None\nNote: team.csv has 2 rows.`,
      };
    }
    return { text: 'Completion: 0.2\nAction: [ask_user:What are the names?]\nNext step: None\nNote: None' };
  });
  writeFileSync(join(cwd, 'functions.mjs'), module);
  const command = ['run', 'Make a table of the team', '--functions', './functions.mjs', '--no-tools'] as const;
  // The module is one of the project.
  expect((await cairn(...command)).stderr).toMatch(/the module comes with the repository .*or add --trust/u);
  const asked = await cairn(...command, '--trust');
  expect(asked).toMatchObject({ exitCode: 1, stdout: 'What are the names?\n' });
  const done = await cairn('resume', idIn(asked), 'Ann, Bob');
  expect(done).toMatchObject({ exitCode: 0, stdout: 'team.csv has 2 rows.\n' });
  expect(readFileSync(join(cwd, 'team.csv'), 'utf8')).toBe('name\nAnn\nBob\n');
});

describe('the memory of one stream', () => {
  test.each([
    ['记住我是主人', '主人', 'zh'],
    ['call me master', 'master', 'en'],
  ])('no other stream knows: %s', async (text, word, language) => {
    const { server, cairn } = await startPlace(() => ({ text: 'OK' }));
    const flags = ['--language', language, '--group', 'g', '--no-tools'];
    const sent = async (...args: readonly string[]): Promise<string> => {
      const { exitCode, stderr } = await cairn('run', ...args, ...flags);
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      return server.requests.at(-1)?.body.toString() ?? '';
    };
    await sent(text, '--stream', 'desktop');
    expect(await sent('hello', '--stream', 'desktop')).toContain(word);
    expect(await sent('hello', '--stream', 'chat')).not.toContain(word);
    expect(await sent('hello', '--stream', 'chat', '--merge', 'desktop')).not.toContain(word);
    await sent(text, '--stream', 'chat', '--merge', 'desktop');
    expect(await sent('hello', '--stream', 'chat', '--merge', 'desktop')).toContain(word);
    expect(await sent('hello', '--stream', 'chat')).not.toContain(word);
  });

  test('a fact that its model remembers is known to it only', async () => {
    let isFirst = true;
    const { server, cairn } = await startPlace(() => {
      if (!isFirst) return { text: 'OK' };
      isFirst = false;
      return { toolCalls: [{ name: 'remember', input: { text: 'The user is called master' } }] };
    });
    const sent = async (goalOfRun: string, stream: string, group: string): Promise<string> => {
      expect(await cairn('run', goalOfRun, '--stream', stream, '--group', group, '--allow', 'remember')).toMatchObject({
        exitCode: 0,
      });
      return server.requests.at(-1)?.body.toString() ?? '';
    };
    await sent('call me master', 'desktop', 'g1');
    expect(await sent('hello', 'desktop', 'g2')).toContain('called master');
    expect(await sent('hello', 'chat', 'g2')).not.toContain('called master');
  });
});

const ask: ModelScript = ({ chat }) => {
  const prompt = JSON.stringify(chat.messages.at(-1));
  if (!prompt.includes('# Current task')) return { text: 'Decision: complex\nTODO list:\n1. Ask\n2. Answer' };
  if (prompt.includes('# Current task\\nAsk') && !prompt.includes('three')) {
    return { text: 'Completion: 0.2\nAction: [ask_user:How many?]\nNext step: None\nNote: None' };
  }
  return { text: 'Completion: 1\nAction: None\nNext step: None\nNote: There are three.' };
};

test.skipIf(process.platform === 'win32')('asks in a terminal, and goes on with the answer', async () => {
  const { cwd, env } = await startPlace(ask);
  const args = ['workflow', 'run', 'Count', '--no-tools', '--store', join(cwd, 'memory.db')];
  const terminal = runInTerminal(args, { cwd, env });
  await terminal.until(
    (rows) => rows.some((row) => row === 'How many?') && rows.some((row) => row === '>'),
    'the question',
  );
  terminal.type('three\r');
  expect(await terminal.end).toEqual({ exitCode: 0, stdout: 'There are three.\n' });
});

test.skipIf(process.platform === 'win32')(
  'Ctrl-C at a question and in a request leaves a workflow that can be resumed',
  async () => {
    let reached = (): void => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let hangs = true;
    const { cwd, env, start, cairn } = await startPlace((request) => {
      if (!JSON.stringify(request.chat.messages).includes('three') || !hangs)
        return typeof ask === 'function' ? ask(request) : {};
      reached();
      return { never: true };
    });
    const terminal = runInTerminal(['workflow', 'run', 'Count', '--no-tools', '--store', join(cwd, 'memory.db')], {
      cwd,
      env,
    });
    await terminal.until((rows) => rows.some((row) => row === '>'), 'the question');
    terminal.type('\u0003');
    const stopped = await terminal.until((rows) => rows.join('').includes('cairn workflow resume'), 'how to go on');
    expect((await terminal.end).exitCode).toBe(130);
    const id = idIn({ stdout: stopped.join(''), stderr: '' });

    const child = start('resume', id, 'three');
    const end = finished(child);
    await isReached;
    child.kill('SIGINT');
    expect(await end).toMatchObject({ exitCode: 130 });
    expect((await end).stderr).toContain(
      `cairn: stopped; continue it with 'cairn workflow resume ${id} --store ${cwd}/memory.db'\n`,
    );
    hangs = false;
    expect(await cairn('resume', id)).toMatchObject({ exitCode: 0, stdout: 'There are three.\n' });
  },
);

test('a call that needs approval waits, is rejected, and runs only with a yes', async () => {
  const write = { name: 'desktop_create_excel_document', input: { filename: 'a.xlsx', data: [{ a: 1 }] } };
  const { cwd, cairn } = await startPlace(({ chat }) => {
    const messages = JSON.stringify(chat.messages);
    if (messages.includes('b.xlsx: 1 x 1'))
      return { text: 'Completion: 1\nAction: None\nNext step: None\nNote: Done.' };
    if (messages.includes('rejected it: not this name'))
      return { toolCalls: [{ ...write, input: { ...write.input, filename: 'b.xlsx' } }] };
    return { toolCalls: [write] };
  });
  const asked = await cairn('run', 'Make a file', ...run, '--approve', 'all', '--json');
  const response = JSON.parse(asked.stdout) as {
    readonly workflow: string;
    readonly text: string;
    readonly next: string;
  };
  expect([asked.exitCode, asked.stderr]).toEqual([1, '']);
  expect(response).toMatchObject({
    status: 'waiting',
    waitsFor: { kind: 'approval', call: { name: 'desktop.create_excel_document' } },
  });
  expect(response.next).toBe(`cairn workflow resume ${response.workflow} yes --store ${cwd}/memory.db`);
  const refused = await cairn('resume', response.workflow, 'not this name');
  expect(refused.exitCode).toBe(1);
  expect(refused.stdout).toContain('b.xlsx');
  expect(existsSync(join(cwd, 'a.xlsx'))).toBe(false);
  expect(await cairn('resume', response.workflow, 'yes')).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(cwd, 'a.xlsx'))).toBe(false);
  expect(rowsOf(join(cwd, 'b.xlsx'))).toEqual([['a'], ['1']]);
});

test('a failed step is tried again by retry, and a cancelled workflow does not go on', async () => {
  let works = false;
  const { cwd, cairn } = await startPlace(({ chat }) => {
    if (!JSON.stringify(chat.messages.at(-1)).includes('# Current task'))
      return { text: 'Decision: complex\nTODO list:\n1. Try' };
    return { text: works ? 'Completion: 1\nNote: It works.' : 'I cannot do that.' };
  });
  const failed = await cairn('run', 'Try', '--no-tools');
  const id = idIn(failed);
  expect(failed.exitCode).toBe(2);
  expect(failed.stderr).toContain(
    `cairn: the workflow failed; 'cairn workflow retry ${id} --store ${cwd}/memory.db' tries its failed steps again\n`,
  );
  expect(failed.stderr).toContain('todo_0: Try (try 4)\n');
  works = true;
  expect(await cairn('retry', id, 'todo_7')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await cairn('retry', id)).toMatchObject({ exitCode: 0, stdout: 'It works.\n' });

  const waiting = await startPlace(ask);
  const other = idIn(await waiting.cairn('run', 'Count', '--no-tools'));
  // A goal would be taken as the answer.
  const second = await waiting.cairn('run', 'Something else', '--no-tools');
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain(
    `the workflow ${other} of the group default waits for an answer; answer it with cairn workflow resume ${other} '<answer>'`,
  );
  expect(await waiting.cairn('cancel', other, '--reason', 'not needed')).toMatchObject({
    exitCode: 0,
    stdout: `cancelled ${other}\n`,
  });
  const resumed = await waiting.cairn('resume', other, 'three');
  expect(resumed.exitCode).toBe(2);
  expect(resumed.stderr).toContain('is finished (cancelled)');
});

test('a process that works keeps its workflow: another one is rejected', async () => {
  let reached = (): void => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { start, cairn } = await startPlace((request) => {
    if (promptOf(request).includes('# Current task')) {
      reached();
      return { never: true };
    }
    return { text: 'Decision: complex\nTODO list:\n1. Wait' };
  });
  const child = start('run', 'Wait', '--no-tools');
  await isReached;
  const id = /workflow_\d+_[\da-z]+/u.exec((await cairn('list')).stdout)?.[0] ?? '';
  const other = await cairn('resume', id);
  expect(other.exitCode).toBe(2);
  expect(other.stderr).toMatch(
    /^cairn: another process holds the workflow; it is free in 10 s unless that process is alive\n/u,
  );
  expect(other.stderr).toContain(`The workflow ${id} is being run by runner_`);
  await killed(child);
});

test('options choose the tools, and the settings of a workflow are those that it began with', async () => {
  const { server, cairn } = await startPlace(ask);
  const tools = (): string[] => toolNamesOf(server.requests.at(-1) ?? fail('there is no request'));
  await cairn('run', 'x', '--group', 'a');
  expect(tools()).toContain('write');
  await cairn('run', 'x', '--group', 'b', '--no-tools');
  expect(tools()).toEqual(['ask_user', 'finish_step']);
  const { stdout, stderr } = await cairn(
    'run',
    'x',
    '--group',
    'c',
    '--read-only',
    ...run.filter((word) => word !== '--no-tools'),
  );
  expect(tools()).toEqual(expect.arrayContaining(['read', 'recall', 'desktop_create_excel_document']));
  expect(tools()).not.toContain('write');
  const before = tools();
  expect(await cairn('resume', idIn({ stdout, stderr }), 'three')).toMatchObject({ exitCode: 0 });
  expect(tools()).toEqual(before);
});

test('a workflow of another program goes on with the functions that are given', async () => {
  const { cwd, server, cairn } = await startPlace(() => ({ text: 'Completion: 1\nNote: Done.' }));
  const record = { kind: 'workflow', id: 'workflow_1', goal: 'g', streamName: 'chat-desktop', groupId: 'g' };
  const todos = [{ id: 'todo_0', content: 'c', status: 'pending' }];
  const state = {
    merge: { main: 'chat', secondary: ['desktop'] },
    iterations: 0,
    tries: {},
    answers: 0,
    calls: [],
    callCount: 0,
  };
  writeFileSync(join(cwd, 'workflow.jsonl'), `${JSON.stringify({ ...record, todos, state })}\n`);
  const imported = await cairnProcess(['memory', 'import', 'workflow.jsonl', '--store', 'memory.db'], { cwd });
  expect(imported.exitCode).toBe(0);
  const resumed = await cairn('resume', 'workflow_1', '--functions', `desktop=${desktop}`, '--no-tools');
  expect(resumed).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
  expect(resumed.stderr).toContain(
    'another program began this workflow: only the functions that are given here are offered',
  );
  expect(toolNamesOf(server.requests.at(-1) ?? fail('there is no request'))).toContain('desktop_create_excel_document');
});

test.skipIf(!hasRedis)('modules that a Redis names are not loaded unless they are given again', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const { cwd, env } = await startPlace(ask);
  const workflow = (...args: readonly string[]): Promise<CairnResult> =>
    cairn(['workflow', ...args, '--url', redis.url], { cwd, env });
  const asked = await workflow('run', 'Count', ...run);
  const id = idIn(asked);
  const refused = await workflow('resume', id, 'three');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    `has functions of modules, and others can write to a Redis; if you trust them, add --functions desktop=${desktop}\n`,
  );
  const done = await workflow('resume', id, 'three', '--functions', `desktop=${desktop}`);
  expect(done).toMatchObject({ exitCode: 0, stdout: 'There are three.\n' });
});

test('mistakes are reported before anything is sent', async () => {
  const { cwd, server, cairn } = await startPlace(() => ({ text: 'OK' }));
  writeFileSync(join(cwd, 'bad.mjs'), 'export default [{ name: "f" }];');
  const cases: readonly (readonly [args: readonly string[], error: string])[] = [
    [['run', 'x', '--functions', 'bad.mjs', '--trust'], '`description` is not a text'],
    [['run', 'x', '--functions', 'missing.mjs'], 'missing.mjs: there is no such file. Check the path.'],
    [['run', 'x', '--approve', 'nothing', '--no-tools'], '`needsApproval` names functions that do not exist: nothing'],
    [['run', ' '], 'the goal is empty; give it as an argument'],
    [['resume', 'workflow_1_x'], 'workflow_1_x'],
    [['retry', 'workflow_1_x'], 'workflow_1_x'],
    [['cancel', 'workflow_1_x'], 'workflow_1_x'],
  ];
  for (const [args, error] of cases) {
    const { exitCode, stdout, stderr } = await cairn(...args);
    expect(stderr).toContain(error);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toHaveLength(2);
  }
  expect(server.requests).toEqual([]);
});

test('without a model the message states how to name one', async () => {
  const cwd = temporaryDirectory();
  const { exitCode, stderr } = await cairnProcess(['workflow', 'run', 'x', '--store', join(cwd, 'm.db')], { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('CAIRN_MODEL');
});

describe.skipIf(process.platform === 'win32')('cairn workflow edit', () => {
  /** Waits with its first step; the model fails nothing and asks nothing else. */
  const script: ModelScript = (request) => {
    const prompt = promptOf(request);
    if (prompt.includes('make a site') && !prompt.includes('# Current task')) {
      return {
        text: ['Decision: complex', 'TODO list:', '1. ask for the name', '2. write the page', '3. publish it'].join(
          '\n',
        ),
      };
    }
    if (prompt.includes('# Current task\nask for the name') && !prompt.includes('Ann')) {
      return { text: 'Completion: 0.2\nAction: [ask_user:Which name?]\nNext step: None\nNote: None' };
    }
    return { text: 'Completion: 1\nAction: None\nNext step: None\nNote: None' };
  };

  interface Edits {
    readonly id: string;
    readonly place: Place;
    /** Edits with a shell command that has the file as $1. */
    readonly edit: (command: string, ...args: readonly string[]) => Promise<CairnResult>;
    readonly todos: () => Promise<(readonly [id: string, content: string, status: string])[]>;
  }

  async function waiting(): Promise<Edits> {
    const place = await startPlace(script);
    const id = idIn(await place.cairn('run', 'make a site', '--no-tools'));
    const store = ['--store', join(place.cwd, 'memory.db')];
    return {
      id,
      place,
      edit: (command, ...args) =>
        cairnProcess(['workflow', 'edit', id, ...args, ...store], {
          cwd: place.cwd,
          env: { ...place.env, EDITOR: `run() { ${command}; }; run`, VISUAL: '' },
        }),
      todos: async () => {
        const { stdout } = await place.cairn('show', id, '--json');
        const { todos } = JSON.parse(stdout) as { todos: { id: string; content: string; status: string }[] };
        return todos.map((todo) => [todo.id, todo.content, todo.status] as const);
      },
    };
  }

  test('changes, adds, removes and moves the open steps, and the workflow goes on with them', async () => {
    const { id, place, edit, todos } = await waiting();
    const shown = join(place.cwd, 'shown.txt');
    const nothing = await edit(`cp "$1" '${shown}'`);
    expect(nothing).toMatchObject({ exitCode: 1, stderr: 'cairn: the text was not changed; nothing was done\n' });
    const text = readFileSync(shown, 'utf8');
    expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      '[todo_0] ask for the name',
      '[todo_1] write the page',
      '[todo_2] publish it',
      '',
    ]);
    const next = join(place.cwd, 'next.txt');
    writeFileSync(next, '# a remark\n[todo_0] ask for the name\n\ncheck the ⏎ spelling\n[todo_2] publish it\n');
    expect(await edit(`cp '${next}' "$1"`)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'cairn: added 1, changed 0, removed 1: 3 open steps\n',
    });
    expect(await todos()).toEqual([
      ['todo_0', 'ask for the name', 'waiting'],
      ['todo_3', 'check the\nspelling', 'pending'],
      ['todo_2', 'publish it', 'pending'],
    ]);
    writeFileSync(next, '[todo_0] ask for the name\n[todo_2] publish it now\n[todo_3] check the ⏎ spelling\n');
    expect((await edit(`cp '${next}' "$1"`)).stderr).toBe(
      'cairn: added 0, changed 1, removed 0, changed the order: 3 open steps\n',
    );
    expect(await place.cairn('resume', id, 'Ann')).toMatchObject({ exitCode: 0 });
    expect(await todos()).toEqual([
      ['todo_0', 'ask for the name', 'done'],
      ['todo_2', 'publish it now', 'done'],
      ['todo_3', 'check the\nspelling', 'done'],
    ]);
    const tasks = place.server.requests.flatMap(
      (request) => /# Current task\n(.*)/u.exec(promptOf(request))?.[1] ?? [],
    );
    expect(tasks).toEqual(['ask for the name', 'ask for the name', 'publish it now', 'check the']);
    // Finished steps cannot be edited.
    expect(await edit('true')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${id} is done`) });
  });

  test.each([
    ['an id that no open step has', 'echo \'[todo_9] x\' >> "$1"', /no open todo "todo_9"/u],
    ['an id twice', 'echo \'[todo_1] x\' >> "$1"', /todo_1 is in the list twice/u],
    ['an id without a text', 'echo \'[todo_1]\' > "$1"', /line 1 has no text/u],
    ['no step', 'echo "# none" > "$1"', /no open step is left; keep one, or use 'cairn workflow cancel/u],
  ])('%s changes nothing, and the text is kept and applied later', async (_name, command, message) => {
    const { edit, todos } = await waiting();
    const before = await todos();
    const failed = await edit(command);
    expect(failed).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(failed.stderr).toContain('nothing was changed');
    expect(await todos()).toEqual(before);
    const [, file = ''] = /the edited text is in (\S+\.txt)/u.exec(failed.stderr) ?? [];
    writeFileSync(file, '[todo_1] write two pages\n');
    expect(await edit('false', '--apply', file)).toMatchObject({ exitCode: 0 });
    expect(await todos()).toEqual([['todo_1', 'write two pages', 'pending']]);
    expect(existsSync(file)).toBe(false);
  });

  test('steps that changed meanwhile are not lost', async () => {
    const { id, place, edit, todos } = await waiting();
    const other = join(place.cwd, 'other.txt');
    writeFileSync(other, '[todo_0] ask for the name\nfrom another terminal\n');
    const [node, cairn] = [
      process.execPath,
      fileURLToPath(new URL('../../packages/cli/bin/cairn.js', import.meta.url)),
    ];
    const store = join(place.cwd, 'memory.db');
    const failed = await edit(
      `'${node}' '${cairn}' workflow edit ${id} --apply '${other}' --store '${store}' && echo mine >> "$1"`,
    );
    expect(failed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /changed since the edit began; nothing was changed; the edited text is in .*again/u,
      ),
    });
    expect((await todos()).map(([, content]) => content)).toEqual(['ask for the name', 'from another terminal']);
  });
});

describe('a tool that changes something', () => {
  const write = { name: 'write', input: { path: 'a.txt', content: 'new\n' } };
  const script: ModelScript = ({ chat }) =>
    chat.messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [write] };
  const text = (cwd: string): string | undefined =>
    existsSync(join(cwd, 'a.txt')) ? readFileSync(join(cwd, 'a.txt'), 'utf8') : undefined;

  test('waits for an approval where no person can be asked, and runs with a yes or a rule', async () => {
    const { cwd, cairn } = await startPlace(({ chat }) =>
      /Created a\.txt|already has exactly/u.test(JSON.stringify(chat.messages))
        ? { text: 'Completion: 1\nAction: None\nNext step: None\nNote: Done.' }
        : { toolCalls: [write] },
    );
    const asked = await cairn('run', 'Write it');
    expect([asked.exitCode, text(cwd)]).toEqual([1, undefined]);
    expect(asked.stderr).toContain('it waits for your approval');
    await cairn('resume', idIn(asked), 'yes');
    expect(text(cwd)).toBe('new\n');
    const other = await startPlace(script);
    await other.cairn('run', 'Write it', '--allow', 'write(a.txt)');
    expect(text(other.cwd)).toBe('new\n');
  });

  test('is rejected by a rule, and the model reads which', async () => {
    const { cwd, server, cairn } = await startPlace(script);
    expect((await cairn('run', 'Write it', '--allow', '*', '--deny', '*(*.txt)')).exitCode).toBe(0);
    expect(text(cwd)).toBeUndefined();
    expect(JSON.stringify(server.requests.at(-1)?.chat)).toContain('the rule *(*.txt) of --deny denies it');
  });

  test.skipIf(process.platform === 'win32')('is asked about in a terminal, after the diff', async () => {
    const { cwd, env } = await startPlace(script);
    const args = ['workflow', 'run', 'Write it', '--store', join(cwd, 'memory.db')];
    const terminal = runInTerminal(args, { cwd, env, rows: 50 });
    const rows = await terminal.until((now) => now.some((row) => row === '>'), 'the question');
    expect(rows).toContain('+new');
    expect(text(cwd)).toBeUndefined();
    terminal.type('y\r');
    expect((await terminal.end).exitCode).toBe(0);
    expect(text(cwd)).toBe('new\n');
  });
});
