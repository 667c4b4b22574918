import { basename, delimiter, join, sep } from 'node:path';
import { UsageError } from '../errors.ts';
import type { ServerCommand } from '../hosts/host.ts';

/** What is known of the program that runs now. */
export interface RunningProgram {
  /** The file that Node was started with, as its real path. */
  readonly main: string;
  /** The Node that runs it. */
  readonly node: string;
  readonly path: string;
  readonly platform: NodeJS.Platform;
  /** The real path of what is at a path; `undefined` when nothing is. */
  readonly realPath: (path: string) => string | undefined;
}

/** How hosts are to start `cairn`, and why so. */
export interface Launch extends ServerCommand {
  /** Completes "it is started with …:". */
  readonly why: string;
  /** It names paths of this machine, so that the file serves nobody else. */
  readonly isLocal: boolean;
}

/** Words as a shell splits them: at blanks, unless they are between quotes. Nothing is expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [, word = '', rest = ''] of text.matchAll(/((?:"[^"]*"|'[^']*'|[^\s"'])+)|(\S)/gu)) {
    if (rest !== '') throw new UsageError(`--command has a quote that is not closed: ${text}`);
    words.push(
      word.replaceAll(/"([^"]*)"|'([^']*)'/gu, (_, double?: string, single?: string) => double ?? single ?? ''),
    );
  }
  return words;
}

/** On Windows both are scripts of `cmd`, which most hosts cannot start by themselves. */
function script(name: string, args: readonly string[], platform: NodeJS.Platform): ServerCommand {
  return platform === 'win32' ? { command: 'cmd', args: ['/c', name, ...args] } : { command: name, args };
}

/** Whether typing `cairn` runs this very program. */
function isOnPath({ main, path, platform, realPath }: RunningProgram): boolean {
  // On Windows a script stands there, which does not say what it runs.
  if (platform === 'win32') return false;
  const first = path
    .split(delimiter)
    // A script of npm puts the programs of its project on the PATH; a host does not.
    .filter((directory) => directory !== '' && !directory.endsWith(join('node_modules', '.bin')))
    .map((directory) => realPath(join(directory, 'cairn')))
    .find((found) => found !== undefined);
  return first === main;
}

/**
 * How a host starts the `cairn` that runs now: `cairn` when that is on the PATH, `npx` when it came from npm some other way,
 * and otherwise, from a clone, the Node and the file that run now.
 */
export function chooseLaunch(program: RunningProgram): Launch {
  const { main, node, platform } = program;
  const isInstalled = main.split(sep).includes('node_modules');
  if (isInstalled && !main.split(sep).includes('_npx') && isOnPath(program)) {
    return { ...script('cairn', [], platform), why: 'it is on the PATH', isLocal: false };
  }
  if (isInstalled) {
    const why = 'npx finds it in the project or fetches it from npm';
    return { ...script('npx', ['-y', '@cairn/cli'], platform), why, isLocal: false };
  }
  const why = `this ${basename(main)} is in no node_modules, so it is named by its path and has to stay there`;
  return { command: node, args: [main], why, isLocal: true };
}

/** The command that somebody gave. */
export function givenLaunch(text: string): Launch {
  const [command, ...args] = splitWords(text);
  if (command === undefined) throw new UsageError('--command takes what starts cairn, such as "npx -y @cairn/cli"');
  return { command, args, why: 'as --command says', isLocal: /^(?:[\\/~]|[A-Za-z]:)/u.test(command) };
}
