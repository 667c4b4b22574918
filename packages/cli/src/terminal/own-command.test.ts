import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { neededCommands } from '../registry.ts';
import { ownCommand, topCommands, withOwnCommand } from './own-command.ts';

/** A directory with these files, and links to them. */
function createFiles(files: readonly string[], links: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-own-command-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const path of [...files, ...Object.keys(links)]) mkdirSync(join(root, dirname(path)), { recursive: true });
  for (const file of files) writeFileSync(join(root, file), '');
  for (const [link, target] of Object.entries(links)) symlinkSync(join(root, target), join(root, link));
  return root;
}

const node = process.execPath;

test('a link to the running file on the PATH makes it `cairn`', () => {
  const main = 'lib/node_modules/@cairn/cli/bin/cairn.js';
  const root = createFiles([main], { 'bin/cairn': main });
  const run = { env: { PATH: `/nonexistent:${join(root, 'bin')}` }, cwd: '/', node, main: join(root, 'bin/cairn') };
  expect(ownCommand(run)).toBe('cairn');
  // Another `cairn` comes first.
  const other = createFiles(['bin/cairn']);
  expect(ownCommand({ ...run, env: { PATH: `${join(other, 'bin')}:${join(root, 'bin')}` } })).toBe('npx -y @cairn/cli');
});

test('a script beside the package makes it `cairn`', () => {
  const main = 'packages/cli/bin/cairn.js';
  const root = createFiles([main, 'node_modules/.bin/cairn'], { 'node_modules/@cairn/cli': 'packages/cli' });
  const env = { PATH: join(root, 'node_modules/.bin') };
  expect(ownCommand({ env, cwd: '/', node, main: join(root, main) })).toBe('cairn');
});

test('in a clone it is what npm runs, or the script of the clone, or the file', () => {
  const main = 'packages/cli/bin/cairn.js';
  const root = createFiles([main, 'node_modules/.bin/cairn'], { 'node_modules/@cairn/cli': 'packages/cli' });
  const run = { env: { PATH: '/nonexistent' }, cwd: root, node, main: join(root, main) };
  expect(ownCommand({ ...run, env: { npm_command: 'exec', PATH: join(root, 'node_modules/.bin') } })).toBe(
    'npm exec cairn --',
  );
  expect(ownCommand(run)).toBe('node_modules/.bin/cairn');
  // npm runs it in another directory, where it does not know the clone.
  const elsewhere = { ...run, env: { npm_command: 'exec', PATH: '/nonexistent' }, cwd: '/nonexistent' };
  expect(ownCommand(elsewhere)).toBe(join(root, 'node_modules/.bin/cairn'));
  // A person who may be anywhere.
  expect(ownCommand({ ...run, cwd: undefined })).toBe(join(root, 'node_modules/.bin/cairn'));
  expect(ownCommand({ ...run, cwd: '/nonexistent' })).toBe(join(root, 'node_modules/.bin/cairn'));
  rmSync(join(root, 'node_modules'), { recursive: true });
  expect(ownCommand(run)).toBe(`${node} ${main}`);
  expect(ownCommand({ ...run, env: { PATH: dirname(node) } })).toBe(`node ${main}`);
});

test('a package that npx downloaded is run by npx again', () => {
  const main = '_npx/1a2b/node_modules/@cairn/cli/bin/cairn.js';
  const root = createFiles([main, '_npx/1a2b/node_modules/.bin/cairn']);
  const env = { npm_command: 'exec', PATH: join(root, '_npx/1a2b/node_modules/.bin') };
  expect(ownCommand({ env, cwd: '/', node, main: join(root, main) })).toBe('npx -y @cairn/cli');
});

test('CAIRN_COMMAND overrides it', () => {
  const env = { CAIRN_COMMAND: 'make cairn', PATH: '' };
  expect(ownCommand({ env, cwd: '/', node, main: '/none' })).toBe('make cairn');
});

test('every command without a parent is known', () => {
  expect(topCommands).toEqual(neededCommands([]).filter((name) => !name.includes(' ')));
});

test.each([
  ["use 'cairn find' instead", "use 'npm exec cairn -- find' instead"],
  ["(see 'cairn help grep')", "(see 'npm exec cairn -- help grep')"],
  ["'cairn --help' lists the commands", "'npm exec cairn -- --help' lists the commands"],
  ['zcat FILE.gz | cairn grep x', 'zcat FILE.gz | npm exec cairn -- grep x'],
  ['  $ cairn mcp install codex', '  $ npm exec cairn -- mcp install codex'],
  ['npx -y @cairn/cli find and /opt/cairn find stay', 'npx -y @cairn/cli find and /opt/cairn find stay'],
  ['cairn needs Node 24', 'cairn needs Node 24'],
  ['cairn: nothing found', 'cairn: nothing found'],
])('of %j the suggested command runs: %j', (text, expected) => {
  expect(withOwnCommand(text, () => 'npm exec cairn --')).toBe(expected);
  expect(withOwnCommand(text)).toBe(text);
});
