import { createDefinitionFile, findAgent, formatProblem, loadDefinitions } from '@cairn/context';
import { definitionDirectories } from '@cairn/context/internal';
import type { AgentDefinition, AgentDefinitions } from '@cairn/context';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { createTree, fifo, symlink, writeTree } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

const isRoot = process.geteuid?.() === 0;

function agent(name: string, body = name): string {
  return `---\nname: ${name}\ndescription: d\n---\n${body}\n`;
}

/** Writes a project and a home directory, and loads their agents. */
async function load(
  tree: Tree,
  env: Record<string, string> = {},
): Promise<AgentDefinitions & { directory: string; lines: string[] }> {
  const directory = createTree({ 'p/': {}, 'h/': {}, ...tree });
  const loaded = await loadDefinitions({
    root: join(directory, 'p'),
    home: join(directory, 'h'),
    env,
    platform: 'linux',
  });
  const lines = loaded.problems.map((problem) => formatProblem(problem).replaceAll(`${directory}/`, ''));
  return { ...loaded, directory, lines };
}

function bodies({ agents }: AgentDefinitions): Record<string, string> {
  return Object.fromEntries([...agents.values()].map(({ name, systemPrompt }) => [name, systemPrompt]));
}

test('nothing is defined where no directory exists', async () => {
  const loaded = await load({});
  expect([bodies(loaded), loaded.problems]).toEqual([{}, []]);
});

test('the first source with a name wins: project, user, then Claude Code of the project and of the user', async () => {
  const all = ['p/.cairn', 'h/.config/cairn', 'p/.claude', 'h/.claude'];
  const names = ['a', 'b', 'c', 'd'];
  const tree = Object.fromEntries(
    all.flatMap((directory, index) =>
      names.slice(index).map((name) => [`${directory}/agents/${name}.md`, agent(name, directory)]),
    ),
  );
  const loaded = await load(tree);
  expect(bodies(loaded)).toEqual({ a: 'p/.cairn', b: 'p/.cairn', c: 'p/.cairn', d: 'p/.cairn' });
  expect(loaded.replaced).toHaveLength(6);
  const last = await load({
    'h/.config/cairn/agents/a.md': agent('a', 'user'),
    'p/.claude/agents/a.md': agent('a', 'claude'),
  });
  expect(bodies(last)).toEqual({ a: 'user' });
  expect([...last.agents.values()].map(({ source }) => source)).toEqual(['user']);
});

test('XDG_CONFIG_HOME and CLAUDE_CONFIG_DIR move the directories of the user', async () => {
  const directory = createTree({
    'x/cairn/agents/a.md': agent('a'),
    'c/agents/b.md': agent('b'),
    'h/.config/cairn/agents/c.md': agent('c'),
  });
  const env = { XDG_CONFIG_HOME: join(directory, 'x'), CLAUDE_CONFIG_DIR: join(directory, 'c') };
  const loaded = await loadDefinitions({
    root: join(directory, 'p'),
    home: join(directory, 'h'),
    env,
    platform: 'linux',
  });
  expect(Object.keys(bodies(loaded)).toSorted()).toEqual(['a', 'b']);
  const places = { root: '/p', home: '/h', env: { XDG_CONFIG_HOME: 'relative', CLAUDE_CONFIG_DIR: 'relative' } };
  expect(definitionDirectories({ ...places, platform: 'linux' })).toEqual({
    project: '/p/.cairn/agents',
    user: '/h/.config/cairn/agents',
    'claude-project': '/p/.claude/agents',
    'claude-user': '/h/.claude/agents',
  });
});

test('the home directory as a project has each agent once', async () => {
  const directory = createTree({ '.claude/agents/a.md': agent('a') });
  const loaded = await loadDefinitions({ root: directory, home: directory, env: {}, platform: 'linux' });
  expect([bodies(loaded), loaded.replaced]).toEqual([{ a: 'a' }, []]);
  expect(loaded.agents.get('a')?.source).toBe('claude-project');
});

test('reads a byte order mark, CRLF and directories in the directory', async () => {
  const loaded = await load({
    'p/.cairn/agents/a.md': `\uFEFF${agent('a', 'one\ntwo').replaceAll('\n', '\r\n')}`,
    'p/.cairn/agents/team/b.MD': agent('b'),
  });
  expect(bodies(loaded)).toEqual({ a: 'one\ntwo', b: 'b' });
  expect(loaded.problems).toEqual([]);
});

