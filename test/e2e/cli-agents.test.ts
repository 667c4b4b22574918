/** The definitions of agents at the command line: `cairn agents list`, `show` and `new`. */
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, finished, startCairn, type CairnResult } from '../support/cli.ts';
import { runInTerminal } from '../support/terminal.ts';
import { createTree, symlink, type Tree } from '../support/tree.ts';

interface Person {
  readonly home: string;
  readonly project: string;
  readonly agents: (...args: readonly string[]) => Promise<CairnResult>;
}

function person(project: Tree = {}, home: Tree = {}): Person {
  const directory = createTree({ project: { '.git/': {}, ...project }, home });
  const place = { home: join(directory, 'home'), project: join(directory, 'project') };
  return {
    ...place,
    agents: (...args) => cairn(['agents', ...args], { cwd: place.project, env: { HOME: place.home } }),
  };
}

function agent(name: string, more = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}\n${more}---\nBody of ${name}.\n`;
}

test.each([
  ['agents list', ['agents', 'list']],
  ['agents show', ['agents', 'show', 'a']],
  ['the help', ['--help']],
])('%s loads neither the tools nor what talks to a model', async (_name, args) => {
  const { home, project } = person({ '.cairn/agents/a.md': agent('a', 'tools: [Read, recall]\n') });
  const preload = join(home, 'hook.mjs');
  const print = 'load(url, context, next) { process._rawDebug(url); return next(url, context); }';
  writeFileSync(preload, `import { registerHooks } from 'node:module';\nregisterHooks({ ${print} });\n`);
  const { exitCode, stderr } = await finished(startCairn(args, { cwd: project, env: { HOME: home }, preload }));
  expect(exitCode).toBe(0);
  const urls = stderr.split('\n');
  expect(urls.length).toBeGreaterThan(50);
  const unneeded =
    /packages\/(?:coding-agent|natives|workspace-cache)\/|agents\/src\/(?!tool-names)|\/zod\/|\/ai\/|@ai-sdk/u;
  expect(urls.filter((url) => unneeded.test(url))).toEqual([]);
});

// Only root can give a directory to another user.
test.runIf(process.getuid?.() === 0)(
  'agents of another user in a directory above are not those of the project',
  async () => {
    const directory = createTree({ '.cairn/agents/a.md': agent('a'), 'work/': {}, home: {} });
    const list = (): Promise<CairnResult> =>
      cairn(['agents', 'list'], { cwd: join(directory, 'work'), env: { HOME: join(directory, 'home') } });
    expect(await list()).toMatchObject({ exitCode: 0, stdout: 'a (isolated, project): About a\n' });
    chownSync(join(directory, '.cairn/agents'), 12_345, 12_345);
    expect(await list()).toMatchObject({ exitCode: 1, stdout: '' });
  },
);

describe('list', () => {
  test('names the agents of the project, of the user and of Claude Code, each with its mode and source', async () => {
    const { agents } = person(
      { '.cairn/agents/a.md': agent('a', 'contextMode: shared\n'), '.claude/agents/c.md': agent('c', 'color: red\n') },
      { '.config/cairn/agents/b.md': agent('b'), '.claude/agents/d.md': agent('d') },
    );
    expect(await agents('list')).toMatchObject({
      exitCode: 0,
      stdout:
        'a (shared, project): About a\nb (isolated, user): About b\nc (isolated, claude-project): About c\nd (isolated, claude-user): About d\n',
      stderr: "cairn: 1 warning; 'cairn agents show <name>' shows the warnings of an agent\n",
    });
  });

  test('finds the project from a directory in it', async () => {
    const who = person({ '.cairn/agents/a.md': agent('a'), 'src/deep/': {} });
    const { stdout } = await cairn(['agents', 'list'], { cwd: join(who.project, 'src/deep'), env: { HOME: who.home } });
    expect(stdout).toBe('a (isolated, project): About a\n');
  });

  test('without agents it states how to create one', async () => {
    expect(await person().agents('list')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: "cairn: there are no agents; 'cairn agents new' creates one\n",
    });
  });

  test('a broken file is reported with its line, and the list is not complete', async () => {
    const { agents, project } = person({
      '.cairn/agents': { 'a.md': agent('a'), 'b.md': agent('b', 'maxSteps: many\n'), 'loop.md': symlink('loop.md') },
    });
    expect(await agents('list')).toMatchObject({
      exitCode: 2,
      stdout: 'a (isolated, project): About a\n',
      stderr: `cairn: ${project}/.cairn/agents/b.md:4: maxSteps: invalid value "many"; use a whole number from 1 to 1000
