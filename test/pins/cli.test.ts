import { expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';

/** The terms of one section of a help text: what stands at the start of its lines. */
function termsOf(help: string, section: 'Options' | 'Commands'): string[] {
  const [, body = ''] = help.split(`\n${section}:\n`);
  const [block = ''] = body.split('\n\n');
  return [...block.matchAll(/^ {2}(\S.*?)(?: {2,}.*)?$/gmu)].map(([, term = '']) => term);
}

const shared = [
  '--path <path>',
  '--hidden',
  '--no-hidden',
  '--no-ignore',
  '--limit <n>',
  '--timeout <ms>',
  '--json',
  '--color <when>',
  '-h, --help',
];

const tool = ['--root <dir>', '--json', '--color <when>', '-h, --help'];
const mutation = ['--dry-run', '--expect <tag>', '--state-dir <dir>', ...tool];

const store = ['--backend <name>', '--store <file>', '--url <url>', '--json', '--color <when>', '-h, --help'];
const facts = ['--project <identity>', ...store];
const agents = ['--root <dir>', '--json', '--color <when>', '-h, --help'];
const histories = ['--session <name>', '--resume'];
const agentPlace = ['--root <dir>', ...facts];
const times = ['--since <time>', '--until <time>'];
const place = ['--stream <name>', '--group <name>'];
const retention = ['--keep <n>', '--days <n>'];

const work = [
  '--functions <module>',
  '--root <dir>',
  '--language <code>',
  '--approve <names>',
  '--read-only',
  '--no-tools',
  '--model <id>',
  '--base-url <url>',
  '--state-dir <dir>',
  ...facts,
];
const pinned: readonly (readonly [command: string, options: readonly string[]])[] = [
  ['find', shared],
  ['glob', ['--type <kind>', '--no-recursive', '--sort-mtime', '--include-node-modules', '--long', ...shared]],
  [
    'grep',
    [
      '-i, --ignore-case',
      '-F, --literal',
      '-U, --multiline',
      '-g, --glob <glob>',
      '-t, --type <type>',
      '-A, --after-context <n>',
      '-B, --before-context <n>',
      '-C, --context <n>',
      '--mode <mode>',
      '-c, --count',
      '-l, --files-with-matches',
      '--offset <n>',
      '--max-count-per-file <n>',
      '--max-columns <n>',
      '--max-filesize <size>',
      ...shared,
    ],
  ],
  ['pick', ['--path <path>', '--grep', '--hidden', '--no-hidden', '--no-ignore', '--color <when>', '-h, --help']],
  ['ls', ['--depth <n>', '--limit <n>', '--skip <n>', ...tool]],
  [
    'tree',
    [
      '--depth <n>',
      '--chars <n>',
      '--tokens <n>',
      '--format <form>',
      '--hidden',
      '--no-ignore',
      '--allow <name>',
      '--focus <path>',
      '--timeout <ms>',
      '--stats',
      '--json',
      '--color <when>',
      '-h, --help',
    ],
  ],
  ['read', ['--offset <n>', '--limit <n>', '--encoding <name>', ...tool]],
  ['write', ['--content <text>', '--overwrite', ...mutation]],
  ['edit', ['--old <text>', '--new <text>', '--all', '--edits <json>', ...mutation]],
  ['patch', ['--dry-run', '--state-dir <dir>', ...tool]],
  ['delete', ['--recursive', ...mutation]],
  ['rename', ['--overwrite', ...mutation]],
  ['memory', ['-h, --help']],
  [
    'memory remember',
    [
      '--scope <scope>',
      '--tag <name>',
      '--pin',
      '--replaces <id>',
      '--source <name>',
      '--stream <name>',
      '--shared',
      '--allow-secret',
      ...facts,
    ],
  ],
  [
    'memory recall',
    ['--scope <scope>', '--tag <name>', ...times, ...place, '--role <role>', '--limit <n>', '--offset <n>', ...facts],
  ],
  [
    'memory list',
    [
      '--scope <scope>',
      '--tag <name>',
      ...times,
      '--stream <name>',
      '--archived',
      '--limit <n>',
      '--offset <n>',
      ...facts,
    ],
  ],
  ['memory show', facts],
  [
    'memory update',
    [
      '--text <text>',
      '--tag <name>',
      '--no-tags',
      '--pin',
      '--no-pin',
      '--shared',
      '--no-shared',
      '--allow-secret',
      ...facts,
    ],
  ],
  ['memory archive', facts],
  ['memory restore', facts],
  ['memory forget', ['--scope <scope>', ...place, '--message <id>', '--unreadable', '--everything', '--yes', ...facts]],
  ['memory edit', ['--scope <scope>', '--apply <file>', '--allow-secret', ...facts]],
  ['memory start', ['--stream <name>', '--chars <n>', '--language <code>', ...facts]],
  ['memory groups', ['--stream <name>', ...store]],
  ['memory messages', [...place, '--limit <n>', ...store]],
  ['memory export', ['--format <form>', '--scope <scope>', ...place, ...facts]],
  ['memory import', [...retention, ...store]],
  ['memory backup', store],
  ['memory project', ['-h, --help']],
  ['memory project list', store],
  ['memory project move', store],
  ['memory stats', store],
  ['hook', ['-h, --help']],
  [
    'hook session-start',
    ['--host <host>', '--language <code>', '--only-matching', '--timeout <ms>', '--directory <dir>', '-h, --help'],
  ],
  ['notes', ['-h, --help']],
  ['notes list', store],
  ['notes add', ['--source <name>', '--permanent', ...store]],
  ['workflow', ['-h, --help']],
  ['workflow run', ['--stream <name>', '--merge <names>', '--persona <text>', '--group <name>', ...work]],
  ['workflow resume', work],
  ['workflow edit', ['--apply <file>', ...store]],
  ['workflow cancel', ['--reason <text>', ...store]],
  ['workflow retry', work],
  ['workflow list', store],
  ['workflow show', store],
  ['agents', ['-h, --help']],
  ['agents list', agents],
  ['agents show', agents],
  [
    'agents new',
    [
      '--description <text>',
      '--prompt <text>',
      '--context-mode <mode>',
      '--context-window <n>',
      '--share-pattern <pattern>',
      '--summarize-after <n>',
      '--model <id>',
      '--tools <names>',
      '--max-steps <n>',
      '--timeout <s>',
      '--max-tokens <n>',
      '--user',
      ...agents,
    ],
  ],
  [
    'agents context',
    [
      '--context-mode <mode>',
      ...histories,
      '--no-knowledge',
      '--read-only',
      '--max-context-tokens <n>',
      '--language <code>',
      ...agentPlace,
    ],
  ],
  [
    'agents run',
    [
      '--context-mode <mode>',
      ...histories,
      '--no-knowledge',
      '--read-only',
      '--max-context-tokens <n>',
      '--language <code>',
      '--max-steps <n>',
      '--max-tokens <n>',
      '--timeout <s>',
      '--model <id>',
      '--base-url <url>',
      '--state-dir <dir>',
      ...agentPlace,
    ],
  ],
  ['agents sessions', ['--remove <name>', ...agentPlace]],
  ['agents clear', ['--main', ...histories, ...agentPlace]],
  ['tour', ['--color <when>', '-h, --help']],
  [
    'mcp',
    [
      '--root <dir>',
      '--http <port>',
      '--token <token>',
      '--no-auth',
      '--read-only',
      '--tools <names>',
      '--naming <profile>',
      '--knowledge <dir>',
      '--language <code>',
      '--memory <profile>',
      '--store <file>',
      '--project <identity>',
      '--agents',
      '--model <id>',
      '--base-url <url>',
      '--state-dir <dir>',
      '--structured <when>',
      '-h, --help',
    ],
  ],
  [
    'mcp install',
    [
      '--scope <scope>',
      '--root <dir>',
      '--name <name>',
      '--command <command>',
      '--read-only',
      '--naming <profile>',
      '--project <identity>',
      '--state-dir <dir>',
      '--undo',
      '--dry-run',
      '-y, --yes',
      '--json',
      '--color <when>',
      '-h, --help',
    ],
  ],
  ['doctor', ['--json', '--color <when>', '-h, --help']],
];

test.each(pinned)('cairn %s has these options', async (command, options) => {
  const { stdout } = await cairn([...command.split(' '), '--help']);
  expect(termsOf(stdout, 'Options')).toEqual(options);
});

test('cairn has these commands', async () => {
  const { stdout } = await cairn(['--help']);
  expect(termsOf(stdout, 'Commands')).toEqual([
    'find [options] <query>',
    'glob [options] <pattern>',
    'grep [options] <pattern>',
    'pick [options] [query]',
    'ls [options] [path]',
    'tree [options] [path]',
    'read [options] <path>',
    'write [options] <path>',
    'edit [options] <path>',
    'patch [options]',
    'delete [options] <path>',
    'rename [options] <from> <to>',
    'memory',
    'hook',
    'notes',
    'workflow',
    'agents',
    'tour [options] [path]',
    'mcp [options]',
    'doctor [options]',
    'help [command]',
  ]);
  expect(termsOf(stdout, 'Options')).toEqual(['-V, --version', '-h, --help']);
});
