import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEntryEditor } from './entry-editor.ts';
import type { EntryEditor, EntryTarget } from './entry-editor.ts';
import type { HostContext } from './host.ts';
import { sessionHosts } from './hosts.ts';
import type { SessionHost } from './session-host.ts';

const context: HostContext = { env: {}, home: '/nonexistent/home', project: '/nonexistent/project', platform: 'linux' };

function hostOf(id: string): SessionHost {
  const host = sessionHosts.find((one) => one.id === id);
  if (!host) throw new Error(`there is no host ${id}`);
  return host;
}

/** An editor over files in memory. */
function editorOver(files: Map<string, string>): EntryEditor {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'cairn-hosts-'));
  onTestFinished(() => rmSync(stateDirectory, { recursive: true }));
  return createEntryEditor({
    stateDirectory,
    open: async (path) => ({
      path,
      text: files.get(path),
      missingDirectories: [],
      write: async (text) => void files.set(path, text),
      remove: async () => void files.delete(path),
    }),
  });
}

const name = 'hook session-start --host claude';
const command = `cairn ${name}`;
const host = hostOf('claude');
const target: EntryTarget<string> = {
  host,
  kind: host.entry,
  scope: 'project',
  context,
  name,
  isOwn: () => true,
};
const path = '/nonexistent/project/.claude/settings.json';

/** The hook that is written, and its group. */
const hook = { type: 'command', command, timeout: 10 };
const group = { matcher: 'startup|clear|compact', hooks: [hook] };
const theirs = { matcher: 'startup', hooks: [{ type: 'command', command: 'theirs' }] };

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function settings(...groups: readonly unknown[]): string {
  return json({ model: 'x', hooks: { Stop: [theirs], SessionStart: groups } });
}

async function installed(
  before: string | undefined,
  line: string = command,
): Promise<{ files: Map<string, string>; editor: EntryEditor; action: string }> {
  const files = new Map(before === undefined ? [] : [[path, before]]);
  const editor = editorOver(files);
  const change = await editor.planInstall(target, line);
  await change.apply();
  return { files, editor, action: change.action };
}

function groupsIn(files: Map<string, string>): unknown {
  const { hooks } = JSON.parse(files.get(path) ?? '{}') as { hooks?: { SessionStart?: unknown } };
  return hooks?.SessionStart;
}

describe('the hook is one element of an array', () => {
  test.each([
    ['no file', undefined, [group]],
    ['an empty file', '', [group]],
    ['no hooks', json({ model: 'x' }), [group]],
    ['no hooks of this event', json({ hooks: { Stop: [theirs] } }), [group]],
    ['an empty array', settings(), [group]],
    ['hooks of other people', settings(theirs, theirs), [theirs, theirs, group]],
    ['elements of another kind', settings('x', 3, null, { hooks: 'x' }), ['x', 3, null, { hooks: 'x' }, group]],
  ])('%s: it is added after the others, and undo restores the exact bytes', async (_, before, groups) => {
    const { files, editor, action } = await installed(before);
    expect(action).toBe('add');
    expect(groupsIn(files)).toEqual(groups);
    expect(await editor.planInstall(target, command)).toMatchObject({ action: 'keep', text: undefined });
    await (await editor.planUndo(target)).apply();
    expect(files.get(path)).toBe(before);
  });

  test('a second installation replaces it where it is, and undo goes back to the state before the first', async () => {
    const before = settings(theirs);
    const { files, editor } = await installed(before);
    const second = await editor.planInstall(target, `npx -y @cairn/cli ${name} --language zh`);
    expect(second.action).toBe('replace');
    await second.apply();
    expect(groupsIn(files)).toEqual([
      theirs,
      { ...group, hooks: [{ ...hook, command: `npx -y @cairn/cli ${name} --language zh` }] },
    ]);
    await (await editor.planUndo(target)).apply();
    expect(files.get(path)).toBe(before);
  });

  test('a hook that a user wrote by hand is replaced, and its other keys stay', async () => {
    const old = { matcher: '', hooks: [{ type: 'command', command: `/old/cairn ${name}`, statusMessage: 'mine' }] };
    const { files, editor, action } = await installed(settings(old, theirs));
    expect(action).toBe('replace');
    expect(groupsIn(files)).toEqual([{ ...group, hooks: [{ ...hook, statusMessage: 'mine' }] }, theirs]);
    await (await editor.planUndo(target)).apply();
    expect(files.get(path)).toBe(settings(old, theirs));
  });

  test('a hook that names its arguments one by one is replaced by the command line', async () => {
    const old = { hooks: [{ type: 'command', command: 'cairn', args: ['hook', 'session-start', '--host', 'claude'] }] };
    const { files } = await installed(settings(old));
    expect(groupsIn(files)).toEqual([group]);
  });

  test('of several, one is left, because each would add the same text', async () => {
    const { files, editor } = await installed(settings(group, theirs, group, { hooks: [hook, ...theirs.hooks] }));
    expect(groupsIn(files)).toEqual([group, theirs, { hooks: theirs.hooks }]);
    await (await editor.planUndo(target)).apply();
    expect(groupsIn(files)).toEqual([group, theirs, group, { hooks: [hook, ...theirs.hooks] }]);
  });

  test('another host or another command is not the hook', async () => {
    const others = [`cairn ${name}s`, 'cairn hook session-start --host codex', `x${name}`].map((one) => ({
      hooks: [{ type: 'command', command: one }],
    }));
    const { files } = await installed(settings(...others));
    expect(groupsIn(files)).toEqual([...others, group]);
  });
});

