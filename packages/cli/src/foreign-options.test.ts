import { Command, Option } from 'commander';
import * as natives from '@cairn/natives';
import { beforeEach, expect, test, vi } from 'vitest';
import { loadCommands } from './registry.ts';
import { run } from './run.ts';
import { foreignOptionsOf, optionsIn, VALUES, type ForeignOptions } from './terminal/foreign-options.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { noLines, noPaths } from './testing/searches.ts';
import { recordedContext } from './testing/context.ts';

const commands = ['find', 'glob', 'grep', 'pick', 'ls', 'tree', 'read'];

vi.mock(import('@cairn/natives'), { spy: true });

beforeEach(() => {
  vi.mocked(natives.fuzzyFind).mockReset().mockResolvedValue(noPaths);
  vi.mocked(natives.glob).mockReset().mockResolvedValue(noPaths);
  vi.mocked(natives.grepStream).mockReset().mockResolvedValue(noLines);
});

interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** The options of its searches. */
  readonly calls: readonly unknown[];
}

async function cairn(args: readonly string[]): Promise<Ran> {
  const searches = [vi.mocked(natives.fuzzyFind), vi.mocked(natives.glob), vi.mocked(natives.grepStream)];
  for (const search of searches) search.mockClear();
  const { context, texts } = recordedContext();
  const exitCode = await run(args, context);
  const calls = searches.flatMap(({ mock }) => mock.calls.map(([options]) => ({ ...options, signal: undefined })));
  return { exitCode, ...texts, calls };
}

/** Returns the short and the long name of an option. */
function namesOf({ short, long }: Option): string[] {
  return [short, long].filter((name) => name !== undefined);
}

function ignoredFlags({ ignored }: ForeignOptions): readonly string[] {
  return ignored === undefined ? [] : optionsIn(ignored);
}

/** Returns the flags of a tool's options. One that is accepted with some of its values is listed once. */
function flagsOf(foreign: ForeignOptions): readonly string[] {
  const lists = [...Object.keys(foreign.same ?? {}), ...Object.keys(foreign.refused)];
  return [...lists.flatMap(optionsIn), ...ignoredFlags(foreign).filter((flags) => !VALUES.test(flags))];
}

/** Returns the names of the options that a command declares itself. */
async function ownNames(name: string): Promise<string[]> {
  const [loaded] = await loadCommands([name]);
  const command = new Command(name);
  loaded?.[1](command, {} as CommandContext, () => undefined);
  return command.options.flatMap(namesOf);
}

test.each(commands)('no option of another tool is also an option of `cairn %s`', async (command) => {
  const own = await ownNames(command);
  const foreign = foreignOptionsOf(command).flatMap(flagsOf);
  expect(foreign.flatMap((flags) => namesOf(new Option(flags))).filter((name) => own.includes(name))).toEqual([]);
});

