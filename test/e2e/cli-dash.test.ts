/** `-` as the text or the file of a command: its standard input. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// The command line has no exports: a program starts it.
// oxlint-disable-next-line no-restricted-imports
import { neededCommands } from '../../packages/cli/src/registry.ts';
import { cairn } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';
import { newcomer, remember } from './newcomer.ts';

const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n';
const asset = '---\nname: x\ntype: pitfall\nproduct_line: p\ntitle: X\n---\n\nBody.\n';

test.each([
  ['-', ['patch', '-'], patch],
  ['no argument', ['patch'], patch],
  ['the name of a file', ['patch', 'change.patch'], ''],
])('cairn patch reads %s', async (_, args, input) => {
  const cwd = createTree({ 'a.txt': 'old\n', 'change.patch': patch });
  expect(await cairn(args, { cwd, input })).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('+new') });
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('new\n');
});

test.each([
  ['a fact', ['memory', 'remember', '-'], 'from the pipe\n', ['memory', 'list']],
  [
    'an import',
    ['memory', 'import', '-'],
    '{"type":"entity","name":"pipe","entityType":"x","observations":["from the pipe"]}\n',
    ['memory', 'export'],
  ],
  ['a note', ['notes', 'add', 'flow', '-'], 'from the pipe\n', ['notes', 'list', 'flow']],
  ['an asset', ['knowledge', 'add', '-'], asset.replace('Body.', 'from the pipe'), ['knowledge', 'show', 'x']],
])('%s is read from standard input for -', async (_, args, input, shows) => {
  const person = newcomer();
  expect(await person(args, input)).toMatchObject({ exitCode: 0 });
  expect((await person(shows)).stdout).toContain('from the pipe');
});

test('a changed fact is read from standard input for -', async () => {
  const person = newcomer();
  const id = await remember(person, 'old');
  expect(await person(['memory', 'update', id, '--text', '-'], 'from the pipe\n')).toMatchObject({ exitCode: 0 });
  expect((await person(['memory', 'show', id])).stdout).toContain('from the pipe');
});

test('the prompt of a shown request is read from standard input for -', async () => {
  const cwd = createTree({
    '.git/': {},
    '.cairn/agents/helper.md': '---\nname: helper\ndescription: Helps\n---\nYou help.\n',
  });
  const { stdout } = await cairn(['agents', 'context', 'helper', '-'], {
    cwd,
    env: { HOME: cwd },
    input: 'the task\n',
  });
  expect(stdout).toContain('the task');
});

test('a backup to - is rejected, because it is a file', async () => {
  const person = newcomer();
  await remember(person, 'x');
  const { exitCode, stderr } = await person(['memory', 'backup', '-']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot go to standard output; name a new file')]);
});

test('the help of every argument that reads standard input names -', async () => {
  for (const command of neededCommands([])) {
    const { stdout } = await cairn([...command.split(' '), '--help']);
    const [, section = ''] = /\nArguments:\n([^]*?)\n\n/u.exec(stdout) ?? [];
    const entries = section.split(/\n(?= {2}\S)/u).map((entry) => entry.replaceAll(/\s+/gu, ' '));
    for (const entry of entries.filter((one) => one.includes('default: standard input'))) {
      expect(entry, `cairn ${command}`).toContain('- reads standard input');
    }
  }
});