describe('hooks of other people in the same group stay', () => {
  const shared = { matcher: 'startup', hooks: [...theirs.hooks, { ...hook, command: `old ${name}` }, 'x'] };

  test('when it is installed', async () => {
    const { files, editor } = await installed(settings(shared));
    expect(groupsIn(files)).toEqual([{ matcher: 'startup', hooks: [...theirs.hooks, hook, 'x'] }]);
    await (await editor.planUndo(target)).apply();
    expect(files.get(path)).toBe(settings(shared));
  });

  test('when a user added one to our group after the installation', async () => {
    const { files, editor } = await installed(settings());
    files.set(path, settings({ ...group, hooks: [hook, ...theirs.hooks] }));
    await (await editor.planUndo(target)).apply();
    expect(groupsIn(files)).toEqual([{ ...group, hooks: theirs.hooks }]);
  });
});

describe('undo after another change', () => {
  test('finds the hook where others moved it, and removes what was created for it', async () => {
    const { files, editor } = await installed('{\n  // mine\n  "model": "x"\n}\n');
    files.set(path, (files.get(path) ?? '').replace('"SessionStart": [', '"SessionStart": [\n      null,'));
    await (await editor.planUndo(target)).apply();
    expect(files.get(path)).toContain('// mine');
    expect(files.get(path)?.replaceAll(/\s/gu, '')).toContain('"SessionStart":[null]');
  });

  test('removes the empty array and object that it created', async () => {
    const before = '{\n  // mine\n  "model": "x"\n}\n';
    const { files, editor } = await installed(before);
    files.set(path, (files.get(path) ?? '').replace('"x"', '"y"'));
    await (await editor.planUndo(target)).apply();
    expect(files.get(path)).toBe(before.replace('"x"', '"y"'));
  });

  test('a file that was created for it and has other hooks now stays', async () => {
    const { files, editor } = await installed(undefined);
    files.set(path, (files.get(path) ?? '').replace('"SessionStart"', '"Stop": [],\n    "SessionStart"'));
    await (await editor.planUndo(target)).apply();
    expect(JSON.parse(files.get(path) ?? '')).toEqual({ hooks: { Stop: [] } });
  });

  test('a hook that a user removed is gone: nothing is written', async () => {
    const { files, editor } = await installed(settings(theirs));
    files.set(path, settings(theirs, theirs));
    const undo = await editor.planUndo(target);
    expect(undo).toMatchObject({ action: 'forget', text: undefined });
  });

  test('an earlier hook comes back in place of ours, without the parts that others added', async () => {
    const old = { matcher: 'startup', hooks: [{ type: 'command', command: `old ${name}` }] };
    const { files, editor } = await installed(settings(old));
    const changed = { ...group, hooks: [hook, ...theirs.hooks] };
    files.set(path, settings(theirs, changed));
    await (await editor.planUndo(target)).apply();
    expect(groupsIn(files)).toEqual([theirs, { ...group, hooks: [{ ...hook, ...old.hooks[0] }, ...theirs.hooks] }]);
  });
});

