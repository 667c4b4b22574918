import { basename, delimiter, join, sep } from 'node:path';
import process from 'node:process';
import type { ServerCommand } from '@cairn/hosts';
import { UsageError } from '../../terminal/errors.ts';
import { realPath } from '../../terminal/own-command.ts';
import type { CommandContext } from '../../terminal/command-context.ts';

export interface RunningProgram {
  /** The real path of the file that Node runs. */
  readonly main: string;
  readonly node: string;
  readonly path: string;
  readonly platform: NodeJS.Platform;
  /** Resolves links; `undefined` when the path does not exist. */
  readonly realPath: (path: string) => string | undefined;
}

export interface Launch extends ServerCommand {
  readonly why: string;
  /** Whether it contains paths of this machine, so that the configuration cannot be shared. */
  readonly isLocal: boolean;
}

/** Splits a command line at spaces outside quotes, as a shell does. Nothing is expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [, word = '', rest = ''] of text.matchAll(/((?:"[^"]*"|'[^']*'|[^\s"'])+)|(\S)/gu)) {
    if (rest !== '') throw new UsageError(`--command has an unclosed quote: ${text}`, 'close the quote');
    words.push(
      word.replaceAll(/"([^"]*)"|'([^']*)'/gu, (_, double?: string, single?: string) => double ?? single ?? ''),
    );
  }
  return words;
}

/** Starts a script of npm. On Windows that needs `cmd`, because most hosts start programs only. */
function script(name: string, args: readonly string[], platform: NodeJS.Platform): ServerCommand {
  return platform === 'win32' ? { command: 'cmd', args: ['/c', name, ...args] } : { command: name, args };
}

function isOnPath({ main, path, platform, realPath }: RunningProgram): boolean {
  // On Windows the PATH holds a script, whose target is unknown.
  if (platform === 'win32') return false;
  const first = path
    .split(delimiter)
    // npm scripts add this directory to the PATH; hosts do not.
    .filter((directory) => directory !== '' && !directory.endsWith(join('node_modules', '.bin')))
    .map((directory) => realPath(join(directory, 'cairn')))
    .find((found) => found !== undefined);
  return first === main;
}

/** Chooses how a host starts the running `cairn`: by name if it is on the PATH, by `npx` if installed, else by its file. */
export function chooseLaunch(program: RunningProgram): Launch {
  const { main, node, platform } = program;
  const isInstalled = main.split(sep).includes('node_modules');
  if (isInstalled && !main.split(sep).includes('_npx') && isOnPath(program)) {
    return { ...script('cairn', [], platform), why: 'cairn is on the PATH', isLocal: false };
  }
  if (isInstalled) {
    const why = 'npx runs the copy in the project or downloads it from npm';
    return { ...script('npx', ['-y', '@cairn/cli'], platform), why, isLocal: false };
  }
  const why = `${basename(main)} runs from a clone, so the entry contains its path; keep it there`;
  return { command: node, args: [main], why, isLocal: true };
}

export function givenLaunch(text: string): Launch {
  const [command, ...args] = splitWords(text);
  if (command === undefined) {
    throw new UsageError('--command is empty', 'use a command that starts cairn, such as "npx -y @cairn/cli"');
  }
  return { command, args, why: 'from --command', isLocal: /^(?:[\\/~]|[A-Za-z]:)/u.test(command) };
}

export function launchOf(command: string | undefined, context: CommandContext): Launch {
  if (command !== undefined) return givenLaunch(command);
  return chooseLaunch({
    main: realPath(process.argv[1] ?? '') ?? '',
    node: process.execPath,
    path: context.env['PATH'] ?? '',
    platform: process.platform,
    realPath,
  });
}
