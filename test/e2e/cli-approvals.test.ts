/** Approvals and trust at the command line: questions in a real terminal, rules in files and options, and runs without a terminal. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairn, type CairnResult } from '../support/cli.ts';
import { startModelServer, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelScript, ModelServer } from '../support/model-server.ts';
import { runInTerminal, type TerminalRun } from '../support/terminal.ts';
import { createTree, type Tree } from '../support/tree.ts';

interface Person {
  readonly project: string;
  readonly home: string;
  readonly server: ModelServer;
  readonly agents: (...args: readonly string[]) => Promise<CairnResult>;
  readonly inTerminal: (...args: readonly string[]) => TerminalRun;
  /** The content of a file of the project. */
  readonly text: (path: string) => string | undefined;
  /** The kept rules and trust of the project. */
  readonly kept: () => { readonly allow?: readonly string[]; readonly trusted?: Readonly<Record<string, string>> };
}

function definition(name: string, more = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}\n${more}---\nYou are ${name}.\n`;
}

function call(name: string, input: object): ModelAnswer {
  return { toolCalls: [{ name, input }] };
}

function write(path: string, content = 'new\n'): ModelAnswer {
  return call('write', { path, content });
}

/** A person with a project, and an agent `helper` of their own or of the project. */
async function person(
  script: ModelScript,
  {
    project = {},
    home = {},
    isOwn = true,
  }: { readonly project?: Tree; readonly home?: Tree; readonly isOwn?: boolean } = {},
): Promise<Person> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const helper = definition('helper', 'shows: []\n');
  const directory = createTree({
    project: { '.git/': {}, ...(!isOwn && { '.cairn/agents/helper.md': helper }), ...project },
    home: { ...(isOwn && { '.config/cairn/agents/helper.md': helper }), ...home },
  });
  const [cwd, homeDirectory] = [join(directory, 'project'), join(directory, 'home')];
  const env = { HOME: homeDirectory, CAIRN_BASE_URL: server.url, CAIRN_MODEL: 'scripted' };
  const inPlace = 'exec "$NODE" "$CAIRN" "$@"';
  const projects = join(homeDirectory, '.config/cairn/projects');
  return {
    project: cwd,
    home: homeDirectory,
    server,
    agents: (...args) => cairn(['agents', ...args], { cwd, env }),
    inTerminal: (...args) => runInTerminal(['agents', ...args], { cwd, env, columns: 110, rows: 60, script: inPlace }),
    text: (path) => (existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), 'utf8') : undefined),
    kept: () => {
      const [file] = existsSync(projects) ? readdirSync(projects).filter((name) => name.endsWith('.json')) : [];
      return file === undefined ? {} : (JSON.parse(readFileSync(join(projects, file), 'utf8')) as object);
    },
  };
}

/** Waits for the nth question, and answers it. */
async function answer(terminal: TerminalRun, typed: string, nth = 1): Promise<string[]> {
  const isAsked = (rows: string[]): boolean =>
    rows.filter((row) => row.startsWith('Allow the agent')).length >= nth &&
    (rows.findLast((row) => row !== '') ?? '').trim() === '>';
  const rows = await terminal.until(isAsked, `question ${nth}`);
  terminal.type(`${typed}\r`);
  return rows;
}

function shown(terminal: TerminalRun): string {
  return terminal
    .rows()
    .filter((row) => row !== '')
    .join('\n');
}

describe.skipIf(process.platform === 'win32')('a question in a terminal', () => {
  test('shows the diff first; y allows one call, and n with a reason tells the model', async () => {
    const who = await person([write('a.txt', 'two\n'), write('b.txt'), { text: 'Done.' }]);
    const terminal = who.inTerminal('run', 'helper', 'Go.');
    const rows = await answer(terminal, 'y');
    const at = rows.findIndex((row) => row.startsWith('Allow the agent helper to call write?'));
    const diff = rows.indexOf('+two');
    expect(diff).toBeGreaterThan(0);
    expect(at).toBeGreaterThan(diff);
    expect(rows).toContain('  s  until this command ends: write');
    expect(rows).toContain('  a  always in this project: write("a.txt")');
    await answer(terminal, 'n use c.txt instead', 2);
    expect((await terminal.end).exitCode).toBe(0);
    expect([who.text('a.txt'), who.text('b.txt')]).toEqual(['two\n', undefined]);
    expect(who.server.requests.flatMap((request) => transcriptOf(request)).join()).toContain(
      'The user rejected this call of write: use c.txt instead.',
    );
    expect(who.kept().allow).toBeUndefined();
  });

  test('s allows the tool until the command ends', async () => {
    const who = await person([write('a.txt'), write('b.txt'), { text: 'Done.' }]);
    const terminal = who.inTerminal('run', 'helper', 'Go.');
    await answer(terminal, 's');
    expect((await terminal.end).exitCode).toBe(0);
    expect([who.text('a.txt'), who.text('b.txt')]).toEqual(['new\n', 'new\n']);
    expect(who.kept().allow).toBeUndefined();
  });

  test('a keeps a rule for this path, in a file that only the user reads, and later runs do not ask', async () => {
    const who = await person(({ number }) =>
      number % 2 === 1 ? write('src/a.txt', `${number}\n`) : { text: 'Done.' },
    );
    const terminal = who.inTerminal('run', 'helper', 'Go.');
    await answer(terminal, 'a');
    expect((await terminal.end).exitCode).toBe(0);
    expect(who.kept().allow).toEqual(['write(src/a.txt)']);
    const [file = ''] = readdirSync(join(who.home, '.config/cairn/projects')).filter((name) => name.endsWith('.json'));
    expect(statSync(join(who.home, '.config/cairn/projects', file)).mode & 0o777).toBe(0o600);
    expect(who.text('src/a.txt')).toBe('1\n');
    const again = await who.agents('run', 'helper', 'Go.', '--new');
    expect(again.stderr).not.toContain('--allow');
    expect(again.stdout).toBe('Done.\n');
  });

  test('a long diff is folded, and d shows all of it', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const who = await person([write('a.txt', `${lines.join('\n')}\n`), { text: 'Done.' }]);
    const terminal = who.inTerminal('run', 'helper', 'Go.');
    const rows = await answer(terminal, 'd');
    expect(rows).toContain('… 23 more lines; d shows all');
    expect(rows).not.toContain('+line 20');
    await terminal.until((now) => now.includes('+line 20'), 'the whole diff');
    terminal.type('y\r');
    expect((await terminal.end).exitCode).toBe(0);
    expect(who.text('a.txt')).toContain('line 39');
  });

  test('has no answer for later where a change always asks, and says why', async () => {
    const who = await person([write('.mcp.json', '{}'), { text: 'Done.' }]);
    const terminal = who.inTerminal('run', 'helper', 'Go.', '--allow', '*');
    const rows = await answer(terminal, 'a');
    expect(rows).toContain('It asks because changes of .mcp.json are always asked about.');
    expect(rows.join('\n')).not.toContain('until this command ends');
    // An answer that is not offered is asked for again.
    await terminal.until(
      (now) => now.filter((row) => row.startsWith('>') && !row.startsWith('> write')).length >= 2,
      'the second prompt',
    );
    terminal.type('y\r');
    expect((await terminal.end).exitCode).toBe(0);
    expect(who.text('.mcp.json')).toBe('{}');
  });

  test('input from before it does not answer it, and characters that would control the terminal is escaped', async () => {
    const who = await person([write('a\u001b[2J.txt', '\u001b]0;title\u0007\n'), { text: 'Done.' }]);
    const terminal = who.inTerminal('run', 'helper', 'Go.');
    terminal.type('y\r');
    const rows = await answer(terminal, 'n');
    expect(rows.join('\n')).toContain(String.raw`\u001b]0;title\u0007`);
    expect((await terminal.end).exitCode).toBe(0);
    expect(readdirSync(who.project)).toEqual(['.git']);
  });

  test('Ctrl-C ends the run, and Ctrl-D rejects the call', async () => {
    const interrupted = await person([write('a.txt'), { text: 'Done.' }]);
    const first = interrupted.inTerminal('run', 'helper', 'Go.');
    await first.until((rows) => rows.some((row) => row.startsWith('Allow the agent')), 'the question');
    await first.until((rows) => (rows.findLast((row) => row !== '') ?? '').trim() === '>', 'the prompt');
    first.type('\u0003');
    expect((await first.end).exitCode).toBe(130);
    expect(interrupted.text('a.txt')).toBeUndefined();
    const ended = await person([write('a.txt'), { text: 'Done.' }]);
    const second = ended.inTerminal('run', 'helper', 'Go.');
    await second.until((rows) => (rows.findLast((row) => row !== '') ?? '').trim() === '>', 'the prompt');
    second.type('\u0004');
    expect((await second.end).exitCode).toBe(0);
    expect(ended.text('a.txt')).toBeUndefined();
  });

  test('two calls of one answer ask in sequence', async () => {
    const both = { toolCalls: ['a.txt', 'b.txt'].map((path) => ({ name: 'write', input: { path, content: 'x' } })) };
    const who = await person([both, { text: 'Done.' }]);
    const terminal = who.inTerminal('run', 'helper', 'Go.');
    expect((await answer(terminal, 'y')).filter((row) => row.startsWith('Allow'))).toHaveLength(1);
    await answer(terminal, 'y', 2);
    expect((await terminal.end).exitCode).toBe(0);
    expect([who.text('a.txt'), who.text('b.txt')]).toEqual(['x', 'x']);
  });
});

describe('without a terminal', () => {
  test('a change is rejected with the flag that allows it, and the run goes on', async () => {
    const script = [write('src/a b.txt'), { text: 'I could not.' }];
    const who = await person(script);
    const { exitCode, stdout, stderr } = await who.agents('run', 'helper', 'Go.');
    expect([exitCode, stdout, who.text('src/a b.txt')]).toEqual([0, 'I could not.\n', undefined]);
    const flag = /--allow '(write\([^']+\))'/u.exec(stderr)?.[1] ?? '';
    expect(flag).toBe('write("src/a b.txt")');
    const again = await person(script);
    await again.agents('run', 'helper', 'Go.', '--allow', flag);
    expect(again.text('src/a b.txt')).toBe('new\n');
  });

  test('--json has what was decided about each call', async () => {
    const who = await person([write('a.txt'), write('b.txt'), { text: 'Done.' }]);
    const { stdout, stderr } = await who.agents('run', 'helper', 'Go.', '--json', '--allow', 'write(a.txt)');
    expect(stderr).toBe('');
    const { calls, notices } = JSON.parse(stdout) as { readonly calls: unknown[]; readonly notices: string[] };
    expect(calls).toMatchObject([
      { name: 'write', isError: false },
      { name: 'write', isError: true, approval: 'rejected', reason: expect.stringContaining('--allow') },
    ]);
    expect(calls[0]).not.toHaveProperty('approval');
    expect(notices.join()).toContain(`--allow 'write("b.txt")'`);
  });

  test.each<[string, readonly string[], boolean]>([
    ['--permissions acceptEdits', ['--permissions', 'acceptEdits'], true],
    ['--permissions bypassPermissions', ['--permissions', 'bypassPermissions'], true],
    ['--permissions ask', ['--allow', '*', '--permissions', 'ask'], false],
    ['--deny', ['--allow', '*', '--deny', '*(*.txt)'], false],
    ['--ask', ['--allow', '*', '--ask', 'write'], false],
  ])('%s counts', async (_name, flags, isWritten) => {
    const who = await person([write('a.txt'), { text: 'Done.' }]);
    await who.agents('run', 'helper', 'Go.', ...flags);
    expect(who.text('a.txt') !== undefined).toBe(isWritten);
  });

  test('the rules of the user count, and an invalid one is an error before anything is sent', async () => {
    const rules = { '.config/cairn/rules.json': '{"allow":["write(docs/**)"],"deny":["*(docs/secret/**)"]}' };
    const who = await person([write('docs/a.md'), write('docs/secret/a.md'), { text: 'Done.' }], { home: rules });
    await who.agents('run', 'helper', 'Go.');
    expect([who.text('docs/a.md'), who.text('docs/secret/a.md')]).toEqual(['new\n', undefined]);
    for (const [content, problem] of [
      ['{"deny":["wirte"]}', 'Invalid rule "wirte"'],
      ['{"deny":"write"}', 'not a list of strings'],
      ['{"denied":[]}', 'unknown field "denied"'],
      ['{', 'is not JSON'],
    ] as const) {
      const broken = await person([{ text: 'x' }], { home: { '.config/cairn/rules.json': content } });
      const { exitCode, stderr } = await broken.agents('run', 'helper', 'Go.');
      expect([exitCode, broken.server.requests.length]).toEqual([2, 0]);
      expect(stderr).toContain(problem);
      expect(stderr).toContain('rules.json');
    }
    const flag = await who.agents('run', 'helper', 'Go.', '--deny', 'shell(a; b)');
    expect(flag).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Invalid rule "shell(a; b)" in --deny'),
    });
  });

  test('an agent cannot change the rules of its user, even where the project is the home directory', async () => {
    const who = await person([write('.config/cairn/rules.json', '{"allow":["*"]}'), { text: 'Done.' }]);
    mkdirSync(join(who.home, '.git'));
    const env = { HOME: who.home, CAIRN_BASE_URL: who.server.url, CAIRN_MODEL: 'scripted' };
    const { stderr } = await cairn(['agents', 'run', 'helper', 'Go.', '--allow', '*'], { cwd: who.home, env });
    expect(stderr).toContain('always asked about');
    expect(existsSync(join(who.home, '.config/cairn/rules.json'))).toBe(false);
  });
});

describe('an agent of the repository', () => {
  test('does not run without a terminal until the user trusts it, and a change is not trusted', async () => {
    const who = await person(() => ({ text: 'Done.' }), { isOwn: false });
    const first = await who.agents('run', 'helper', 'Go.', '--json');
    expect(first.exitCode).toBe(2);
    expect(JSON.parse(first.stdout)).toMatchObject({
      error: { code: 'NOT_TRUSTED', fix: expect.stringContaining('--trust') },
    });
    expect(who.server.requests).toEqual([]);
    expect((await who.agents('run', 'helper', 'Go.', '--trust')).exitCode).toBe(0);
    expect((await who.agents('run', 'helper', 'Go.')).exitCode).toBe(0);
    appendFileSync(join(who.project, '.cairn/agents/helper.md'), 'And one more line.\n');
    expect(await who.agents('run', 'helper', 'Go.')).toMatchObject({ exitCode: 2 });
    expect(Object.values(who.kept().trusted ?? {})).toEqual(['agent helper']);
  });

  test('is not trusted in another project with the same content', async () => {
    const [one, other] = [
      await person([{ text: 'x' }], { isOwn: false }),
      await person([{ text: 'x' }], { isOwn: false }),
    ];
    expect((await one.agents('run', 'helper', 'Go.', '--trust')).exitCode).toBe(0);
    const env = { HOME: one.home, CAIRN_BASE_URL: other.server.url, CAIRN_MODEL: 'scripted' };
    expect((await cairn(['agents', 'run', 'helper', 'Go.'], { cwd: other.project, env })).exitCode).toBe(2);
  });

  test('asks in a terminal, with what it may do and what the trust does not cover', async () => {
    const project = {
      '.cairn/agents/other.md': definition('other', 'tools: [read, write]\nallow: [write]\ndeny: ["*(infra/**)"]\n'),
    };
    const who = await person(() => ({ text: 'Done.' }), { isOwn: false, project });
    const refused = who.inTerminal('run', 'helper', 'Go.');
    const rows = await refused.until((now) => now.some((row) => row.includes('Trust them? [y/N]')), 'the question');
    const text = rows.join('\n');
    expect(text).toContain('agent helper (');
    expect(text.replaceAll('\n', '')).toContain('may call every tool');
    expect(text.replaceAll('\n', '')).toContain('may call read, write; allow write (not used); deny *(infra/**)');
    expect(text).toMatch(/load or start, such as a script or another module, does not/u);
    refused.type('n\r');
    expect((await refused.end).exitCode).toBe(2);
    expect(who.server.requests).toEqual([]);
    const trusted = who.inTerminal('run', 'helper', 'Go.');
    await trusted.until((now) => now.some((row) => row.includes('Trust them? [y/N]')), 'the question');
    trusted.type('y\r');
    expect((await trusted.end).exitCode).toBe(0);
    expect(shown(trusted)).toContain('Done.');
    const again = who.inTerminal('run', 'helper', 'Go.');
    expect((await again.end).exitCode).toBe(0);
    expect(shown(again)).not.toContain('Trust them?');
  });

  test('that the user wrote with agents new is trusted, and the next one that comes is not', async () => {
    const who = await person(() => ({ text: 'Done.' }));
    await who.agents('new', 'mine', '--description', 'd', '--prompt', 'You help.');
    expect((await who.agents('run', 'mine', 'Go.')).exitCode).toBe(0);
    writeFileSync(join(who.project, '.cairn/agents/theirs.md'), definition('theirs'));
    expect((await who.agents('run', 'theirs', 'Go.')).exitCode).toBe(2);
    // An own agent runs, but cannot start the other one.
    const { exitCode, stderr } = await who.agents('run', 'mine', 'Go.');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('not offered, because you have not trusted it as it is now: agent theirs');
    expect(JSON.stringify(who.server.requests.at(-1)?.chat)).not.toContain('theirs');
  });

  test('that hides one of the user is announced each time', async () => {
    const who = await person(() => ({ text: 'Done.' }), {
      isOwn: false,
      home: { '.config/cairn/agents/helper.md': definition('helper') },
    });
    for (const flags of [['--trust'], [], []]) {
      const { stderr } = await who.agents('run', 'helper', 'Go.', ...flags);
      expect(stderr).toMatch(
        /the agent helper of this project \(.*\) hides yours \(.*\.config\/cairn\/agents\/helper\.md\)/u,
      );
    }
  });
});

describe('the file of a project', () => {
  test('keeps the answers of two processes that answer at once', async () => {
    const who = await person(({ number }) => (number <= 2 ? write(`d/${number}.txt`) : { text: 'Done.' }));
    const terminals = [who.inTerminal('run', 'helper', 'Go.'), who.inTerminal('run', 'helper', 'Go.')];
    for (const terminal of terminals) {
      await terminal.until((rows) => (rows.findLast((row) => row !== '') ?? '').trim() === '>', 'the prompt');
    }
    for (const terminal of terminals) terminal.type('a\r');
    for (const { end } of terminals) expect((await end).exitCode).toBe(0);
    expect([...(who.kept().allow ?? [])].toSorted()).toEqual(['write(d/1.txt)', 'write(d/2.txt)']);
  });
});
