import { expect, test } from 'vitest';
import { loadCommands, neededCommands } from './registry.ts';

const memory = [
  'remember',
  'recall',
  'list',
  'show',
  'update',
  'archive',
  'restore',
  'forget',
  'embed',
  'edit',
  'start',
  'groups',
  'messages',
  'export',
  'import',
  'backup',
  'project',
  'project list',
  'project move',
  'stats',
].map((name) => `memory ${name}`);

test.each([
  ['a command', ['find', 'x'], ['find']],
  ['a subcommand and its parent', ['memory', 'list', 'x'], ['memory', 'memory list']],
  ['a command by its other name', ['memory', 'search', 'x'], ['memory', 'memory recall']],
  [
    'a command of three words and its parents',
    ['memory', 'project', 'move', 'x'],
    ['memory', 'memory project', 'memory project move'],
  ],
  [
    'a parent of three words',
    ['memory', 'project', 'mov'],
    ['memory', 'memory project', 'memory project list', 'memory project move'],
  ],
  ['all subcommands for an unknown one', ['memory', 'ad'], ['memory', ...memory]],
  ['a parent with its subcommands', ['mcp', '--root', '.'], ['mcp', 'mcp install']],
  ['nothing for the version', ['--version'], []],
])('an invocation loads %s', (_, args, names) => {
  expect(neededCommands(args)).toEqual(names);
});

test.each([[['--help']], [['help', 'grep']], [['gerp']], [[]]])('%j loads every command', async (args) => {
  expect((await loadCommands(args)).length).toBeGreaterThan(25);
});
