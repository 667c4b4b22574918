import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { runInTerminal } from '../support/terminal.ts';
import { temporaryDirectory } from '../support/tree.ts';

/** A person with a home, a project and a state directory of their own. */
interface Person {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

function person(): Person {
  const directory = temporaryDirectory();
  const [home, project] = [join(directory, 'home'), join(directory, 'project')];
  mkdirSync(home);
  mkdirSync(project);
  return { home, project, env: { HOME: home, TMPDIR: directory } };
}

async function install(
  who: Person,
  args: readonly string[],
  options: { readonly uid?: number | undefined; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CairnResult> {
  return cairn(['mcp', 'install', ...args], {
    cwd: who.project,
    env: { ...who.env, ...options.env },
    uid: options.uid,
  });
}

/** Every path below a directory with what is there. */
function contents(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  const shown = names
    .filter((name) => !name.startsWith('.local'))
    .map((name) => {
      const path = join(root, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) return [name, `-> ${readlinkSync(path)}`];
      return [name, stats.isFile() ? readFileSync(path, 'utf8') : '/'];
    });
  return Object.fromEntries(shown) as Record<string, string>;
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

interface Place {
  readonly host: string;
  readonly scope: 'project' | 'user';
  /** Below the project or the home. */
  readonly file: string;
  /** A file as a user keeps it: `@` is where an entry may be. */
  readonly kept: string;
}

const json = (servers: string): string =>
  `{\r\n\t// mine\r\n\t"z": [1, 2],\r\n\t"${servers}": {\r\n\t\t"other": { "command": "x" }, // theirs\r\n@\t},\r\n\t"a": "b",\r\n}`;
const toml =
  '# mine\nmodel = "x" # why\n\n[mcp_servers.other] # theirs\ncommand = "x"\n@\n[tools]\nlist = [\n  1, # one\n]\n';

const places: readonly Place[] = [
  { host: 'claude-code', scope: 'project', file: '.mcp.json', kept: json('mcpServers') },
  { host: 'claude-code', scope: 'user', file: '.claude.json', kept: json('mcpServers') },
  { host: 'codex', scope: 'project', file: '.codex/config.toml', kept: toml },
  { host: 'codex', scope: 'user', file: '.codex/config.toml', kept: toml },
  { host: 'cursor', scope: 'project', file: '.cursor/mcp.json', kept: json('mcpServers') },
  { host: 'cursor', scope: 'user', file: '.cursor/mcp.json', kept: json('mcpServers') },
  { host: 'vscode', scope: 'project', file: '.vscode/mcp.json', kept: json('servers') },
  { host: 'vscode', scope: 'user', file: '.config/Code/User/mcp.json', kept: json('servers') },
  { host: 'gemini', scope: 'project', file: '.gemini/settings.json', kept: json('mcpServers') },
  { host: 'gemini', scope: 'user', file: '.gemini/settings.json', kept: json('mcpServers') },
  { host: 'opencode', scope: 'project', file: 'opencode.json', kept: json('mcp') },
  { host: 'opencode', scope: 'user', file: '.config/opencode/opencode.json', kept: json('mcp') },
];

const onLinux = process.platform === 'linux';

describe.skipIf(!onLinux).each(places)('$host, $scope', ({ host, scope, file, kept }) => {
  const args = [host, '--scope', scope];
  const pathOf = (who: Person): string => join(scope === 'project' ? who.project : who.home, file);
  const existing = kept.replace(/@\r?\n?/u, '');

  test('creates, names and shows a new file, and undo deletes it', async () => {
    const who = person();
    const made = await install(who, [...args, '--yes']);
    expect(made).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`Added cairn to ${pathOf(who)}`) });
    const text = readFileSync(pathOf(who), 'utf8');
    const added = text
      .split('\n')
      .slice(0, -1)
      .map((line) => `+${line}\n`);
    expect(made.stdout).toBe(`--- /dev/null\n+++ b${pathOf(who)}\n@@ -0,0 +1,${added.length} @@\n${added.join('')}`);
    const undone = await install(who, [...args, '--undo', '--yes']);
    expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`Removed cairn from ${pathOf(who)}`) });
    expect({ ...contents(who.project), ...contents(who.home) }).toEqual({});
  });

  test('keeps comments, order and line ends; a second run changes nothing; undo restores the exact bytes', async () => {
    const who = person();
    put(pathOf(who), existing);
    chmodSync(pathOf(who), 0o640);
    expect(await install(who, [...args, '--yes'])).toMatchObject({ exitCode: 0 });
    const text = readFileSync(pathOf(who), 'utf8');
    const lines = existing.split('\n');
    expect(text.split('\n').filter((line) => lines.includes(line))).toEqual(
      expect.arrayContaining(lines.filter((line) => line.trim() !== '')),
    );
    expect(/(?<!\r)\n/u.test(text)).toBe(/(?<!\r)\n/u.test(existing));
    expect(statSync(pathOf(who)).mode & 0o777).toBe(0o640);
    const inode = statSync(pathOf(who)).ino;
    const again = await install(who, args);
    expect(again).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringContaining('is already installed') });
    expect(statSync(pathOf(who)).ino).toBe(inode);
    expect(await install(who, [...args, '--undo', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(pathOf(who), 'utf8')).toBe(existing);
    expect(await install(who, [...args, '--undo', '--yes'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('nothing to undo'),
    });
  });

  test('a configuration of many pages is changed too', async () => {
    const who = person();
    const long = `${existing}${'\n'.repeat(5000)}`;
    put(pathOf(who), long);
    expect(await install(who, [...args, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(pathOf(who), 'utf8').length).toBeGreaterThan(long.length);
  });

  test('undo after another change removes only the entry', async () => {
    const who = person();
    put(pathOf(who), existing);
    await install(who, [...args, '--yes']);
    const changed = readFileSync(pathOf(who), 'utf8').replace('mine', 'changed since');
    writeFileSync(pathOf(who), changed);
    expect(await install(who, [...args, '--undo', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(pathOf(who), 'utf8').trimEnd()).toBe(existing.replace('mine', 'changed since').trimEnd());
  });

  test('rejects a file that does not parse, and names the place', async () => {
    const who = person();
    const broken = file.endsWith('.toml') ? 'a = 1\nb = = 2\n' : '{\n  "a": ,\n}\n';
    put(pathOf(who), broken);
    const { exitCode, stdout, stderr } = await install(who, [...args, '--yes']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /was not changed: invalid (?:JSON|TOML) at line 2, column \d+: [^\n]+; correct it first\n$/u,
    );
    expect(readFileSync(pathOf(who), 'utf8')).toBe(broken);
    const { stdout: answer } = await install(who, [...args, '--yes', '--json']);
    expect(JSON.parse(answer)).toMatchObject({
      error: { code: 'CONFIG_SYNTAX', path: pathOf(who), line: 2, column: expect.any(Number) },
    });
  });

  test('keeps a link and changes its target', async () => {
    const who = person();
    const real = join(who.home, 'dotfiles', 'config');
    put(real, existing);
    mkdirSync(dirname(pathOf(who)), { recursive: true });
    symlinkSync(real, pathOf(who));
    expect(await install(who, [...args, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(lstatSync(pathOf(who)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('cairn');
    expect(await install(who, [...args, '--undo', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(lstatSync(pathOf(who)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe(existing);
  });

  test('without a terminal, writes nothing unless --yes is given', async () => {
    const who = person();
    put(pathOf(who), existing);
    const { exitCode, stdout, stderr } = await install(who, args);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `cairn: ${pathOf(who)} was not changed: there is no terminal to ask on; check the change, then add --yes\n`,
    });
    expect(stdout).toContain('cairn');
    expect(readFileSync(pathOf(who), 'utf8')).toBe(existing);
    const { stdout: answer } = await install(who, [...args, '--json']);
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 'CONFIRMATION_NEEDED', changed: false } });
  });
});

const nobody = 65_534;

describe.skipIf(!onLinux)('an unusual file', () => {
  test('a read-only directory is named, and nothing is created in it', async () => {
    const who = person();
    put(join(who.project, '.mcp.json'), '{}');
    for (const directory of [dirname(who.home), who.home, who.project]) chmodSync(directory, 0o777);
    chmodSync(who.project, 0o555);
    const { exitCode, stderr } = await install(who, ['claude-code', '--yes'], {
      uid: process.getuid?.() === 0 ? nobody : undefined,
    });
    chmodSync(who.project, 0o755);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${join(who.project, '.mcp.json')} was not changed: `);
    expect(stderr).toContain('permission');
    expect(contents(who.project)).toEqual({ '.mcp.json': '{}' });
  });

  test.each([
    ['a list', '[]', 'CONFIG_SHAPE'],
    ['servers that are not an object', '{"mcpServers": []}', 'CONFIG_SHAPE'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'ENCODING'],
  ])('%s is rejected', async (_, content, code) => {
    const who = person();
    const path = join(who.project, '.mcp.json');
    writeFileSync(path, content);
    const { exitCode, stdout } = await install(who, ['claude-code', '--yes', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code, path } });
    expect(readFileSync(path)).toEqual(Buffer.from(content));
  });

  test('a directory is rejected', async () => {
    const who = person();
    mkdirSync(join(who.project, '.mcp.json'));
    const { exitCode, stdout } = await install(who, ['claude-code', '--yes', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'NOT_A_FILE', changed: false } });
  });

  test.each([
    ['an empty file', '', false],
    ['a byte order mark', '\ufeff{"a": 1}', true],
    ['no line end at the end', '{\n  "a": 1\n}', false],
  ])('undo restores %s', async (_, content, hasMark) => {
    const who = person();
    const path = join(who.project, '.mcp.json');
    writeFileSync(path, content);
    expect(await install(who, ['claude-code', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8').startsWith('\ufeff')).toBe(hasMark);
    expect(await install(who, ['claude-code', '--yes', '--undo'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('creates the target of a dangling link, and undo deletes it', async () => {
    const who = person();
    symlinkSync('config', join(who.project, '.mcp.json'));
    expect(await install(who, ['claude-code', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(who.project, 'config'), 'utf8')).toContain('cairn');
    expect(await install(who, ['claude-code', '--yes', '--undo'])).toMatchObject({ exitCode: 0 });
    expect(contents(who.project)).toEqual({ '.mcp.json': '-> config' });
  });
});

describe.skipIf(!onLinux)('an existing entry', () => {
  const path = (who: Person): string => join(who.project, '.mcp.json');

  test('keeps keys that a user added, and undo restores it', async () => {
    const who = person();
    const before =
      '{\n  "mcpServers": {\n    "cairn": {\n      "command": "old", // old\n      "env": { "TOKEN": "secret" },\n      "url": "x"\n    }\n  }\n}\n';
    writeFileSync(path(who), before);
    const { stdout, stderr } = await install(who, ['claude-code', '--yes', '--command', 'npx -y @cairn/cli']);
    expect(stderr).toContain('Replaced cairn in');
    expect(stdout).toContain('-      "command": "old", // old\n');
    const { mcpServers } = JSON.parse(readFileSync(path(who), 'utf8').replace(' // old', '')) as Record<
      string,
      unknown
    >;
    expect(mcpServers).toEqual({
      cairn: {
        command: 'npx',
        env: { TOKEN: 'secret' },
        type: 'stdio',
        args: ['-y', '@cairn/cli', 'mcp', '--root', '${CLAUDE_PROJECT_DIR:-.}'],
      },
    });
    await install(who, ['claude-code', '--yes', '--undo']);
    expect(readFileSync(path(who), 'utf8')).toBe(before);
  });

  test('installed twice with different options, undo restores the first state', async () => {
    const who = person();
    writeFileSync(path(who), '{"a":1}');
    await install(who, ['claude-code', '--yes']);
    await install(who, ['claude-code', '--yes', '--read-only', '--naming', 'claude']);
    expect(readFileSync(path(who), 'utf8')).toContain('"--read-only","--naming","claude"');
    await install(who, ['claude-code', '--yes', '--undo']);
    expect(readFileSync(path(who), 'utf8')).toBe('{"a":1}');
  });

  test('the entry names the project of the facts', async () => {
    const who = person();
    await install(who, ['claude-code', '--yes', '--project', 'app']);
    expect(JSON.parse(readFileSync(path(who), 'utf8'))).toMatchObject({
      mcpServers: { cairn: { args: expect.arrayContaining(['--project', 'app']) } },
    });
  });

  test('the entry names the state directory by its absolute path', async () => {
    const who = person();
    const { exitCode } = await install(who, ['claude-code', '--yes', '--state-dir', '../state']);
    expect(exitCode).toBe(0);
    const state = join(dirname(who.project), 'state');
    expect(JSON.parse(readFileSync(path(who), 'utf8'))).toMatchObject({
      mcpServers: { cairn: { args: expect.arrayContaining(['--state-dir', state]) } },
    });
    expect(readdirSync(state)).toEqual([]);
  });

  test('installed twice with another change in between, undo keeps that change', async () => {
    const who = person();
    writeFileSync(path(who), '{\n  "a": 1\n}\n');
    await install(who, ['claude-code', '--yes']);
    writeFileSync(path(who), readFileSync(path(who), 'utf8').replace('"a": 1', '"a": 2'));
    await install(who, ['claude-code', '--yes', '--read-only']);
    await install(who, ['claude-code', '--yes', '--undo']);
    expect(readFileSync(path(who), 'utf8')).toBe('{\n  "a": 2\n}\n');
  });

  test('undo succeeds when the entry or its file is already gone', async () => {
    const who = person();
    writeFileSync(path(who), '{}');
    for (const content of ['{ "b": 2 }', undefined]) {
      await install(who, ['claude-code', '--yes']);
      if (content === undefined) rmSync(path(who));
      else writeFileSync(path(who), content);
      expect(await install(who, ['claude-code', '--undo'])).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('is not in'),
      });
      expect(existsSync(path(who)) ? readFileSync(path(who), 'utf8') : undefined).toBe(content);
    }
  });

  test('a file that cairn created and a user changed keeps its other content', async () => {
    const who = person();
    await install(who, ['vscode', '--yes']);
    const file = join(who.project, '.vscode', 'mcp.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('{\n', '{\n  "inputs": [],\n'));
    await install(who, ['vscode', '--yes', '--undo']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ inputs: [] });
  });
});

describe.skipIf(!onLinux)('opencode', () => {
  test('a file in the layout of version 2 gets the entry in that layout', async () => {
    const who = person();
    const path = join(who.project, 'opencode.jsonc');
    writeFileSync(path, '{ "mcp": { "servers": { "a": { "type": "local", "command": ["a"] } } } }');
    await install(who, ['opencode', '--yes', '--command', 'cairn']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      mcp: { servers: { cairn: { type: 'local', command: ['cairn', 'mcp', '--root', who.project] } } },
    });
    expect(readFileSync(path, 'utf8')).not.toContain('enabled');
    expect(existsSync(join(who.project, 'opencode.json'))).toBe(false);
  });
});

test.skipIf(!onLinux).each([
  ['claude-code', 'CLAUDE_CONFIG_DIR', '.claude.json'],
  ['codex', 'CODEX_HOME', 'config.toml'],
  ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ['vscode', 'XDG_CONFIG_HOME', 'Code/User/mcp.json'],
  ['vscode', 'VSCODE_PORTABLE', 'user-data/User/mcp.json'],
  ['opencode', 'XDG_CONFIG_HOME', 'opencode/opencode.json'],
])('%s: uses the directory in %s', async (host, variable, file) => {
  const who = person();
  const elsewhere = join(who.home, 'elsewhere');
  await install(who, [host, '--scope', 'user', '--yes'], { env: { [variable]: elsewhere } });
  expect(readFileSync(join(elsewhere, file), 'utf8')).toContain('cairn');
});

describe.skipIf(!onLinux)('undo notes', () => {
  test('are readable by this user alone, below XDG_STATE_HOME', async () => {
    const who = person();
    const state = join(who.home, 'state');
    await install(who, ['claude-code', '--yes'], { env: { XDG_STATE_HOME: state } });
    const directory = join(state, 'cairn', 'host-entries');
    const [note = ''] = readdirSync(directory);
    expect([statSync(directory).mode & 0o777, statSync(join(directory, note)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('are written before the file: after a kill at any step, the file is old or new and undo works', async () => {
    const who = person();
    const path = join(who.project, '.mcp.json');
    const directory = join(who.home, '.local', 'state', 'cairn', 'host-entries');
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, '{"a":1}');
    const { stdout } = await install(who, ['claude-code', '--dry-run', '--json']);
    const { entry } = JSON.parse(stdout) as { entry: unknown };
    const installed = JSON.stringify({ a: 1, mcpServers: { cairn: entry } });
    const seen: string[] = [];
    // Killed at each of the first things that it does in the directory of the notes, and in the project.
    for (let round = 0; round < 8; round++) {
      const child = startCairn(['mcp', 'install', 'claude-code', '--yes'], { cwd: who.project, env: who.env });
      let left = round;
      const kill = (): void => {
        if (left-- === 0) child.kill('SIGKILL');
      };
      const watchers = [directory, who.project].map((watched) => watch(watched, kill));
      await finished(child);
      for (const watcher of watchers) watcher.close();
      const content = readFileSync(path, 'utf8');
      seen.push(content);
      const undone = await install(who, ['claude-code', '--undo', '--yes', '--json']);
      // Before the note is there nothing has changed, and nothing can be undone.
      expect(content === '{"a":1}' ? [0, 2] : [0], undone.stdout).toContain(undone.exitCode);
      expect(contents(who.project)).toEqual({ '.mcp.json': '{"a":1}' });
    }
    expect(['{"a":1}', installed]).toEqual(expect.arrayContaining(seen));
  });

  test('nothing is installed when they cannot be written', async () => {
    const who = person();
    writeFileSync(join(who.home, 'state'), 'a file');
    const { exitCode, stdout } = await install(who, ['claude-code', '--yes', '--json'], {
      env: { XDG_STATE_HOME: join(who.home, 'state') },
    });
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'STATE' } });
    expect(contents(who.project)).toEqual({});
  });
});

test.skipIf(!onLinux)('--dry-run shows the change and writes nothing', async () => {
  const who = person();
  const { exitCode, stdout, stderr } = await install(who, ['cursor', '--dry-run']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('+    "cairn": {\n');
  expect(stderr).toContain('would have added cairn to');
  expect({ ...contents(who.project), ...contents(who.home) }).toEqual({});
});

test.skipIf(!onLinux)('--json prints one document with all facts', async () => {
  const who = person();
  const { stdout, stderr } = await install(who, ['codex', '--yes', '--json', '--command', 'cairn']);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    host: 'codex',
    scope: 'project',
    path: join(who.project, '.codex', 'config.toml'),
    name: 'cairn',
    action: 'add',
    changed: true,
    dryRun: false,
    entry: { command: 'cairn', args: ['mcp', '--root', who.project] },
    launch: { command: 'cairn', why: 'from --command' },
    diff: { addedLines: 3, removedLines: 0 },
  });
});

test.each([
  [['nope'], 'unknown host "nope"; use one of claude-code, codex, cursor, vscode, gemini, opencode'],
  [['codex', '--scope', 'team'], 'invalid --scope "team"; use project or user'],
  [['codex', '--name', 'a b'], 'invalid --name "a b" for Codex; use up to 64 letters, digits, hyphens and underscores'],
  [['gemini', '--name', 'a_b'], 'use up to 64 letters, digits and hyphens, but no underscores'],
  [['codex', '--naming', 'x'], 'use default, claude, pi, gemini, codex or mcp-fs'],
  [['codex', '--command', 'npx "a'], '--command has an unclosed quote'],
  [['codex', '--command', ' '], '--command is empty'],
  [
    ['codex', '--undo', '--read-only'],
    '--undo excludes --command, --read-only, --naming and --project; leave them out',
  ],
  [['codex', '--root', 'nowhere'], 'ENOENT'],
  [[], 'missing argument <host>'],
  [['codex', 'cursor'], "'cairn mcp install' takes one argument, but got 2"],
])('rejects invalid arguments: %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await install(person(), args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test.skipIf(!onLinux)('every example of the help works', async () => {
  const who = person();
  const { stdout: help } = await install(who, ['--help']);
  const examples = [...help.matchAll(/^ {2}\$ cairn mcp install (.*?) {2,}/gmu)].map(([, words = '']) =>
    words.split(' '),
  );
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) {
    const { exitCode, stdout } = await install(who, [...example, '--yes']);
    expect({ exitCode, stdout }, example.join(' ')).toEqual({ exitCode: 0, stdout: expect.stringContaining('cairn') });
  }
});

describe.skipIf(!onLinux)('in a terminal', () => {
  const path = (who: Person): string => join(who.project, '.mcp.json');
  const ask = (who: Person, ...more: readonly string[]): ReturnType<typeof runInTerminal> =>
    runInTerminal(['mcp', 'install', 'claude-code', ...more], {
      cwd: who.project,
      env: { HOME: who.home },
      columns: 200,
    });
  const isAsked = (rows: string[]): boolean => rows.some((row) => row.includes('[y/N]'));

  test.each([
    ['y and Enter', 'y\r', 0, true],
    ['yes, with a typo corrected', 'yex\u007fs\r', 0, true],
    ['Enter', '\r', 1, false],
    ['n', 'n\r', 1, false],
    ['Ctrl-D', '\u0004', 1, false],
    ['Ctrl-C', '\u0003', 130, false],
  ])('shows the change and asks; %s', async (_, keys, exitCode, isMade) => {
    const who = person();
    const run = ask(who);
    await run.until(isAsked, 'the question');
    run.type(keys);
    const end = await run.end;
    expect(end.exitCode).toBe(exitCode);
    expect(end.stdout).toContain('+    "cairn": {');
    expect(existsSync(path(who))).toBe(isMade);
  });

  test('does not write when the file changed during the question', async () => {
    const who = person();
    writeFileSync(path(who), '{}');
    const run = ask(who, '--json');
    await run.until(isAsked, 'the question');
    writeFileSync(path(who), '{"a": 1}');
    run.type('y\r');
    const end = await run.end;
    expect(end.exitCode).toBe(2);
    expect(JSON.parse(end.stdout)).toMatchObject({
      error: {
        code: 'STALE',
        message: expect.stringContaining('it changed since it was read'),
        fix: 'run the command again',
      },
    });
    expect(readFileSync(path(who), 'utf8')).toBe('{"a": 1}');
  });
});