test('ignores hidden files and files that are not Markdown', async () => {
  const loaded = await load({ 'p/.cairn/agents': { '.#a.md': 'x', '.git/b.md': 'x', 'a.md~': 'x', 'notes.txt': 'x' } });
  expect([bodies(loaded), loaded.problems]).toEqual([{}, []]);
});

test('one broken file hides no other, and each is reported with its place', async () => {
  const loaded = await load({
    'p/.cairn/agents': {
      'bytes.md': Buffer.from('---\nname: bytes\ndescription: \xff\n---\n', 'latin1'),
      'directory.md': {},
      'good.md': agent('good'),
      'huge.md': agent('huge', 'x'.repeat(300_000)),
      'link.md': symlink('link.md'),
      loop: symlink('.'),
      'mode.md': '---\nname: mode\ndescription: d\ncontextMode: open\n---\nb',
      'nothing.md': symlink('missing'),
      'pipe.md': fifo(),
    },
    'h/.config/cairn/agents/other.md': agent('other'),
  });
  expect(bodies(loaded)).toEqual({ good: 'good', other: 'other' });
  const at = 'p/.cairn/agents';
  expect(loaded.lines).toEqual([
    `${at}/bytes.md:3: is not valid UTF-8; save it as UTF-8`,
    `${at}/directory.md: is a directory; use a regular file`,
    `${at}/huge.md: is larger than 256.0 KB; shorten it`,
    `${at}/link.md: is part of a loop of symbolic links; make it readable, or remove it`,
    `${at}/mode.md:4: contextMode: invalid value "open"; use isolated, shared, fork, handback, selective, summarized`,
    `${at}/nothing.md: does not exist; make it readable, or remove it`,
    `${at}/pipe.md: is a device, pipe or socket; use a regular file`,
  ]);
});

test.each([
  ['the directory', { 'p/.cairn/agents': symlink('../../out/agents') }, 'p/.cairn/agents'],
  ['the directory of Claude Code', { 'p/.claude/agents': symlink('../../out/agents') }, 'p/.claude/agents'],
  ['a directory above it', { 'p/.cairn': symlink('../out') }, 'p/.cairn/agents'],
])('a project has no agents where %s is a link out of it, which is a warning', async (_, tree, path) => {
  const loaded = await load({ ...tree, 'out/agents/a.md': agent('a'), 'h/.claude/agents/b.md': agent('b') });
  expect(bodies(loaded)).toEqual({ b: 'b' });
  expect(loaded.problems.map(({ severity }) => severity)).toEqual(['warning']);
  expect(loaded.lines).toEqual([
    `${path}: is a link out of the project, so its agents are not read; put the directory into the project`,
  ]);
});

test('no definition is written through a link out of the project', async () => {
  const directory = createTree({ 'p/.cairn/agents': symlink('../../out'), 'out/': {} });
  const places = { root: join(directory, 'p'), home: join(directory, 'h'), env: {}, platform: 'linux' } as const;
  await expect(createDefinitionFile(definition, { ...places, source: 'project' })).rejects.toThrow(
    /is a link out of the project, so its agents are not read\. Replace the link/u,
  );
  expect(existsSync(join(directory, 'out/reviewer.md'))).toBe(false);
});

test('a file of the project that is a link out of it is an error, and keeps its name', async () => {
  const loaded = await load({
    'p/.cairn/agents': { 'a.md': symlink('../../../secret.md'), 'b.md': symlink('../shared/b.md') },
    'p/.cairn/shared/b.md': agent('b'),
    'h/.config/cairn/agents/a.md': agent('a', 'user'),
    'secret.md': agent('a', 'secret'),
  });
  expect(bodies(loaded)).toEqual({ b: 'b' });
  expect(loaded.lines).toEqual(['p/.cairn/agents/a.md: is a link out of the project; put the file into the project']);
});

