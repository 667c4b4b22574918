import { LANGUAGES } from '@cairn/tool/kernel';
import type { Language } from '@cairn/tool/kernel';
import { resolve } from 'node:path';
import { UsageError } from '../../terminal/errors.ts';
import { oneOf, stateOption } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { commandOption, confirmOptions, hostContext, placeOptions, type EntryFlags } from '../mcp/entry-options.ts';
import { launchOf } from '../mcp/launch.ts';
import type { HookRequest } from './request.ts';

const examples = `
Examples:
  $ cairn hook install                            the hosts, and where each is installed
  $ cairn hook install claude                     for this project; shows the changes and asks first
  $ cairn hook install codex --scope user --yes   for all projects, without asking
  $ cairn hook install agents-md --yes            a section of AGENTS.md, for every other host
  $ cairn hook install claude --dry-run           show the changes only
  $ cairn hook remove claude                      undo it

Claude Code and Codex get a hook: each new session begins with the index of your knowledge. AGENTS.md gets the index itself, between
two marks; run the command again when the knowledge has changed. Each host gets the skills agent-router, phase-detector and
knowledge-sink. Everything else in the files stays: comments, order, line ends, and hooks of other people.

Exit status: 0 if it is installed, 1 if you answered no, 2 on an error.`;

interface InstallFlags extends EntryFlags {
  readonly command?: string;
  readonly language?: Language;
  readonly onlyMatching?: boolean;
  readonly undo?: boolean;
}

export async function hookRequest(id: string, flags: EntryFlags, session: Session): Promise<HookRequest> {
  const { sessionHost } = await import('./request.ts');
  const host = sessionHost(id, flags);
  const stateDirectory = flags.stateDir === undefined ? undefined : resolve(session.cwd, flags.stateDir);
  return { host, context: await hostContext(flags.root, session), flags, stateDirectory };
}

async function install(session: Session, flags: InstallFlags, id: string | undefined): Promise<number> {
  const { command, language, onlyMatching = false, undo } = flags;
  if (id === undefined) {
    if (undo === true) throw new UsageError('--undo needs a host', "name one, such as 'cairn hook remove claude'");
    const { listHosts } = await import('./list-hosts.ts');
    return listHosts(await hostContext(flags.root, session), flags, session);
  }
  const request = await hookRequest(id, flags, session);
  const { runInstall, runRemove } = await import('./run-hook.ts');
  if (undo !== true) {
    const options = { launch: launchOf(command, session), language: language ?? 'en', onlyMatching };
    return runInstall({ ...request, ...options }, session);
  }
  if (command !== undefined || language !== undefined || onlyMatching) {
    throw new UsageError('--undo excludes --command, --language and --only-matching', 'leave them out');
  }
  return runRemove(request, session);
}

export const hookInstallCommand: CommandFactory = defineCommand({
  description:
    'Begin the sessions of a host with the index of your knowledge, and add skills. Shows the changes first. Without a host, lists the hosts.',
  summary: 'begin sessions of a host with knowledge',
  args: [['[host]', 'claude, codex, or agents-md for every other host']],
  options: [
    ...placeOptions,
    commandOption,
    ['--language <code>', 'language of the texts: en or zh (default: en)', oneOf(LANGUAGES)],
    ['--only-matching', 'list only assets of product lines that match the tech stack of the project'],
    stateOption,
    ['--undo', "as 'cairn hook remove'"],
    ...confirmOptions,
  ],
  examples,
  run: install,
});
