import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Environment } from './output.ts';
import { shellQuote } from './shell-quote.ts';

/** The facts about the running program that decide what a person types to run it again. */
export interface RunningCommand {
  readonly env: Environment;
  /** Where the person is. @default anywhere, so that paths are absolute */
  readonly cwd?: string | undefined;
  /** The path of the running Node, and the file that it runs. */
  readonly node: string;
  readonly main: string;
}

/** Returns the path without links; `undefined` when it does not exist. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the first file of a name on the `PATH`, whatever the system appends to names of programs. */
function onPath(name: string, env: Environment): string | undefined {
  const directories = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((one) => one !== '');
  return directories
    .flatMap((directory) => [name, `${name}.cmd`, `${name}.exe`].map((file) => join(directory, file)))
    .find((path) => existsSync(path));
}

/** Returns whether a command on the `PATH` runs this file: a link to it, or a script that a package manager wrote beside its package. */
function runs(path: string, main: string): boolean {
  const real = realPath(path);
  if (real === undefined) return false;
  const file = join('bin', basename(main));
  const besides = [join(dirname(real), '..', '@cairn/cli', file), join(dirname(real), 'node_modules/@cairn/cli', file)];
  return real === main || besides.some((beside) => realPath(beside) === main);
}

/** Returns a path as a person types it in a directory. */
function fromDirectory(directory: string | undefined, path: string): string {
  if (directory === undefined) return path;
  const below = relative(directory, path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}

/**
 * Returns what a person types to run the command that runs now: `cairn`, or how this run was started when `cairn` is not on the
 * `PATH`, as in a clone. `CAIRN_COMMAND` overrides it.
 */
export function ownCommand({ env, cwd, node, main }: RunningCommand): string {
  const given = env['CAIRN_COMMAND'] ?? '';
  if (given !== '') return given;
  const real = realPath(main) ?? main;
  const isInstalled = real.split(sep).includes('node_modules');
  const clone = join(dirname(real), '../../..');
  // npm puts `cairn` on the PATH of what it runs, and nowhere else.
  if (env['npm_command'] === undefined || cwd === undefined) {
    const found = onPath('cairn', env);
    if (found !== undefined && runs(found, real)) return 'cairn';
  } else if (!isInstalled && fromDirectory(clone, cwd) !== cwd) {
    return 'npm exec cairn --';
  }
  if (isInstalled) return 'npx -y @cairn/cli';
  // The script of the package manager runs the pinned Node.
  const script = join(clone, 'node_modules/.bin/cairn');
  if (runs(script, real)) return shellQuote(fromDirectory(cwd, script));
  const program = realPath(onPath('node', env) ?? '') === realPath(node) ? 'node' : node;
  return `${shellQuote(program)} ${shellQuote(fromDirectory(cwd, real))}`;
}

/** The commands without a parent. A test compares them with the registry. */
export const topCommands: readonly string[] = [
  'find',
  'glob',
  'grep',
  'pick',
  'ls',
  'tree',
  'read',
  'write',
  'edit',
  'patch',
  'delete',
  'rename',
  'memory',
  'knowledge',
  'hook',
  'notes',
  'workflow',
  'agents',
  'tour',
  'mcp',
  'doctor',
];

const suggestion = new RegExp(`(?<![\\w@/.-])cairn(?= (?:--help|help|${topCommands.join('|')})(?![\\w-]))`, 'gu');

/** Replaces `cairn` in the commands that a text suggests, so that they run as printed. */
export function withOwnCommand(text: string, command: () => string = () => 'cairn'): string {
  // Most texts suggest nothing, and the command takes a few calls of the file system to find.
  return text.replaceAll(suggestion, command);
}