cairn: ${project}/.cairn/agents/loop.md: is part of a loop of symbolic links; make it readable, or remove it
`,
    });
  });

  test('control characters of a description are escaped, in a pipe too', async () => {
    const { agents } = person({ '.cairn/agents/a.md': '---\nname: a\ndescription: "red\\e[31m\\u202e x"\n---\nb' });
    expect((await agents('list')).stdout).toBe('a (isolated, project): red\\u001b[31m\\u202e x\n');
  });

  test('a directory that is a link out of the project is named, and has no agents', async () => {
    const { agents, project, home } = person(
      { '.cairn/agents': symlink('../../home/agents') },
      { 'agents/a.md': agent('a'), '.claude/agents/b.md': agent('b') },
    );
    const warning = `${project}/.cairn/agents: is a link out of the project, so its agents are not read; put the directory into the project`;
    expect(await agents('list')).toMatchObject({
      exitCode: 0,
      stdout: 'b (isolated, claude-user): About b\n',
      stderr: `cairn: ${warning}\n`,
    });
    expect((await agents('context', 'b')).stderr).toContain(warning);
    expect(existsSync(join(home, 'agents', 'a.md'))).toBe(true);
  });

  test('escape sequences of a file do not reach the terminal', async () => {
    const { agents } = person({ '.cairn/agents/a.md': '---\nname: a\ndescription: "red\\e[31m"\nco\\e: 1\n---\nb' });
    const { stderr } = await agents('list');
    // eslint-disable-next-line no-control-regex -- control characters are what this finds
    expect(stderr).not.toMatch(/\u001b/u);
  });
});

describe('show', () => {
  test('prints the file, the fields and the instructions', async () => {
    const { agents, project } = person({
      '.claude/agents/c.md': '---\nname: c\ndescription: d\ntools: Read, Bash, Grep\nmodel: opus\n---\nOne.\n\nTwo.\n',
    });
    expect(await agents('show', 'c')).toMatchObject({
      exitCode: 0,
      stdout: `file: ${project}/.claude/agents/c.md (claude-project)
contextMode: isolated
description: d
tools: read, grep

One.

Two.
`,
      stderr: `cairn: ${project}/.claude/agents/c.md:4: tools: Cairn has no tool "Bash"; the agent works without it
cairn: ${project}/.claude/agents/c.md:5: model: the model "opus" of Claude Code is not used; the agent uses the model of its caller
`,
    });
  });

  test('names the files that another one replaces', async () => {
    const { agents, project, home } = person(
      { '.cairn/agents/a.md': agent('a') },
      { '.config/cairn/agents/a.md': agent('a') },
    );
    const { stderr } = await agents('show', 'a');
    expect(stderr).toBe(
      `cairn: not used, because ${project}/.cairn/agents/a.md has the same name: ${home}/.config/cairn/agents/a.md\n`,
    );
  });

  test('an unknown agent is rejected with near names', async () => {
    expect(await person({ '.cairn/agents/reviewer.md': agent('reviewer') }).agents('show', 'reviwer')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'cairn: There is no agent "reviwer". Did you mean reviewer?\n',
    });
  });

  test('a broken agent of the project is rejected, even when the user has one of its name', async () => {
    const { agents } = person({ '.cairn/agents/a.md': 'no' }, { '.config/cairn/agents/a.md': agent('a') });
    expect(await agents('show', 'a')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^cairn: The definition of the agent a is invalid: \S+a\.md:1: no front matter; /u,
      ) as string,
    });
  });
});

const complete = ['--description', 'Reviews: a change', '--prompt', 'You review.'];

describe('new', () => {
  test('writes the file of the project, prints its path, and never replaces it', async () => {
    const { agents, project } = person();
    const path = join(project, '.cairn/agents/reviewer.md');
    const created = await agents(
      'new',
      'reviewer',
      ...complete,
      '--context-mode',
      'handback',
      '--tools',
      'Read, grep',
      '--max-steps',
      '5',
      '--timeout',
      '60',
    );
    expect(created).toMatchObject({
      exitCode: 0,
      stdout: `${path}\n`,
      stderr:
        "cairn: next: cairn agents run reviewer '<prompt>'; 'cairn agents context reviewer' shows what it is sent\n",
    });
    const text = readFileSync(path, 'utf8');
    expect(text).toBe(`---
name: reviewer
description: "Reviews: a change"
contextMode: handback
tools:
  - Read
  - grep
maxSteps: 5
timeout: 60
---

