import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';
import { configScopes, type HostContext } from '@cairn/hosts';
import { homeDirectory } from '@cairn/tool/paths';
import { UsageError } from '../../terminal/errors.ts';
import { answerOptions, once, oneOf, stateOption } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';

export async function hostContext(root: string, context: CommandContext): Promise<HostContext> {
  const project = resolve(context.cwd, root);
  const stats = await stat(project);
  if (!stats.isDirectory()) {
    throw new UsageError(`--root is not a directory: "${project}"`, "use the project's directory");
  }
  return { env: context.env, home: homeDirectory(context.env), project, platform: process.platform };
}

export const placeOptions = [
  [
    '--scope <scope>',
    'project (this directory) or user (all projects of this user)',
    oneOf(configScopes),
    { default: 'project' },
  ],
  ['--root <dir>', 'the directory of the project', undefined, { default: '.', shownDefault: 'the current directory' }],
] as const;

export const commandOption = [
  '--command <command>',
  'command that starts cairn, such as "npx -y @cairn/cli" (default: chosen automatically)',
  once('quote the whole command'),
] as const;

export const confirmOptions = [
  ['--dry-run', 'show the change, but change nothing'],
  ['-y, --yes', 'do not ask'],
  ...answerOptions,
] as const;

export const removalOptions = [...placeOptions, stateOption, ...confirmOptions] as const;

export type EntryFlags = FlagsOf<typeof removalOptions>;

export function withAbsoluteStateDir<Flags extends EntryFlags>(flags: Flags, { cwd }: CommandContext): Flags {
  return flags.stateDir === undefined ? flags : { ...flags, stateDir: resolve(cwd, flags.stateDir) };
}
