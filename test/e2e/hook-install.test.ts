import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { runInTerminal } from '../support/terminal.ts';
import { temporaryDirectory } from '../support/tree.ts';

const onLinux = process.platform === 'linux';

/** A person with a home, a project and a knowledge base of their own. */
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
  const state = { XDG_STATE_HOME: join(directory, 'state'), CAIRN_KNOWLEDGE_DIR: join(directory, 'knowledge') };
  return { home, project, env: { HOME: home, TMPDIR: directory, ...state } };
}

async function hook(
  who: Person,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CairnResult> {
  return cairn(['hook', ...args], { cwd: who.project, env: { ...who.env, ...env } });
}

/** Every file below the home and the project, with its text. */
function contents({ home, project }: Person): Record<string, string> {
  const all = [home, project].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('.local'))
      .map((name) => join(root, name))
      .filter((path) => lstatSync(path).isFile())
      .map((path) => [path, readFileSync(path, 'utf8')] as const),
  );
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const skillNames = ['agent-router', 'knowledge-sink', 'phase-detector'];

const theirs = { matcher: 'startup', hooks: [{ type: 'command', command: 'theirs' }] };
const settings = json({ model: 'x', hooks: { SessionStart: [theirs] } });
const rules = '# Rules\r\n\r\nUse tabs.\r\n';

interface Place {
  readonly host: string;
  readonly scope: 'project' | 'user';
  /** Below the project or the home. */
  readonly file: string;
  readonly skills: string;
  /** A file as a user keeps it. */
  readonly kept: string;
}

const places: readonly Place[] = [
  { host: 'claude', scope: 'project', file: '.claude/settings.json', skills: '.claude/skills', kept: settings },
  { host: 'claude', scope: 'user', file: '.claude/settings.json', skills: '.claude/skills', kept: settings },
  { host: 'codex', scope: 'project', file: '.codex/hooks.json', skills: '.agents/skills', kept: settings },
  { host: 'codex', scope: 'user', file: '.codex/hooks.json', skills: '.agents/skills', kept: settings },
  { host: 'agents-md', scope: 'project', file: 'AGENTS.md', skills: '.agents/skills', kept: rules },
];

