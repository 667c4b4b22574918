/** Which directories are left when what was installed for a host is undone. */
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';

interface Place {
  readonly root: string;
  readonly project: string;
  readonly run: (...args: readonly string[]) => Promise<void>;
}

function place(): Place {
  const root = createTree({ home: { 'project/': {} } });
  const project = join(root, 'home', 'project');
  // The store of the knowledge is not part of an installation.
  const env = { HOME: join(root, 'home'), TMPDIR: root, CAIRN_KNOWLEDGE_DIR: join(root, 'knowledge') };
  return {
    root,
    project,
    run: async (...args) => {
      const { exitCode, stderr } = await cairn([...args, '--yes'], { cwd: project, env });
      expect([0, 1], `${args.join(' ')}: ${stderr}`).toContain(exitCode);
    },
  };
}

/** Everything in the home, directories included. */
function left({ root }: Place): string[] {
  return readdirSync(join(root, 'home'), { recursive: true, encoding: 'utf8' }).toSorted();
}

const scopes = ['project', 'user'] as const;
const servers = ['claude-code', 'codex', 'cursor', 'vscode', 'gemini', 'opencode'].flatMap((host) =>
  scopes.map((scope) => [host, scope] as const),
);
const hooks = [
  ['claude', 'project'],
  ['claude', 'user'],
  ['codex', 'project'],
  ['codex', 'user'],
  ['agents-md', 'project'],
] as const;

describe.skipIf(process.platform === 'win32')('nothing is left, directories included, after', () => {
  test.each(servers)('a server of %s for the %s is undone', async (host, scope) => {
    const one = place();
    await one.run('mcp', 'install', host, '--scope', scope);
    expect(left(one).length).toBeGreaterThan(1);
    await one.run('mcp', 'install', host, '--scope', scope, '--undo');
    expect(left(one)).toEqual(['project']);
  });

  test.each(hooks)('the hook and the skills of %s for the %s are removed', async (host, scope) => {
    const one = place();
    await one.run('hook', 'install', host, '--scope', scope);
    expect(left(one).length).toBeGreaterThan(1);
    await one.run('hook', 'remove', host, '--scope', scope);
    expect(left(one)).toEqual(['project']);
  });

  const server = ['mcp', 'install', 'codex'] as const;
  const hook = ['hook', 'install', 'codex'] as const;
  const undoServer = [...server, '--undo'] as const;
  const undoHook = ['hook', 'remove', 'codex'] as const;
  test.each([
    ['the server first', [server, hook, undoServer, undoHook]],
    ['the hook first, which is undone last', [hook, server, undoServer, undoHook]],
    ['the hook first, which is undone first', [hook, server, undoHook, undoServer]],
    ['the server is undone last', [server, hook, undoHook, undoServer]],
  ])('two installations share a directory: %s', async (_, steps) => {
    const one = place();
    for (const step of steps) await one.run(...step);
    expect(left(one)).toEqual(['project']);
  });

  test('two hosts share skills', async () => {
    const one = place();
    for (const step of ['install', 'remove']) {
      await one.run('hook', step, 'codex');
      await one.run('hook', step, 'agents-md');
    }
    expect(left(one)).toEqual(['project']);
  });

  test('a second installation in another language is removed', async () => {
    const one = place();
    await one.run('hook', 'install', 'claude');
    await one.run('hook', 'install', 'claude', '--language', 'zh');
    await one.run('hook', 'remove', 'claude');
    expect(left(one)).toEqual(['project']);
  });

  test('the file of a server was deleted by hand', async () => {
    const one = place();
    await one.run('mcp', 'install', 'vscode');
    rmSync(join(one.project, '.vscode', 'mcp.json'));
    await one.run('mcp', 'install', 'vscode', '--undo');
    expect(left(one)).toEqual(['project']);
  });
});

describe.skipIf(process.platform === 'win32')('a directory stays', () => {
  test('that was there before', async () => {
    const one = place();
    mkdirSync(join(one.project, '.claude'));
    await one.run('hook', 'install', 'claude');
    await one.run('hook', 'remove', 'claude');
    expect(left(one)).toEqual(['project', 'project/.claude']);
  });

  test('that has a file of the user', async () => {
    const one = place();
    await one.run('hook', 'install', 'claude');
    mkdirSync(join(one.project, '.claude', 'skills', 'mine'));
    await one.run('hook', 'remove', 'claude');
    expect(left(one)).toEqual(['project', 'project/.claude', 'project/.claude/skills', 'project/.claude/skills/mine']);
  });

  test('that the user moved, with a link in its place', async () => {
    const one = place();
    await one.run('mcp', 'install', 'vscode');
    mkdirSync(join(one.root, 'dotfiles'));
    renameSync(join(one.project, '.vscode'), join(one.root, 'dotfiles', 'vscode'));
    symlinkSync(join(one.root, 'dotfiles', 'vscode'), join(one.project, '.vscode'));
    await one.run('mcp', 'install', 'vscode', '--undo');
    expect(left(one)).toEqual(['project', 'project/.vscode']);
    expect(readdirSync(join(one.root, 'dotfiles', 'vscode'))).toEqual([]);
  });

  test('that is empty, when a dry run shows the undo', async () => {
    const one = place();
    await one.run('mcp', 'install', 'vscode');
    rmSync(join(one.project, '.vscode', 'mcp.json'));
    await one.run('mcp', 'install', 'vscode', '--undo', '--dry-run');
    expect(left(one)).toContain('project/.vscode');
  });
});