You review.
`);
    const again = await agents('new', 'reviewer', '--description', 'x', '--prompt', 'y');
    expect(again).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `cairn: ${path} defines the agent reviewer already. Edit that file, or choose another name.\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect((await agents('list')).stdout).toBe('reviewer (handback, project): Reviews: a change\n');
  });

  test('writes the file of the user, and states which file is used', async () => {
    const { agents, home } = person({ '.cairn/agents/a.md': agent('a') });
    const { stdout, stderr } = await agents('new', 'a', ...complete, '--user');
    expect(stdout).toBe(`${home}/.config/cairn/agents/a.md\n`);
    expect(stderr).toContain('it is not used in this project, because the project has an agent a of its own\n');
    const other = person({}, { '.config/cairn/agents/a.md': agent('a') });
    expect((await other.agents('new', 'a', ...complete)).stderr).toContain(
      `it replaces ${other.home}/.config/cairn/agents/a.md in this project\n`,
    );
  });

  test('reads the instructions from standard input', async () => {
    const { project, home } = person();
    const args = ['agents', 'new', 'a', '--description', 'd', '--prompt', '-'];
    const { stdout } = await cairn(args, { cwd: project, env: { HOME: home }, input: 'One.\n\n---\nTwo.\n' });
    expect(readFileSync(stdout.trim(), 'utf8')).toBe('---\nname: a\ndescription: d\n---\n\nOne.\n\n---\nTwo.\n');
  });

  test.each([
    [
      'nothing',
      [],
      '<name>, --description, --prompt are missing; add them, or run the command in a terminal, where it asks',
    ],
    [
      'the text is missing',
      ['a', '--description', 'd'],
      '--prompt is missing; add it, or run the command in a terminal, where it asks',
    ],
    [
      'a mode that does not exist',
      ['a', ...complete, '--context-mode', 'open'],
      'invalid --context-mode "open"; use isolated, shared, fork, handback, selective or summarized',
    ],
    [
      'an unknown tool',
      ['a', ...complete, '--tools', 'read,reed'],
      'Invalid definition of an agent: tools: unknown tool "reed". Did you mean read?',
    ],
    [
      'the name of main',
      ['__main__', ...complete],
      'Invalid definition of an agent: name: __main__ is the main session. Choose another name.',
    ],
    [
      'a path as a name',
      ['../../x', ...complete],
      'Invalid definition of an agent: name: invalid agent name "../../x". Use at most 64 letters, digits, "-", "_" and ".", and begin with a letter or a digit.',
    ],
    [
      'too many steps',
      ['a', ...complete, '--max-steps', '9999'],
      'Invalid definition of an agent: maxSteps: invalid value 9999. Use a whole number from 1 to 1000.',
    ],
    [
      'no directory',
      ['a', ...complete, '--root', 'nowhere'],
      '--root nowhere is not a directory; use the path of a directory',
    ],
  ])('rejects %s', async (_, args, message) => {
    const { agents, project } = person();
    expect(await agents('new', ...args)).toMatchObject({ exitCode: 2, stdout: '', stderr: `cairn: ${message}\n` });
    expect(existsSync(join(project, '.cairn'))).toBe(false);
  });

  test('a directory that cannot be written is reported', async () => {
    const { agents } = person({ '.cairn': 'a file' });
    expect(await agents('new', 'a', ...complete)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^cairn: /u) as string,
    });
  });
});

describe.skipIf(process.platform === 'win32')('new in a terminal', () => {
  const ask = (who: Person, ...args: readonly string[]): ReturnType<typeof runInTerminal> =>
    runInTerminal(['agents', 'new', ...args], { cwd: who.project, env: { HOME: who.home }, columns: 120 });
  const shows = (text: string) => (rows: string[]) => rows.some((row) => row.includes(text));

  test('asks for everything, explains the context modes, and writes the file', async () => {
    const who = person();
    const run = ask(who);
    await run.until(shows('Name'), 'the first question');
    run.type('审查员x\u007f\r');
    await run.until(shows('When to use it'), 'the second question');
    run.type('Reviews a change\r');
    const rows = await run.until(shows('Context mode, 1 to 6'), 'the question about the mode');
    expect(rows.filter((row) => /^ {2}\d /u.test(row))).toEqual([
      '  1 isolated    sees only its own conversation',
      '  2 shared      sees the main conversation and writes to it',
      '  3 fork        sees a copy of the main conversation; writes only to its own',
      '  4 handback    sees only its own conversation; its final answer is also added to the main one',
      '  5 selective   sees its own conversation, and the sentences of the main one that match patterns',
      '  6 summarized  sees its own conversation, and a summary of the main one',
    ]);
    // The first answer is not a mode, so it is asked again.
    run.type('7\r5\r');
    await run.until(shows('Patterns'), 'the question about the patterns');
    run.type('project uses *, tech stack: *\r');
    await run.until(shows('What is it to do?'), 'the last question');
    run.type('You review.\r');
    const { exitCode, stdout } = await run.end;
    expect(exitCode).toBe(0);
    expect(readFileSync(stdout.trim(), 'utf8')).toBe(`---
name: 审查员
description: Reviews a change
contextMode: selective
sharePatterns:
  - project uses *
  - "tech stack: *"
---

You review.
`);
  });

  test('asks only for what the options leave open; Enter is isolated', async () => {
    const who = person();
    const run = ask(who, 'a', ...complete);
    const rows = await run.until(shows('Context mode, 1 to 6'), 'the question about the mode');
    expect(rows.some((row) => row.startsWith('Name'))).toBe(false);
    run.type('\r');
    const { stdout } = await run.end;
    expect(readFileSync(stdout.trim(), 'utf8')).toContain('contextMode: isolated\n');
  });

  test.each([
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 2],
  ])('%s writes nothing', async (_, key, exitCode) => {
    const who = person();
    const run = ask(who);
    await run.until(shows('Name'), 'the first question');
    run.type(`a\rb${key}`);
    expect((await run.end).exitCode).toBe(exitCode);
    expect(existsSync(join(who.project, '.cairn'))).toBe(false);
  });
});