test('links of the user lead where the user wants, even where the home directory is the project', async () => {
  const directory = createTree({
    'h/.config/cairn/agents': symlink('../../../dotfiles/agents'),
    'h/.claude/agents/b.md': symlink('../../../dotfiles/b.md'),
    'dotfiles/agents/a.md': agent('a'),
    'dotfiles/b.md': agent('b'),
  });
  for (const root of ['p', 'h']) {
    const places = { root: join(directory, root), home: join(directory, 'h'), env: {}, platform: 'linux' } as const;
    expect(bodies(await loadDefinitions(places))).toEqual({ a: 'a', b: 'b' });
  }
});

test('reports a file and a directory without permission', async () => {
  const directory = createTree({ 'p/.cairn/agents/a.md': agent('a'), 'h/.claude/agents/b.md': agent('b') });
  chmodSync(directory, 0o755);
  chmodSync(join(directory, 'p/.cairn/agents/a.md'), 0);
  chmodSync(join(directory, 'h/.claude/agents'), 0);
  // Root may read everything.
  if (isRoot) process.seteuid?.(65_534);
  const loaded = await loadDefinitions({
    root: join(directory, 'p'),
    home: join(directory, 'h'),
    env: {},
    platform: 'linux',
  }).finally(() => {
    if (isRoot) process.seteuid?.(0);
    chmodSync(join(directory, 'h/.claude/agents'), 0o700);
  });
  expect(loaded.problems.map((problem) => formatProblem(problem).replaceAll(`${directory}/`, ''))).toEqual([
    'p/.cairn/agents/a.md: cannot be accessed: permission denied; make it readable, or remove it',
    'h/.claude/agents: cannot be accessed: permission denied; make it readable, or remove it',
  ]);
  expect(() => findAgent(loaded, 'a')).toThrow(/permission denied/u);
});

test('reports a file in the place of the directory', async () => {
  const loaded = await load({ 'p/.cairn/agents': 'x' });
  expect(loaded.lines).toEqual([
    'p/.cairn/agents: has a parent that is not a directory; make it readable, or remove it',
  ]);
});

test('two files with one name are both reported, and none of them is used', async () => {
  const loaded = await load({
    'p/.cairn/agents/a.md': agent('a'),
    'p/.cairn/agents/b.md': '---\nname: a\ndescription: d\n---\nb',
    'h/.config/cairn/agents/a.md': agent('a', 'user'),
  });
  expect(bodies(loaded)).toEqual({});
  expect(loaded.lines.filter((line) => line.includes('has the same name'))).toEqual([
    expect.stringMatching(/^p\/\.cairn\/agents\/a\.md: name: p\/\.cairn\/agents\/b\.md has the same name a; rename/u),
    expect.stringMatching(/^p\/\.cairn\/agents\/b\.md: name: p\/\.cairn\/agents\/a\.md has the same name a; rename/u),
  ]);
  expect(() => findAgent(loaded, 'a')).toThrow(/has the same name a/u);
});

test('a broken file of the project is not replaced by the agent of the user with its name', async () => {
  const loaded = await load({
    'p/.cairn/agents/a.md': '---\nname: a\nmaxSteps: 0\n---\n',
    'p/.cairn/agents/b.md': 'no front matter',
    'h/.config/cairn/agents': { 'a.md': agent('a'), 'b.md': agent('b') },
  });
  expect(bodies(loaded)).toEqual({});
  expect(loaded.replaced.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(() => findAgent(loaded, 'a')).toThrow(
    expect.objectContaining({
      code: 'INVALID_DEFINITION',
      message: expect.stringMatching(/a\.md:3: maxSteps: invalid value 0/u) as string,
    }) as Error,
  );
  expect(() => findAgent(loaded, 'b')).toThrow(/no front matter/u);
});

test('a broken file of the user does not touch the agent of the project', async () => {
  const loaded = await load({ 'p/.cairn/agents/a.md': agent('a'), 'h/.config/cairn/agents/a.md': 'broken' });
  expect(findAgent(loaded, 'a').source).toBe('project');
  expect(loaded.problems).toHaveLength(1);
});

test('an unknown agent is rejected with near names, or with those that exist', async () => {
  const loaded = await load({
    'p/.cairn/agents/reviewer.md': agent('reviewer'),
    'p/.cairn/agents/审查员.md': agent('审查员'),
  });
  const refusal = (name: string): string => {
    try {
      findAgent(loaded, name);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  expect(refusal('reviwer')).toBe('There is no agent "reviwer". Did you mean reviewer?');
  expect(refusal('审查')).toBe('There is no agent "审查". Did you mean 审查员?');
  expect(refusal('zzz\u001b')).toBe(String.raw`There is no agent "zzz\u001b". The agents are reviewer, 审查员.`);
  expect(() => findAgent({ agents: new Map(), problems: [] }, 'a')).toThrow('create one with `cairn agents new`');
});

test('a name is the same in both Unicode forms', async () => {
  const loaded = await load({ 'p/.cairn/agents/pru\u0308fer.md': '---\ndescription: d\n---\nb' });
  expect(findAgent(loaded, 'pr\u00fcfer').name).toBe('pr\u00fcfer');
  expect(findAgent(loaded, 'pru\u0308fer').name).toBe('pr\u00fcfer');
});

test('reads at most 1,000 files of a directory and states it', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 1002 }, (_, index) => [
      `a${String(index).padStart(4, '0')}.md`,
      agent(`a${String(index).padStart(4, '0')}`),
    ]),
  );
  const loaded = await load({ 'p/.cairn/agents': files });
  expect(loaded.agents.size).toBe(1000);
  expect(loaded.lines).toEqual(['p/.cairn/agents: more than 1000 files; the others are not read: remove files']);
});

