import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { neededCommands } from '../registry.ts';
import { agentCommand, commandName, topCommands, withOwnCommand } from './own-command.ts';

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

const main = 'lib/node_modules/@cairn/cli/bin/cairn.js';
const cloned = 'packages/cli/bin/cairn.js';

describe('people read', () => {
  const links = { 'bin/cairn': main, 'bin/crn': main, 'away/cairn': main, 'away/crn': main };
  test.each([
    ['started by its name on the PATH', 'bin/cairn', ['bin'], 'cairn'],
    ['a link with another name on the PATH', 'bin/crn', ['bin'], 'crn'],
    ['an absolute path of that link', 'bin/crn', ['away', 'bin'], 'crn'],
    ['a link with another name elsewhere', 'away/crn', ['nowhere'], 'cairn'],
    ['an absolute path', 'away/cairn', ['nowhere'], 'cairn'],
    ['the file itself', main, ['nowhere'], 'cairn'],
    ['the file itself, which is on the PATH', main, ['bin'], 'cairn'],
    ['another program of the name is on the PATH', 'bin/crn', ['other', 'bin'], 'cairn'],
  ])('the name that was typed or cairn: %s', (_reason, started, path, expected) => {
    const root = createFiles([main, 'other/crn'], links);
    const PATH = path.map((directory) => join(root, directory)).join(':');
    expect(commandName({ env: { PATH }, cwd: root, main: join(root, started) })).toBe(expected);
  });

  test.each([
    ['in the clone', {}, '', 'npm exec cairn --'],
    ['in a directory of the clone', {}, 'packages', 'npm exec cairn --'],
    ['where npm does not know the clone', {}, '..', 'cairn'],
    ['with the same cairn on the PATH', { PATH: 'bin' }, '', 'cairn'],
  ])('the command line of npm: %s', (_reason, env: { PATH?: string }, cwd, expected) => {
    const root = createFiles([cloned, 'node_modules/.bin/cairn'], {
      'node_modules/@cairn/cli': 'packages/cli',
      'bin/cairn': cloned,
    });
    // npm adds its scripts, and other programs do not have them.
    const PATH = [join(root, 'node_modules/.bin'), ...(env.PATH === undefined ? [] : [join(root, env.PATH)])].join(':');
    const run = { env: { npm_command: 'exec', PATH }, cwd: join(root, cwd), main: join(root, cloned) };
    expect(commandName(run)).toBe(expected);
  });

  test('npx for a package that npx downloaded', () => {
    const file = `_npx/1a2b/${main.slice('lib/'.length)}`;
    const root = createFiles([file, '_npx/1a2b/node_modules/.bin/cairn']);
    const env = { npm_command: 'exec', PATH: join(root, '_npx/1a2b/node_modules/.bin') };
    expect(commandName({ env, cwd: '/', main: join(root, file) })).toBe('npx -y @cairn/cli');
  });
});

describe('an agent gets', () => {
  test('cairn if a link or a script on the PATH runs the same file', () => {
    const root = createFiles([main], { 'bin/cairn': main });
    const run = { node, main: join(root, 'bin/cairn') };
    expect(agentCommand({ ...run, env: { PATH: `/nonexistent:${join(root, 'bin')}` } })).toBe('cairn');
    // Another `cairn` comes first.
    const other = createFiles(['bin/cairn']);
    const env = { PATH: `${join(other, 'bin')}:${join(root, 'bin')}` };
    expect(agentCommand({ ...run, env })).toBe('npx -y @cairn/cli');
    const clone = createFiles([cloned, 'node_modules/.bin/cairn'], { 'node_modules/@cairn/cli': 'packages/cli' });
    const scripts = { PATH: join(clone, 'node_modules/.bin') };
    expect(agentCommand({ env: scripts, node, main: join(clone, cloned) })).toBe('cairn');
  });

  test('absolute paths in a clone, which run in any directory', () => {
    const root = createFiles([cloned, 'node_modules/.bin/cairn'], { 'node_modules/@cairn/cli': 'packages/cli' });
    const run = { env: { PATH: '/nonexistent' }, node, main: join(root, cloned) };
    expect(agentCommand(run)).toBe(join(root, 'node_modules/.bin/cairn'));
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(agentCommand(run)).toBe(`${node} ${join(root, cloned)}`);
    expect(agentCommand({ ...run, env: { PATH: dirname(node) } })).toBe(`node ${join(root, cloned)}`);
  });
});

test('CAIRN_COMMAND overrides both', () => {
  const run = { env: { CAIRN_COMMAND: 'make cairn', PATH: '' }, main: '/none' };
  expect([commandName({ ...run, cwd: '/' }), agentCommand({ ...run, node })]).toEqual(['make cairn', 'make cairn']);
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
  ['Usage: cairn [options] [command]', 'Usage: npm exec cairn -- [options] [command]'],
  ['cairn needs Node 24', 'cairn needs Node 24'],
  ['cairn: nothing found', 'cairn: nothing found'],
])('of %j the suggested command runs: %j', (text, expected) => {
  expect(withOwnCommand(text, () => 'npm exec cairn --')).toBe(expected);
  expect(withOwnCommand(text)).toBe(text);
});
