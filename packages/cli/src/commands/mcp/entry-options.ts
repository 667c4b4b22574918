import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';
import { Option } from 'commander';
import { configScopes, type ConfigScope, type HostContext } from '@cairn/hosts';
import { homeDirectory } from '@cairn/tool/paths';
import { UsageError } from '../../terminal/errors.ts';
import { colorOption, once, oneOf } from '../../terminal/options.ts';
import type { AnswerFlags } from '../../terminal/answer.ts';
import type { Session } from '../../terminal/session.ts';

/** The options of each command that changes the configuration of a host. */
export interface EntryFlags extends AnswerFlags {
  readonly scope: ConfigScope;
  readonly root: string;
  readonly stateDir?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Returns the facts that the place of a configuration depends on. `root` is the directory of the project. */
export async function hostContext(root: string, session: Session): Promise<HostContext> {
  const project = resolve(session.cwd, root);
  const stats = await stat(project);
  if (!stats.isDirectory()) {
    throw new UsageError(`--root is not a directory: "${project}"`, "use the project's directory");
  }
  return { env: session.env, home: homeDirectory(session.env), project, platform: process.platform };
}

/** Returns the options that choose the configuration. */
export function placeOptions(): Option[] {
  return [
    new Option('--scope <scope>', 'project (this directory) or user (all projects of this user)')
      .argParser(oneOf('--scope', configScopes))
      .default('project', 'project'),
    new Option('--root <dir>', 'the directory of the project').default('.', 'the current directory'),
  ];
}

export function commandOption(): Option {
  return new Option(
    '--command <command>',
    'command that starts cairn, such as "npx -y @cairn/cli" (default: chosen automatically)',
  ).argParser(once('--command', 'quote the whole command'));
}

/** Returns the options of how a change is shown and confirmed. */
export function confirmOptions(): Option[] {
  return [
    new Option('--dry-run', 'show the change, but change nothing'),
    new Option('-y, --yes', 'do not ask'),
    new Option('--json', 'print one JSON document'),
    colorOption(),
  ];
}