test.each(commands)('each option of another tool has one meaning for `cairn %s`', (command) => {
  const names = foreignOptionsOf(command)
    .flatMap(flagsOf)
    .flatMap((flags) => namesOf(new Option(flags)));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

const refusals = commands.flatMap((command) =>
  foreignOptionsOf(command).flatMap((foreign) => {
    const accepted = ignoredFlags(foreign).flatMap((flags) => namesOf(new Option(flags.replace(VALUES, '<value>'))));
    return Object.entries(foreign.refused).flatMap(([list, instead]) =>
      optionsIn(list).flatMap((flags) =>
        namesOf(new Option(flags)).map((name) => ({
          args: [command, name, ...(accepted.includes(name) ? ['other'] : [])],
          message: `option "${flags}" of ${foreign.tool} is not supported`,
          instead,
        })),
      ),
    );
  }),
);

test.each(refusals)(
  '$args is rejected, and the error states what to type instead',
  async ({ args, message, instead }) => {
    const { exitCode, out, err, calls } = await cairn(args);
    expect(err).toContain(message);
    expect(err).toContain(instead);
    expect({ exitCode, out, calls, lines: err.trimEnd().split('\n').length }).toEqual({
      exitCode: 2,
      out: '',
      calls: [],
      lines: 1,
    });
  },
);

/** The options of other tools that a command ignores, each with a value that it may have. */
const ignoredBy = (command: string) =>
  foreignOptionsOf(command)
    .flatMap(ignoredFlags)
    .flatMap((flags) => {
      const [value = '4'] = VALUES.exec(flags)?.[0].split('|') ?? [];
      const option = new Option(flags.replace(VALUES, '<value>'));
      return namesOf(option).map((name) => ({ command, args: option.required ? [name, value] : [name] }));
    });

test.each(['find', 'glob', 'grep'].flatMap(ignoredBy))('`cairn $command` ignores $args', async ({ command, args }) => {
  const plain = await cairn([command, '--limit', '3', 'x']);
  expect(plain.calls).toHaveLength(1);
  expect(await cairn([command, ...args, '--limit', '3', 'x'])).toEqual(plain);
});

test.each(ignoredBy('pick'))('`cairn pick` ignores $args', async ({ args }) => {
  // Without a terminal, it ends after its options are read.
  expect((await cairn(['pick', ...args, 'x'])).err).toContain("'cairn pick' needs a terminal");
});

test.each([
  ['find x -H', 'find x --hidden'],
  ['find x -I', 'find x --no-ignore'],
  ['find x -u', 'find x --hidden --no-ignore'],
  ['glob x -HI', 'glob x --hidden --no-ignore'],
  ['glob x --unrestricted --limit 5', 'glob x --hidden --no-ignore --limit 5'],
  ['find -1 x', 'find x --limit 1'],
  ['grep -y x', 'grep x --ignore-case'],
  ['grep --perl-regexp --fixed-strings x -i', 'grep x --ignore-case --pcre2 --literal'],
])('`cairn %s` is the same as `cairn %s`', async (foreign, own) => {
  const expected = await cairn(own.split(' '));
  expect(expected.calls).toHaveLength(1);
  expect(await cairn(foreign.split(' '))).toEqual(expected);
});

test('options of other tools are found within a group of short options and with a value', async () => {
  for (const args of [['-iz'], ['-ziC3'], ['-i', '-z']]) {
    const { err } = await cairn(['grep', ...args, 'x']);
    expect(err, args.join(' ')).toContain('option "-z, --search-zip" of ripgrep is not supported');
  }
  const { err } = await cairn(['grep', '--iglob=*.md', 'x']);
  expect(err).toContain('option "--iglob <glob>" of ripgrep is not supported');
});

// What `find --help` of findutils lists, without -a and -o, which are options of fd too.
const findArguments =
  `-not -and -or -daystart -follow -nowarn -regextype -warn -depth -files0-from -maxdepth -mindepth -mount -noleaf
  -xdev -ignore_readdir_race -noignore_readdir_race -amin -anewer -atime -cmin -cnewer -context -ctime -empty -false -fstype -gid
  -group -ilname -iname -inum -iwholename -iregex -links -lname -mmin -mtime -name -newer -nouser -nogroup -path -perm -regex
  -readable -writable -executable -wholename -size -true -type -uid -used -user -xtype -delete -print0 -printf -fprintf -print
  -fprint0 -fprint -ls -fls -prune -quit -exec -ok -execdir -okdir`.split(/\s+/u);

test.each(findArguments)('`find . %s` is rejected as an option of find(1)', async (word) => {
  const { exitCode, out, err, calls } = await cairn(['find', '.', word]);
  expect(err).toContain(`option "${word}" of find(1) is not supported; `);
  expect({ exitCode, out, calls }).toEqual({ exitCode: 2, out: '', calls: [] });
});

test('of several options of find(1), the error names the one that decides what to type', async () => {
  const { err } = await cairn(['find', '.', '-type', 'f', '-mtime', '-1', '-name', '*.ts', '-print']);
  expect(err).toContain('option "-name" of find(1)');
});

test('options of other tools are absent from the help of a command', async () => {
  const { out } = await cairn(['grep', '--help']);
  expect(out).toContain('--ignore-case');
  expect(out).not.toContain('--no-config');
});