const definition: AgentDefinition = {
  name: 'reviewer',
  description: 'Reviews: all',
  systemPrompt: 'Review.',
  tools: ['read'],
};

test('writes a definition that loads, and never replaces a file', async () => {
  const directory = createTree({ 'p/': {}, 'h/': {} });
  const places = { root: join(directory, 'p'), home: join(directory, 'h'), env: {}, platform: 'linux' } as const;
  const path = await createDefinitionFile(definition, { ...places, source: 'project' });
  expect(path).toBe(join(directory, 'p/.cairn/agents/reviewer.md'));
  const text = readFileSync(path, 'utf8');
  expect(text).toBe('---\nname: reviewer\ndescription: "Reviews: all"\ntools:\n  - read\n---\n\nReview.\n');
  expect((await loadDefinitions(places)).agents.get('reviewer')).toEqual({ ...definition, source: 'project', path });

  const again = createDefinitionFile({ ...definition, systemPrompt: 'Other.' }, { ...places, source: 'project' });
  await expect(again).rejects.toMatchObject({ code: 'AGENT_EXISTS', path });
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(await createDefinitionFile(definition, { ...places, source: 'user' })).toBe(
    join(directory, 'h/.config/cairn/agents/reviewer.md'),
  );
});

test('a file that defines the name under another file name, or is broken, counts too', async () => {
  const directory = createTree({
    'p/.cairn/agents/other.md': '---\nname: reviewer\ndescription: d\n---\nb',
    'h/.config/cairn/agents/reviewer.md': '',
  });
  const places = { root: join(directory, 'p'), home: join(directory, 'h'), env: {}, platform: 'linux' } as const;
  writeTree(directory, {});
  await expect(createDefinitionFile(definition, { ...places, source: 'project' })).rejects.toThrow(
    /other\.md defines the agent reviewer already/u,
  );
  await expect(createDefinitionFile(definition, { ...places, source: 'user' })).rejects.toMatchObject({
    code: 'AGENT_EXISTS',
  });
});

test('of two that create one agent at once, one succeeds', async () => {
  const directory = createTree({ 'p/': {} });
  const places = { root: join(directory, 'p'), home: join(directory, 'h'), env: {}, platform: 'linux' } as const;
  const results = await Promise.allSettled(
    ['one', 'two', 'three'].map((systemPrompt) =>
      createDefinitionFile({ ...definition, systemPrompt }, { ...places, source: 'project' }),
    ),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(
    results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as { code: string }).code] : [])),
  ).toEqual(['AGENT_EXISTS', 'AGENT_EXISTS']);
});

test('does not write an invalid definition', async () => {
  const places = { root: '/nowhere', home: '/nowhere', env: {}, source: 'project' } as const;
  await expect(createDefinitionFile({ ...definition, maxSteps: 0 }, places)).rejects.toMatchObject({
    code: 'INVALID_DEFINITION',
    option: 'maxSteps',
  });
  await expect(createDefinitionFile({ ...definition, name: '__main__' }, places)).rejects.toThrow(
    /__main__ is the main session/u,
  );
});
