import { createKnowledge } from '@cairn/knowledge';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorld, fileOf } from '../knowledge/team-harness.ts';
import { newcomer } from './newcomer.ts';
import type { Newcomer } from './newcomer.ts';

const none = { added: [], changed: [], removed: [] };

/** Changes `p/x` in the local store of a user. */
async function changeIn({ home }: Newcomer, text: string): Promise<void> {
  await using knowledge = createKnowledge({ directory: join(home, '.local/share/cairn/knowledge'), env: {} });
  await knowledge.store.change('p/x', { text });
}

test('two people share an asset, resolve a conflict and see what is left', async () => {
  const world = createWorld();
  try {
    const [ann, bob] = [newcomer(), newcomer()];
    const team = (cairn: Newcomer, ...args: readonly string[]): ReturnType<Newcomer> =>
      cairn(['knowledge', 'team', ...args]);
    expect(await team(ann, 'push')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No team store is set up. Run "cairn knowledge team init <remote>".') as string,
    });
    expect(await team(ann, 'init', world.remote)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: `cairn: pulled 0 assets, pushed 0 assets; main of ${world.remote}\n`,
    });
    await ann(
      ['knowledge', 'add', '--name', 'x', '--type', 'pitfall', '--title', 'X', '--area', 'p'],
      '部署 on Mondays.',
    );
    const status = await team(ann, 'status');
    expect(status).toMatchObject({ exitCode: 0, stderr: "cairn: 1 asset to push: 'cairn knowledge team push'\n" });
    expect(status.stdout).toContain('unshared added    p/x\n');
    expect(await team(ann, 'push')).toMatchObject({ exitCode: 0, stdout: 'pushed   added    p/x\n' });
    expect((await team(bob, 'init', world.remote)).stdout).toBe('pulled   added    p/x\n');
    expect((await bob(['knowledge', 'search', '部署'])).stdout).toContain('p/x');
    const text = (body: string): string => fileOf('p/x', body);
    const conflictOf = (mine: string, theirs: string): string =>
      `<<<<<<< here\n${mine}=======\n${theirs}>>>>>>> team\n`;
    const merged = join(world.root, 'merged.md');
    writeFileSync(merged, text('By both.'));
    world.commit({ 'p/x.md': text('By Ann.') });
    await changeIn(bob, text('By Bob.'));
    const conflict = await team(bob, 'sync', '--json');
    expect(conflict.exitCode).toBe(2);
    expect(JSON.parse(conflict.stdout)).toMatchObject({
      pushed: none,
      conflicts: ['p/x'],
    });
    const shown = await team(bob, 'resolve');
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toBe(`p/x\n${text(conflictOf('By Bob.\n', 'By Ann.\n'))}`);
    expect((await team(bob, 'resolve', 'x', '--mine', '--theirs')).exitCode).toBe(2);
    expect((await team(bob, 'resolve', 'y', '--mine')).stderr).toContain('y has no conflict');
    expect(await team(bob, 'resolve', 'x', '--file', merged)).toMatchObject({ exitCode: 0, stdout: 'p/x\n' });
    expect(await team(bob, 'push')).toMatchObject({ exitCode: 0, stdout: 'pushed   changed  p/x\n' });
    expect(world.files()).toEqual({ 'p/x.md': text('By both.') });
    expect((await team(bob, 'resolve')).exitCode).toBe(1);
    const document: unknown = JSON.parse((await team(ann, 'status', '--fetch', '--json')).stdout);
    expect(document).toMatchObject({ branch: 'main', outgoing: none, team_changed: true, conflicts: [] });
  } finally {
    world.dispose();
  }
});

test('both texts of a conflict are merged in the editor', async () => {
  const world = createWorld();
  try {
    world.commit({ 'p/x.md': fileOf('p/x', 'Start.') });
    const ann = newcomer();
    await ann(['knowledge', 'team', 'init', world.remote]);
    world.commit({ 'p/x.md': fileOf('p/x', 'By the team.') });
    await changeIn(ann, fileOf('p/x', 'Mine.'));
    await ann(['knowledge', 'team', 'pull']);
    const editor = join(world.root, 'editor');
    const withEditor = (script: string): Newcomer => {
      writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return ann.elsewhere(ann.home, { EDITOR: editor, VISUAL: '' });
    };
    const unchanged = await withEditor(`echo more >> "$1"`)(['knowledge', 'team', 'resolve', 'x', '--edit']);
    expect(unchanged.stderr).toContain('still has the lines of the conflict');
    const script = `sed -i '/^<<<<<<< /d;/^=======$/,$d;s/Mine/Ours/' "$1"`;
    expect((await withEditor(script)(['knowledge', 'team', 'resolve', 'x', '--edit'])).exitCode).toBe(0);
    await ann(['knowledge', 'team', 'push']);
    expect(world.files()).toEqual({ 'p/x.md': fileOf('p/x', 'Ours.') });
  } finally {
    world.dispose();
  }
});
