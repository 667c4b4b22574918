import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEntryEditor } from './entry-editor.ts';
import type { EntryEditor, EntryTarget } from './entry-editor.ts';
import type { EntryKind, ServerCommand } from './host.ts';
import { hosts } from './hosts.ts';

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

const context = { env: {}, home: '/nonexistent/home', project: '/nonexistent/project', platform: 'linux' } as const;
const [host] = hosts;
if (!host) throw new Error('there are hosts');

/** A second kind of entry: commands that run after a tool call. The editor knows nothing about it. */
const hooks: EntryKind<{ readonly event: string; readonly command: string }> = {
  id: 'hook',
  format: 'json',
  files: (_, { project }) => [join(project, 'settings.json')],
  path: (name, config) => (config['version'] === 2 ? ['hooks', 'after', name] : ['hooks', name]),
  render: ({ event, command }) => [{ matcher: event, hooks: [{ type: 'command', command }] }],
  conflictingKeys: [],
  nextStep: () => 'restart it',
};

const hook: EntryTarget<{ readonly event: string; readonly command: string }> = {
  host,
  kind: hooks,
  scope: 'project',
  context,
  name: 'PostToolUse',
};
const settings = '/nonexistent/project/settings.json';
const value = { event: 'Edit', command: 'cairn hook' };

test('an entry of any kind is installed where its kind keeps it, and undone', async () => {
  for (const [before, path] of [
    [undefined, ['hooks', 'PostToolUse']],
    ['{\n  // mine\n  "version": 2\n}\n', ['hooks', 'after', 'PostToolUse']],
    ['{"hooks":{"PostToolUse":[{"matcher":"Bash"}]}}', ['hooks', 'PostToolUse']],
  ] as const) {
    const files = new Map(before === undefined ? [] : [[settings, before]]);
    const editor = editorOver(files);
    const install = await editor.planInstall(hook, value);
    expect(install).toMatchObject({ entryPath: path, to: hooks.render(value, {}) });
    expect(files.get(settings), 'a plan writes nothing').toBe(before);
    await install.apply();
    expect(files.get(settings)).toContain('cairn hook');
    expect(await editor.planInstall(hook, value)).toMatchObject({ action: 'keep', text: undefined });
    const undo = await editor.planUndo(hook);
    await undo.apply();
    expect(files.get(settings)).toBe(before);
  }
});

test('undo keeps what another program changed', async () => {
  const files = new Map([[settings, '{\n  "a": 1\n}\n']]);
  const editor = editorOver(files);
  await (await editor.planInstall(hook, value)).apply();
  files.set(settings, (files.get(settings) ?? '').replace('"a": 1', '"a": 2'));
  await (await editor.planUndo(hook)).apply();
  expect(files.get(settings)).toBe('{\n  "a": 2\n}\n');
});

test('entries of two kinds with one name have undo notes of their own', async () => {
  const editor = editorOver(new Map());
  await (await editor.planInstall(hook, value)).apply();
  await expect(editor.planUndo({ ...hook, kind: { ...hooks, id: 'other' } })).rejects.toMatchObject({
    code: 'NOTHING_TO_UNDO',
    path: settings,
  });
});

describe('what is not an entry is rejected and stays', () => {
  const wrong = ['3', '""', '"x"', 'true', '[]', '["a"]', '[{}]'] as const;
  const texts: readonly (readonly [id: string, text: string])[] = [
    ...[...wrong, 'null'].flatMap((value): [string, string][] => [
      ['claude-code', `{ "mcpServers": { "cairn": ${value} } }`],
      ['claude-code', `{ "mcpServers": ${value} }`],
      ['claude-code', `{ "a": 1,\n  "mcpServers": { // mine\n "cairn": ${value} } }`],
      ['vscode', `{ "servers": ${value} }`],
    ]),
    ...[...wrong, '1979-05-27', 'inf', "'x'"].flatMap((value): [string, string][] => [
      ['codex', `mcp_servers = ${value}\n`],
      ['codex', `mcp_servers.cairn = ${value} # mine\n`],
      ['codex', `[mcp_servers]\ncairn = ${value}\n`],
      ['codex', `mcp_servers = { cairn = ${value} }`],
    ]),
    ['codex', '[[mcp_servers]]\n'],
    ['codex', '[[mcp_servers.cairn]]\ncommand = "x"\n'],
    ['codex', '[[mcp_servers.cairn]]\n[[mcp_servers.cairn]]\n'],
  ];

  function targetOf(id: string): EntryTarget<ServerCommand> {
    const found = hosts.find((one) => one.id === id);
    if (!found) throw new Error(`there is no host ${id}`);
    return { host: found, kind: found.mcpServers, scope: 'project', context, name: 'cairn' };
  }
  const command = { command: 'cairn', args: ['mcp'] };

  test.each(texts)('%s: %s', async (id, text) => {
    const target = targetOf(id);
    const path = target.kind.files(target.scope, context, 'cairn')[0] ?? '';
    const files = new Map([[path, text]]);
    await expect(editorOver(files).planInstall(target, command)).rejects.toMatchObject({ code: 'CONFIG_SHAPE', path });
    expect(files.get(path)).toBe(text);
  });

  test.each([
    ['claude-code', '{ "mcpServers": { "cairn": "mine" } }'],
    ['codex', 'mcp_servers.cairn = "mine"\n'],
  ])('also by undo: %s', async (id, text) => {
    const target = targetOf(id);
    const path = target.kind.files(target.scope, context, 'cairn')[0] ?? '';
    const files = new Map<string, string>();
    const editor = editorOver(files);
    await (await editor.planInstall(target, command)).apply();
    files.set(path, text);
    await expect(editor.planUndo(target)).rejects.toMatchObject({ code: 'CONFIG_SHAPE', path });
    expect(files.get(path)).toBe(text);
  });

  test.each([
    ['claude-code', '{ "mcpServers": { "cairn": { "command": "old" } } }', '{ "mcpServers": "mine" }'],
    ['codex', '[mcp_servers.cairn]\ncommand = "old"\n', 'mcp_servers = ""\n'],
  ])('also by an undo that restores an entry: %s', async (id, before, text) => {
    const target = targetOf(id);
    const path = target.kind.files(target.scope, context, 'cairn')[0] ?? '';
    const files = new Map([[path, before]]);
    const editor = editorOver(files);
    await (await editor.planInstall(target, command)).apply();
    files.set(path, text);
    await expect(editor.planUndo(target)).rejects.toMatchObject({ code: 'CONFIG_SHAPE', path });
    expect(files.get(path)).toBe(text);
  });
});

test('an error about a file names it', async () => {
  const editor = editorOver(new Map([[settings, '{ "a": }']]));
  await expect(editor.planInstall(hook, value)).rejects.toMatchObject({
    code: 'CONFIG_SYNTAX',
    path: settings,
    position: { line: 1, column: 8 },
    message: `${settings} was not changed: invalid JSON at line 1, column 8: value expected; correct it first`,
  });
});