describe.skipIf(!onLinux).each(places)('$host, $scope', ({ host, scope, file, skills, kept }) => {
  const args = [host, '--scope', scope];
  const root = (who: Person): string => (scope === 'project' ? who.project : who.home);
  const pathOf = (who: Person): string => join(root(who), file);
  // Of JSON only the layout of the array differs.
  const valueOf = (text: string): unknown => (file.endsWith('.json') ? JSON.parse(text) : text);
  const skillPaths = (who: Person): string[] => skillNames.map((name) => join(root(who), skills, name, 'SKILL.md'));

  test('creates the files, shows them, and remove deletes them with their directories', async () => {
    const who = person();
    const made = await hook(who, ['install', ...args, '--yes']);
    expect(made).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`to ${pathOf(who)}`) });
    expect(Object.keys(contents(who))).toEqual([pathOf(who), ...skillPaths(who)].toSorted());
    for (const path of [pathOf(who), ...skillPaths(who)]) expect(made.stdout).toContain(`+++ b${path}\n`);
    expect(made.stderr).toContain(`to undo: cairn hook remove ${host}`);
    const undone = await hook(who, ['remove', ...args, '--yes']);
    expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`from ${pathOf(who)}`) });
    expect([...readdirSync(who.home), ...readdirSync(who.project)].filter((name) => name !== '.local')).toEqual([]);
    expect(await hook(who, ['remove', ...args, '--yes'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('nothing of Cairn is installed'),
    });
  });

  test('keeps what others have; a second run changes nothing; --undo restores the exact bytes', async () => {
    const who = person();
    put(pathOf(who), kept);
    chmodSync(pathOf(who), 0o640);
    expect(await hook(who, ['install', ...args, '--yes'])).toMatchObject({ exitCode: 0 });
    const text = readFileSync(pathOf(who), 'utf8');
    for (const line of kept.split('\n').filter((one) => one.trim() !== '')) {
      expect(text.replaceAll(',', '')).toContain(line.replaceAll(',', ''));
    }
    expect(/(?<!\r)\n/u.test(text)).toBe(/(?<!\r)\n/u.test(kept));
    const { ino, mode } = statSync(pathOf(who));
    expect(mode & 0o777).toBe(0o640);
    const again = await hook(who, ['install', ...args]);
    expect(again).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringContaining('nothing was changed') });
    expect(statSync(pathOf(who)).ino).toBe(ino);
    expect(await hook(who, ['install', ...args, '--undo', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(contents(who)).toEqual({ [pathOf(who)]: kept });
  });

  test('after another change, remove takes only its own part', async () => {
    const who = person();
    put(pathOf(who), kept);
    await hook(who, ['install', ...args, '--yes']);
    const changed = readFileSync(pathOf(who), 'utf8').replace('"x"', '"y"').replace('tabs', 'spaces');
    writeFileSync(pathOf(who), changed);
    expect(await hook(who, ['remove', ...args, '--yes'])).toMatchObject({ exitCode: 0 });
    const wanted = kept.replace('"x"', '"y"').replace('tabs', 'spaces');
    const left = readFileSync(pathOf(who), 'utf8');
    expect(valueOf(left)).toEqual(valueOf(wanted));
  });

  test('without notes, as in the clone of another person, remove finds it', async () => {
    const who = person();
    put(pathOf(who), kept);
    await hook(who, ['install', ...args, '--yes']);
    rmSync(who.env['XDG_STATE_HOME'] ?? '', { recursive: true });
    expect(await hook(who, ['remove', ...args, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(Object.keys(contents(who))).toEqual([pathOf(who)]);
    const left = readFileSync(pathOf(who), 'utf8');
    expect(valueOf(left)).toEqual(valueOf(kept));
  });

  test('keeps a link and changes its target', async () => {
    const who = person();
    const real = join(who.home, 'dotfiles', 'config');
    put(real, kept);
    mkdirSync(dirname(pathOf(who)), { recursive: true });
    symlinkSync(real, pathOf(who));
    expect(await hook(who, ['install', ...args, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(lstatSync(pathOf(who)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).not.toBe(kept);
    expect(await hook(who, ['remove', ...args, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(lstatSync(pathOf(who)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe(kept);
  });

  test('writes nothing with --dry-run, and nothing without a terminal unless --yes is given', async () => {
    const who = person();
    put(pathOf(who), kept);
    const dry = await hook(who, ['install', ...args, '--dry-run']);
    expect(dry).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('would have added') });
    const { exitCode, stdout } = await hook(who, ['install', ...args, '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CONFIRMATION_NEEDED', changed: false } });
    expect(contents(who)).toEqual({ [pathOf(who)]: kept });
  });

  test('--json prints one document with every file', async () => {
    const who = person();
    const { stdout, stderr } = await hook(who, [
      'install',
      ...args,
      '--yes',
      '--json',
      '--command',
      'npx -y @cairn/cli',
    ]);
    expect(stderr).toBe('');
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({ host, scope, changed: true, dryRun: false, next: expect.any(String) });
    const { files } = document as { readonly files: readonly { readonly path: string; readonly action: string }[] };
    expect(files.map(({ path }) => path).toSorted()).toEqual([pathOf(who), ...skillPaths(who)].toSorted());
    expect(files.map(({ action }) => action)).toEqual(['add', 'add', 'add', 'add']);
  });
});

describe.skipIf(!onLinux).each([
  ['claude', '.claude/settings.json'],
  ['codex', '.codex/hooks.json'],
])('the hook of %s', (host, file) => {
  const commandIn = (who: Person): string => {
    const { hooks } = JSON.parse(readFileSync(join(who.project, file), 'utf8')) as {
      readonly hooks: { readonly SessionStart: readonly { readonly hooks: readonly { readonly command: string }[] }[] };
    };
    return hooks.SessionStart[0]?.hooks[0]?.command ?? '';
  };

  test('is the command that the host runs: it prints one JSON document with the index', async () => {
    const who = person();
    await hook(who, ['install', host, '--yes']);
    const input = JSON.stringify({
      session_id: '1',
      cwd: who.project,
      hook_event_name: 'SessionStart',
      source: 'startup',
    });
    // A busy machine must not decide.
    const ran = spawnSync('/bin/sh', ['-c', `${commandIn(who)} --timeout 60000`], {
      cwd: who.project,
      env: { ...process.env, ...who.env },
      input,
      encoding: 'utf8',
    });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        additionalContext: expect.stringContaining('<cairn-knowledge>'),
      },
    });
  });

  test('lists only assets of matching product lines when it was installed so', async () => {
    const who = person();
    await hook(who, ['install', host, '--yes', '--command', 'cairn', '--only-matching']);
    expect(commandIn(who)).toBe(`cairn hook session-start --host ${host} --only-matching`);
    await hook(who, ['remove', host, '--yes']);
    expect(contents(who)).toEqual({});
  });

  test('has the given command, quoted for a shell, and the language', async () => {
    const who = person();
    await hook(who, ['install', host, '--yes', '--command', '"/opt/my tools/cairn"', '--language', 'zh']);
    expect(commandIn(who)).toBe(`'/opt/my tools/cairn' hook session-start --host ${host} --language zh`);
    expect(
      await hook(who, ['install', host, '--yes', '--command', '"/opt/my tools/cairn"', '--language', 'zh']),
    ).toMatchObject({ stderr: expect.stringContaining('nothing was changed') });
    const skills = host === 'claude' ? '.claude/skills' : '.agents/skills';
    expect(readFileSync(join(who.project, skills, 'phase-detector', 'SKILL.md'), 'utf8')).toContain(
      "\n'/opt/my tools/cairn' hook phase --language zh\n",
    );
    expect(await hook(who, ['install', host, '--yes', '--command', 'cairn'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Replaced the hook in'),
    });
    expect(commandIn(who)).toBe(`cairn hook session-start --host ${host}`);
    await hook(who, ['remove', host, '--yes']);
    expect(contents(who)).toEqual({});
  });

  test.each([
    ['a file that does not parse', '{\n  "a": ,\n}\n', 'CONFIG_SYNTAX', 2],
    ['hooks that are not an object', '{\n  "hooks": []\n}\n', 'CONFIG_SHAPE', 2],
    ['an event that is not an array', '{\n  "hooks": {\n    "SessionStart": {}\n  }\n}\n', 'CONFIG_SHAPE', 3],
  ])('%s is rejected with its place, and nothing is written', async (_, text, code, line) => {
    const who = person();
    put(join(who.project, file), text);
    const { exitCode, stdout } = await hook(who, ['install', host, '--yes', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code, path: join(who.project, file), line } });
    expect(contents(who)).toEqual({ [join(who.project, file)]: text });
  });
});

describe.skipIf(!onLinux)('AGENTS.md', () => {
  const fileOf = (who: Person): string => join(who.project, 'AGENTS.md');

  test('has the index between two marks, and a second run updates it in place', async () => {
    const who = person();
    await hook(who, ['install', 'agents-md', '--yes']);
    put(fileOf(who), `# Before\n\n${readFileSync(fileOf(who), 'utf8')}\n# After\n`);
    const asset =
      '---\nname: one\ntype: pitfall\nproduct_line: general\ntitle: First pitfall\ntags: [a]\n---\n\nText.\n';
    put(join(who.home, 'one.md'), asset);
    const added = await cairn(['knowledge', 'add', join(who.home, 'one.md')], { cwd: who.project, env: who.env });
    expect(added).toMatchObject({ exitCode: 0 });
    expect(await hook(who, ['install', 'agents-md', '--yes'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Replaced the section in'),
    });
    const text = readFileSync(fileOf(who), 'utf8');
    expect(text).toMatch(
      /^# Before\n\n<!-- cairn-knowledge:start -->\n<cairn-knowledge>\n[^]*one\|pitfall\|general\|First pitfall\|a\|0[^]*<\/cairn-knowledge>\n<!-- cairn-knowledge:end -->\n\n# After\n$/u,
    );
    put(join(who.project, 'package.json'), '{"dependencies": {"react": "19.0.0"}}');
    await hook(who, ['install', 'agents-md', '--yes', '--only-matching']);
    const matching = readFileSync(fileOf(who), 'utf8');
    expect(matching).not.toContain('one|pitfall|');
    expect(matching).toContain('1 asset of other product lines');
    await hook(who, ['remove', 'agents-md', '--yes']);
    expect(readFileSync(fileOf(who), 'utf8')).toBe('# Before\n\n# After\n');
  });

  test.each([
    ['a mark without its end', '# Rules\n<!-- cairn-knowledge:start -->\nx\n', 'CONFIG_SYNTAX', 2],
    ['bytes that are not UTF-8', Buffer.from([0x23, 0xff, 0x0a]), 'ENCODING', undefined],
  ])('%s is rejected', async (_, text, code, line) => {
    const who = person();
    writeFileSync(fileOf(who), text);
    const { exitCode, stdout } = await hook(who, ['install', 'agents-md', '--yes', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code, path: fileOf(who), ...(line !== undefined && { line }) },
    });
    expect(readFileSync(fileOf(who))).toEqual(Buffer.from(text));
  });
});

describe.skipIf(!onLinux)('skills', () => {
  test('that were changed since stay, and are reported', async () => {
    const who = person();
    await hook(who, ['install', 'claude', '--yes']);
    const path = join(who.project, '.claude', 'skills', 'agent-router', 'SKILL.md');
    writeFileSync(path, 'mine\n');
    const { exitCode, stderr } = await hook(who, ['remove', 'claude', '--yes']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`${path} was changed after the installation, so it stays`);
    expect(contents(who)).toEqual({ [path]: 'mine\n' });
  });

  test('of another person with the same name come back', async () => {
    const who = person();
    const path = join(who.project, '.claude', 'skills', 'agent-router', 'SKILL.md');
    put(path, 'theirs\n');
    const made = await hook(who, ['install', 'claude', '--yes']);
    expect(made.stdout).toContain('-theirs\n');
    await hook(who, ['remove', 'claude', '--yes']);
    expect(contents(who)).toEqual({ [path]: 'theirs\n' });
  });

  test('that two hosts share stay until the last one is removed', async () => {
    const who = person();
    await hook(who, ['install', 'codex', '--yes']);
    await hook(who, ['install', 'agents-md', '--yes']);
    const { stderr } = await hook(who, ['remove', 'codex', '--yes']);
    expect(stderr).toContain('the skills stay, because AGENTS.md uses them too');
    expect(Object.keys(contents(who)).length).toBe(4);
    await hook(who, ['remove', 'agents-md', '--yes']);
    expect(contents(who)).toEqual({});
  });
});

test.skipIf(!onLinux)('without a host, the hosts are listed with where they are installed', async () => {
  const who = person();
  await hook(who, ['install', 'claude', '--scope', 'user', '--yes']);
  await hook(who, ['install', 'agents-md', '--yes']);
  const { exitCode, stdout } = await hook(who, ['install']);
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `claude     Claude Code: user (${join(who.home, '.claude', 'settings.json')})`,
    'codex      Codex: not installed',
    `agents-md  AGENTS.md, for every other host: project (${join(who.project, 'AGENTS.md')})`,
    '',
  ]);
  put(join(who.project, '.codex', 'hooks.json'), '{');
  const broken = await hook(who, ['install', '--json']);
  expect(broken.exitCode).toBe(2);
  expect(JSON.parse(broken.stdout)).toMatchObject({
    matches: [
      { host: 'claude', installed: [{ scope: 'user' }] },
      { host: 'codex', installed: [] },
      { host: 'agents-md' },
    ],
    notices: expect.arrayContaining([expect.stringContaining('hooks.json cannot be read: invalid JSON at line 1')]),
  });
});

test.each([
  [['install', 'nope'], 'unknown host "nope"; use one of claude, codex, agents-md; agents-md is for every other host'],
  [['remove', 'nope'], 'unknown host "nope"'],
  [['install', 'agents-md', '--scope', 'user'], 'AGENTS.md belongs to a project; leave out --scope user'],
  [
    ['install', 'claude', '--undo', '--language', 'zh'],
    '--undo excludes --command, --language and --only-matching; leave them out',
  ],
  [
    ['install', 'claude', '--undo', '--only-matching'],
    '--undo excludes --command, --language and --only-matching; leave them out',
  ],
  [['install', '--undo'], '--undo needs a host'],
  [['install', 'claude', '--language', 'de'], 'invalid --language "de"; use en or zh'],
  [['install', 'claude', '--root', 'nowhere'], 'ENOENT'],
  [['install', 'claude', '--command', ' '], '--command is empty'],
  [['remove'], 'missing argument <host>'],
])('rejects invalid arguments: %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hook(person(), args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test.skipIf(!onLinux).each([
  ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
  ['codex', 'CODEX_HOME', 'hooks.json'],
])('%s: uses the directory in %s', async (host, variable, file) => {
  const who = person();
  const elsewhere = join(who.home, 'elsewhere');
  await hook(who, ['install', host, '--scope', 'user', '--yes'], { [variable]: elsewhere });
  expect(readFileSync(join(elsewhere, file), 'utf8')).toContain('session-start');
});

test.skipIf(!onLinux)('every example of the help works', async () => {
  const who = person();
  for (const command of ['install', 'remove']) {
    const { stdout: help } = await hook(who, [command, '--help']);
    const examples = [...help.matchAll(/^ {2}\$ cairn hook (.*?)(?: {2,}.*)?$/gmu)].map(([, words = '']) =>
      words.split(' '),
    );
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) {
      const args = example.length > 1 && !example.includes('--yes') ? [...example, '--yes'] : example;
      const { exitCode, stderr } = await hook(who, args);
      expect([0, 1], `${example.join(' ')}: ${stderr}`).toContain(exitCode);
    }
  }
});

describe.skipIf(!onLinux)('in a terminal', () => {
  test.each([
    ['y and Enter', 'y\r', 0, true],
    ['Enter', '\r', 1, false],
    ['Ctrl-C', '\u0003', 130, false],
  ])('shows the changes and asks once; %s', async (_, keys, exitCode, isMade) => {
    const who = person();
    const run = runInTerminal(['hook', 'install', 'claude'], { cwd: who.project, env: who.env, columns: 200 });
    await run.until((rows) => rows.some((row) => row.includes('Write these 4 files? [y/N]')), 'the question');
    run.type(keys);
    const end = await run.end;
    expect(end.exitCode).toBe(exitCode);
    expect(existsSync(join(who.project, '.claude', 'settings.json'))).toBe(isMade);
  });
});

describe('cairn hook phase', () => {
  test('names the phase, and why', async () => {
    const who = person();
    spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: who.project });
    put(join(who.project, 'a'), '');
    const { exitCode, stdout } = await hook(who, ['phase']);
    expect({ exitCode, lines: stdout.split('\n').slice(0, 2) }).toEqual({
      exitCode: 0,
      lines: ['Phase: implementing (branch main)', 'Evidence: 1 untracked path'],
    });
    const { stdout: document } = await hook(who, ['phase', '--json']);
    expect(JSON.parse(document)).toMatchObject({
      phase: 'implementing',
      branch: 'main',
      evidence: [{ kind: 'untracked', paths: 1 }],
    });
    expect((await hook(who, ['phase', '--language', 'zh'])).stdout).toContain('阶段：implementing（分支 main）');
  });

  test('exits with 1 outside of git', async () => {
    expect(await hook(person(), ['phase'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('Phase: unknown'),
    });
  });
});
