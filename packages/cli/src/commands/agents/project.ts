import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { AgentDefinitions, DefinitionPlaces, ToolNaming } from '@cairn/context';
import { escapeControls, homeDirectory, userDirectories } from '@cairn/tool/paths';
import { UsageError } from '../../terminal/errors.ts';
import { answerOptions, filled } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { Output } from '../../terminal/output.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf, fitText } from '../../terminal/text.ts';

export const rootOption = [
  '--root <dir>',
  'root of the project (default: the nearest directory with .git or .cairn/agents, else the current one)',
  (name: string) => filled(name, "use a directory, or '.' for the current one"),
] as const;

export const agentOptions = [rootOption, ...answerOptions] as const;

export type ProjectRootFlags = FlagsOf<typeof agentOptions>;

export const agentArgument = ['<name>', 'the agent, with or without @'] as const;

/** Whether a directory is there that another user of the machine did not make, such as in `/tmp`: agents in it could do anything. */
function isOwnDirectory(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  const user = process.getuid?.();
  return stat?.isDirectory() === true && (user === undefined || stat.uid === user || stat.uid === 0);
}

/**
 * Returns the root of the project: the nearest directory with a `.git` or a `.cairn/agents`. Above the current directory, a
 * `.cairn/agents` of another user does not count.
 */
export function projectRoot({ cwd }: Pick<CommandContext, 'cwd'>, { root }: Pick<ProjectRootFlags, 'root'>): string {
  if (root !== undefined) {
    const path = resolve(cwd, root);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
    throw new UsageError(`--root ${root} is not a directory`, 'use the path of a directory');
  }
  const isRoot = (path: string): boolean => {
    const agents = join(path, '.cairn', 'agents');
    return existsSync(join(path, '.git')) || (path === cwd ? existsSync(agents) : isOwnDirectory(agents));
  };
  for (let path = cwd; ; path = dirname(path)) {
    if (isRoot(path)) return path;
    if (dirname(path) === path) return cwd;
  }
}

/** Returns the name of an agent: `@reviewer` is `reviewer`, because no name begins with `@`. */
export function agentName(given: string): string {
  return given.replace(/^@/u, '');
}

export function definitionPlaces(
  context: Pick<CommandContext, 'cwd' | 'env'>,
  flags: Pick<ProjectRootFlags, 'root'>,
): DefinitionPlaces {
  const { env } = context;
  return { root: projectRoot(context, flags), env, home: homeDirectory(env) };
}

export async function toolNaming(): Promise<ToolNaming> {
  const { cairnTools, toolNameOf } = await import('@cairn/agents/tool-names');
  return { toolNameOf: (name) => toolNameOf(name), toolNames: cairnTools };
}

export async function loadAgents(
  context: Pick<CommandContext, 'cwd' | 'env'>,
  flags: Pick<ProjectRootFlags, 'root'>,
): Promise<AgentDefinitions> {
  const [{ loadDefinitions }, naming] = await Promise.all([import('@cairn/context'), toolNaming()]);
  return loadDefinitions({ ...definitionPlaces(context, flags), ...naming });
}

/** Returns the notices of a run about the definitions: directories that could not be read, and the number of warnings. */
export async function definitionNotices({ agents, problems }: AgentDefinitions, name: string): Promise<string[]> {
  const { formatProblem } = await import('@cairn/context');
  // A directory that cannot be read may have another agent of this name.
  const unread = problems.filter(({ agent }) => agent === undefined);
  const warnings = problems.filter(({ path }) => path === agents.get(name)?.path).length;
  const what = `${countOf(warnings, 'warning')} about the definition`;
  const show = `'cairn agents show ${shellQuote(name)}' shows ${warnings === 1 ? 'it' : 'them'}`;
  return [...unread.map(formatProblem), ...(warnings === 0 ? [] : [`${what}; ${show}`])];
}

/** Returns a row of a list: in a terminal no row is wider than it. */
export function rowOf(text: string, { isTerminal, width }: Output): string {
  const row = escapeControls(text);
  return isTerminal ? fitText(row, width) : row;
}

/** Returns the file that keeps the windows of models. */
export function windowsFile({ env }: Pick<CommandContext, 'env'>): string {
  const { cache } = userDirectories({ env, home: homeDirectory(env), platform: process.platform });
  return join(cache, 'model-windows.json');
}
