import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Environment } from './output.ts';
import { shellQuote } from './shell-quote.ts';

export interface RunningCommand {
  readonly env: Environment;
  /** The file that Node runs, as it was started: a link keeps its name. */
  readonly main: string;
}

/** Returns the path without links; `undefined` when it cannot be read. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The directories that npm adds to the `PATH` of what it runs. */
const ADDED_BY_NPM = /[/\\]node_modules[/\\]\.bin$/u;

/** Returns the first file of a name on the `PATH`, whatever the system appends to names of programs. */
function onPath(name: string, env: Environment, isLeftOut: (directory: string) => boolean): string | undefined {
  const directories = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  return directories
    .filter((directory) => directory !== '' && !isLeftOut(directory))
    .flatMap((directory) => [name, `${name}.cmd`, `${name}.exe`].map((file) => join(directory, file)))
    .find((path) => existsSync(path));
}

/** Returns whether a command on the `PATH` runs this file: a link to it, or a script that a package manager wrote next to its package. */
function runs(path: string, main: string): boolean {
  const real = realPath(path);
  if (real === undefined) return false;
  const file = join('bin', basename(main));
  const links = [join(dirname(real), '..', '@cairn/cli', file), join(dirname(real), 'node_modules/@cairn/cli', file)];
  return real === main || links.some((link) => realPath(link) === main);
}

/** Returns the clone that a file of the package is in; `undefined` for an installed package. */
function cloneOf(real: string): string | undefined {
  return real.split(sep).includes('node_modules') ? undefined : join(dirname(real), '../../..');
}

function isBelow(directory: string, path: string): boolean {
  const below = relative(directory, path);
  return !below.startsWith('..') && !isAbsolute(below);
}

/**
 * Returns the command's name in messages and help: the one by which it was started if that is on the `PATH`, the command line of
 * npm if npm started it, otherwise `cairn`. `CAIRN_COMMAND` overrides it.
 */
export function commandName({ env, cwd, main }: RunningCommand & { readonly cwd: string }): string {
  const given = env['CAIRN_COMMAND'] ?? '';
  if (given !== '') return given;
  const real = realPath(main) ?? main;
  const isOfNpm = env['npm_command'] !== undefined;
  const typed = basename(main).replace(/\.js$/u, '');
  const found = onPath(typed, env, (directory) => isOfNpm && ADDED_BY_NPM.test(directory));
  if (found !== undefined && runs(found, real)) return shellQuote(typed);
  if (!isOfNpm) return 'cairn';
  const clone = cloneOf(real);
  if (clone === undefined) return 'npx -y @cairn/cli';
  // npm does not know the clone anywhere else.
  return isBelow(clone, cwd) ? 'npm exec cairn --' : 'cairn';
}

/**
 * Returns the command line with which an agent runs the command, in any directory: `cairn` if that is on the `PATH`, otherwise with absolute paths.
 * `CAIRN_COMMAND` overrides it.
 */
export function agentCommand({ env, main, node }: RunningCommand & { readonly node: string }): string {
  const given = env['CAIRN_COMMAND'] ?? '';
  if (given !== '') return given;
  const real = realPath(main) ?? main;
  const onAnyPath = (name: string): string | undefined => onPath(name, env, () => false);
  const found = onAnyPath('cairn');
  if (found !== undefined && runs(found, real)) return 'cairn';
  const clone = cloneOf(real);
  if (clone === undefined) return 'npx -y @cairn/cli';
  // The script of the package manager runs the pinned Node.
  const script = join(clone, 'node_modules/.bin/cairn');
  if (runs(script, real)) return shellQuote(script);
  const program = realPath(onAnyPath('node') ?? '') === realPath(node) ? 'node' : node;
  return `${shellQuote(program)} ${shellQuote(real)}`;
}

/** The commands without a parent. A test compares them with the registry. */
export const topCommands: readonly string[] =
  `find glob grep pick ls tree read write edit patch delete rename recall memory knowledge hook notes workflow agents tour mcp
  doctor`.split(/\s+/u);

const suggestion = new RegExp(
  `(?<![\\w@/.-])cairn(?= (?:--help|\\[options\\]|help|${topCommands.join('|')})(?![\\w-]))`,
  'gu',
);

/** Replaces `cairn` in the commands that a string suggests. */
export function withOwnCommand(text: string, command: () => string = () => 'cairn'): string {
  // Most texts suggest nothing, and the command takes a few calls of the file system to find.
  return text.replaceAll(suggestion, command);
}