describe('without a note', () => {
  test('a hook of our own is removed, with what is empty then', async () => {
    const files = new Map([[path, json({ model: 'x', hooks: { SessionStart: [group] } })]]);
    await (await editorOver(files).planUndo(target)).apply();
    expect(files.get(path)).toBe(json({ model: 'x' }));
  });

  test('a file with nothing else is deleted', async () => {
    const files = new Map([[path, json({ hooks: { SessionStart: [group] } })]]);
    await (await editorOver(files).planUndo(target)).apply();
    expect(files.has(path)).toBe(false);
  });

  test.each([
    ['no file', undefined],
    ['hooks of others', settings(theirs)],
  ])('%s: nothing is undone', async (_, before) => {
    const files = new Map(before === undefined ? [] : [[path, before]]);
    await expect(editorOver(files).planUndo(target)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
    expect(files.get(path)).toBe(before);
  });

  test('an entry that is not our own needs a note', async () => {
    const files = new Map([[path, settings(group)]]);
    const { isOwn: _, ...strict } = target;
    await expect(editorOver(files).planUndo(strict)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
  });
});

describe('a file of another shape is rejected with its place, and stays', () => {
  const shapes: readonly (readonly [text: string, what: string, line: number, column: number])[] = [
    ['[]', 'the file is an array instead of an object', 1, 1],
    ['{\n  "hooks": []\n}', 'hooks is an array instead of an object', 2, 12],
    ['{\n  "hooks": "x"\n}', 'hooks is a string instead of an object', 2, 12],
    ['{"hooks": null}', 'hooks is null instead of an object', 1, 11],
    ['{\n  "hooks": {\n    "SessionStart": {}\n  }\n}', 'hooks.SessionStart is an object instead of an array', 3, 21],
    ['{"hooks": {"SessionStart": "x"}}', 'hooks.SessionStart is a string instead of an array', 1, 28],
    ['{"hooks": {"SessionStart": null}}', 'hooks.SessionStart is null instead of an array', 1, 28],
  ];

  test.each(shapes)('%s', async (text, what, line, column) => {
    const files = new Map([[path, text]]);
    await expect(editorOver(files).planInstall(target, command)).rejects.toMatchObject({
      code: 'CONFIG_SHAPE',
      path,
      position: { line, column },
      message: `${path} was not changed: ${what}, at line ${line}, column ${column}; correct it first`,
    });
    expect(files.get(path)).toBe(text);
  });

  test('also by undo', async () => {
    const { files, editor } = await installed(settings());
    files.set(path, '{\n  "hooks": { "SessionStart": "mine" }\n}');
    await expect(editor.planUndo(target)).rejects.toMatchObject({
      code: 'CONFIG_SHAPE',
      position: { line: 2, column: 30 },
    });
  });
});

/** Elements of other people. */
const groups = fc.array(
  fc.oneof(
    fc.record({
      matcher: fc.constantFrom('', 'startup', '*'),
      hooks: fc.array(fc.constantFrom<unknown>({ type: 'command', command: 'a' }, { type: 'prompt' }, 1), {
        maxLength: 3,
      }),
    }),
    fc.jsonValue({ maxDepth: 1 }),
  ),
  { maxLength: 4 },
);
const rest = fc.dictionary(fc.constantFrom('a', 'b', 'permissions'), fc.jsonValue(), { noNullPrototype: true });

test('whatever others have, only our element comes and goes', async () => {
  await fc.assert(
    fc.asyncProperty(groups, rest, fc.constantFrom(undefined, 2, '\t'), async (list, others, indent) => {
      const before = JSON.stringify({ ...others, hooks: { Stop: [theirs], SessionStart: list } }, undefined, indent);
      // JSON has no negative zero.
      const value = JSON.parse(before) as { readonly hooks: { readonly SessionStart: unknown[] } };
      const files = new Map([[path, before]]);
      const editor = editorOver(files);
      await (await editor.planInstall(target, command)).apply();
      const wanted = structuredClone(value);
      wanted.hooks.SessionStart.push(group);
      expect(JSON.parse(files.get(path) ?? '')).toEqual(wanted);
      // A change by another program, so that undo cannot restore the old bytes.
      files.set(path, `${files.get(path) ?? ''}\n`);
      await (await editor.planUndo(target)).apply();
      expect(JSON.parse(files.get(path) ?? '')).toEqual(value);
    }),
    { numRuns: 200 },
  );
});

describe('a skill is a whole file', () => {
  const skill: EntryTarget<string> = {
    ...target,
    kind: host.skills,
    name: 'my-skill',
    isOwn: (entry) => entry === 'new\n',
  };
  const file = '/nonexistent/project/.claude/skills/my-skill/SKILL.md';

  test.each([
    ['that is created', undefined, 'add'],
    ['that replaces another one', 'old\n', 'replace'],
  ])('%s, and undo restores the state before', async (_, before, action) => {
    const files = new Map(before === undefined ? [] : [[file, before]]);
    const editor = editorOver(files);
    const change = await editor.planInstall(skill, 'new\n');
    expect(change.action).toBe(action);
    await change.apply();
    expect(files.get(file)).toBe('new\n');
    expect(await editor.planInstall(skill, 'new\n')).toMatchObject({ action: 'keep' });
    await (await editor.planUndo(skill)).apply();
    expect(files.get(file)).toBe(before);
  });

  test('that was changed since stays, and is forgotten', async () => {
    const files = new Map<string, string>();
    const editor = editorOver(files);
    await (await editor.planInstall(skill, 'new\n')).apply();
    files.set(file, 'mine\n');
    const undo = await editor.planUndo(skill);
    expect(undo).toMatchObject({ action: 'leave', text: undefined });
    await undo.apply();
    expect(files.get(file)).toBe('mine\n');
    await expect(editor.planUndo(skill)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
  });

  test('without a note is removed when it is our own', async () => {
    const files = new Map([[file, 'new\n']]);
    await (await editorOver(files).planUndo(skill)).apply();
    expect(files.has(file)).toBe(false);
    files.set(file, 'mine\n');
    await expect(editorOver(files).planUndo(skill)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
  });
});

describe('AGENTS.md has a section', () => {
  const agents = hostOf('agents-md');
  const section: EntryTarget<string> = { ...target, host: agents, kind: agents.entry, name: 'cairn-knowledge' };
  const file = '/nonexistent/project/AGENTS.md';

  test('that is added, updated in place and removed, while the text around it stays', async () => {
    const files = new Map([[file, '# Rules\r\n']]);
    const editor = editorOver(files);
    await (await editor.planInstall(section, 'one\n')).apply();
    files.set(file, `${files.get(file) ?? ''}\r\n# More\r\n`);
    const update = await editor.planInstall(section, 'two\n');
    expect(update.action).toBe('replace');
    await update.apply();
    expect(files.get(file)).toBe(
      '# Rules\r\n\r\n<!-- cairn-knowledge:start -->\r\ntwo\r\n<!-- cairn-knowledge:end -->\r\n\r\n# More\r\n',
    );
    await (await editor.planUndo(section)).apply();
    expect(files.get(file)).toBe('# Rules\r\n\r\n# More\r\n');
  });

  test('does not end at marks in its text', async () => {
    const files = new Map<string, string>();
    const editor = editorOver(files);
    await (await editor.planInstall(section, 'a\n<!-- cairn-knowledge:end -->\nb')).apply();
    expect(await editor.find(section)).toMatchObject({ path: file, entry: 'a\n<! -- cairn-knowledge:end -->\nb' });
    await (await editor.planUndo(section)).apply();
    expect(files.has(file)).toBe(false);
  });
});

test.each([
  ['claude', 'project', '/p/.claude/settings.json', '/p/.claude/skills/s/SKILL.md'],
  ['claude', 'user', '/h/.claude/settings.json', '/h/.claude/skills/s/SKILL.md'],
  ['codex', 'project', '/p/.codex/hooks.json', '/p/.agents/skills/s/SKILL.md'],
  ['codex', 'user', '/h/.codex/hooks.json', '/h/.agents/skills/s/SKILL.md'],
  ['agents-md', 'project', '/p/AGENTS.md', '/p/.agents/skills/s/SKILL.md'],
] as const)('%s, %s: keeps the entry in %s', (id, scope, entry, skill) => {
  const places = { ...context, home: '/h', project: '/p' };
  const { entry: kind, skills, scopes } = hostOf(id);
  expect(scopes).toContain(scope);
  expect([kind.files(scope, places, name), skills.files(scope, places, 's')]).toEqual([[entry], [skill]]);
});

test.each([
  ['claude', { CLAUDE_CONFIG_DIR: '/c' }, '/c/settings.json'],
  ['codex', { CODEX_HOME: '/c' }, '/c/hooks.json'],
])('%s: uses the directory in %j', (id, env, entry) => {
  expect(hostOf(id).entry.files('user', { ...context, env }, name)).toEqual([entry]);
});
