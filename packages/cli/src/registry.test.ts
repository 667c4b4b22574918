import { expect, test } from 'vitest';
import { loadCommands, neededCommands } from './registry.ts';

const memory = ['add', 'search', 'show', 'list', 'forget', 'export', 'import', 'stats'].map((name) => `memory ${name}`);

test.each([
  ['a command', ['find', 'x'], ['find']],
  ['a subcommand and its parent', ['memory', 'add', 'x'], ['memory', 'memory add']],
  ['all subcommands for an unknown one', ['memory', 'ad'], ['memory', ...memory]],
  ['a parent with its subcommands', ['mcp', '--root', '.'], ['mcp', 'mcp install']],
  ['nothing for the version', ['--version'], []],
])('an invocation loads %s', (_, args, names) => {
  expect(neededCommands(args)).toEqual(names);
});

test.each([[['--help']], [['help', 'grep']], [['gerp']], [[]]])('%j loads every command', async (args) => {
  expect((await loadCommands(args)).length).toBeGreaterThan(25);
});
