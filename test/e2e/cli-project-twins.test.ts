/** A repository that was moved, and the commands that say where its facts are. */
import { mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cairn, type CairnResult } from '../support/cli.ts';
import { git } from '../support/tools.ts';
import { temporaryDirectory } from '../support/tree.ts';

interface Moved {
  readonly from: string;
  readonly to: string;
  readonly run: (...args: readonly string[]) => Promise<CairnResult>;
}

async function moved(): Promise<Moved> {
  const parent = realpathSync(temporaryDirectory());
  const [from, to, home] = [join(parent, 'my app'), join(parent, 'moved'), join(parent, 'home')];
  for (const directory of [from, home]) mkdirSync(directory);
  git(['init', '-q'], from);
  git(['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'first'], from);
  const env = { HOME: home };
  expect(await cairn(['memory', 'remember', 'Deploy on Fridays.'], { cwd: from, env })).toMatchObject({ exitCode: 0 });
  renameSync(from, to);
  return { from, to, run: (...args) => cairn(args, { cwd: to, env }) };
}

test('every command that finds nothing in a moved repository gives the command that moves its facts, and it works', async () => {
  const { from, to, run } = await moved();
  const command = `cairn memory project move '${from}' ${to}`;
  for (const args of [['recall', 'deploy'], ['recall'], ['memory', 'recall', 'deploy'], ['doctor']]) {
    const { stdout, stderr } = await run(...args);
    expect(`${stdout}${stderr}`, args.join(' ')).toContain(command);
  }
  expect((await run('memory', 'start')).stdout).toContain(`${command}\n`);
  expect((await run('memory', 'project', 'move', from, to)).stderr).toContain('moved 1 fact');
  expect((await run('recall', 'deploy')).stdout).toContain('Deploy on Fridays.');
  const { stdout } = await run('memory', 'start');
  expect(stdout).toContain('Deploy on Fridays.');
  expect(stdout).not.toContain('project move');
  expect((await run('doctor')).stdout).not.toContain('project move');
});

test('doctor reports a .git file whose repository does not name the directory', async () => {
  const { to, run } = await moved();
  const evil = join(to, 'evil');
  mkdirSync(evil);
  writeFileSync(join(evil, '.git'), `gitdir: ${to}/.git\n`);
  const { stdout } = await run('doctor', '--json');
  expect(stdout).not.toContain('does not name this directory');
  const inside = await cairn(['doctor', '--json'], { cwd: evil, env: { HOME: to } });
  expect(inside.stdout).toContain(`names ${to}/.git, which does not name this directory`);
});
