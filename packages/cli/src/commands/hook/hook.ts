import type { FlagsOf } from '../../terminal/parsed.ts';
import { UsageError } from '../../terminal/errors.ts';
import { stateOption, answerOptions } from '../../terminal/options.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { defineCommand, defineGroup, type CommandFactory } from '../command.ts';
import { commandOption, confirmOptions, hostContext, placeOptions, removalOptions } from '../mcp/entry-options.ts';
import { languageOption } from '../memory/options.ts';
import { launchOf } from '../mcp/launch.ts';
import { resolve } from 'node:path';
import { writeAnswer } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';

const installOptions = [
  ...placeOptions,
  commandOption,
  languageOption('language of the texts: en or zh (default: en)'),
  ['--only-matching', 'list only assets of areas that match the tech stack of the project'],
  stateOption,
  ['--undo', "as 'cairn hook remove'"],
  ...confirmOptions,
] as const;

type InstallFlags = FlagsOf<typeof installOptions>;

async function install(context: CommandContext, flags: InstallFlags, id: string | undefined): Promise<number> {
  const { command, language, onlyMatching = false, undo } = flags;
  if (id === undefined) {
    if (undo === true) throw new UsageError('--undo needs a host', "name one, such as 'cairn hook remove claude'");
    const { listHosts } = await import('./list-hosts.ts');
    return listHosts(await hostContext(flags.root, context), flags, context);
  }
  const { hookRequest, runInstall, runRemove } = await import('./run-hook.ts');
  const request = await hookRequest(id, flags, context);
  if (undo !== true) {
    const options = { launch: launchOf(command, context), language: language ?? 'en', onlyMatching };
    return runInstall({ ...request, ...options }, context);
  }
  if (command !== undefined || language !== undefined || onlyMatching) {
    throw new UsageError('--undo excludes --command, --language and --only-matching', 'leave them out');
  }
  return runRemove(request, context);
}

export const hookInstallCommand: CommandFactory = defineCommand({
  description:
    'Begin the sessions of a host with the index of your knowledge, and add skills. Shows the changes first. Without a host, lists the hosts.',
  summary: 'begin sessions of a host with knowledge',
  args: [['[host]', 'claude, codex, or agents-md for every other host']],
  options: installOptions,
  examples: `
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

Exit status: 0 if it is installed, 1 if you answered no, 2 on an error.`,
  run: install,
});

export const hookRemoveCommand: CommandFactory = defineCommand({
  description: "Remove what 'cairn hook install' added to a host. Shows the changes first.",
  summary: 'undo an installation',
  args: [['<host>', 'claude, codex, or agents-md']],
  options: removalOptions,
  examples: `
Examples:
  $ cairn hook remove claude                  from this project; shows the changes and asks first
  $ cairn hook remove codex --scope user --yes
  $ cairn hook remove agents-md --dry-run     show the changes only

Restores the files as they were. If a file was changed since, only the hook or the section is removed from it; a skill that
was changed stays. A hook that another person installed in a shared repository is removed too.

Exit status: 0 if it is removed, 1 if nothing is installed or you answered no, 2 on an error.`,
  run: async (context, flags, id) => {
    const { hookRequest, runRemove } = await import('./run-hook.ts');
    return runRemove(await hookRequest(id, flags, context), context);
  },
});

export const hookCommand: CommandFactory = defineGroup({
  description: 'Show knowledge to agent hosts at the start of a session, and install the hooks that do so.',
  summary: 'show knowledge to agent hosts',
  examples: `
Examples:
  $ cairn hook install                         the hosts, and where each is installed
  $ cairn hook install claude                  the hook and the skills of Claude Code, for this project
  $ cairn hook install agents-md               a section of AGENTS.md, for hosts without hooks
  $ cairn hook remove claude                   undo it
  $ cairn hook phase                           the phase of the work, from git's state
  $ cairn hook session-start --host claude     what Claude Code runs at the start of a session
  $ cairn hook session-start --host generic    the same text, to read it

Exit status: 0 if something was done or found, 1 if not, 2 on an error; of 'session-start' always 0.`,
});

export const hookPhaseCommand: CommandFactory = defineCommand({
  description: "Name the phase of the work in a directory from git's state, and the knowledge that helps in it.",
  summary: 'name the phase of the work',
  args: [['[path]', 'the directory', '.']],
  options: [languageOption('language of the text: en or zh (default: en)'), ...answerOptions],
  examples: `
Examples:
  $ cairn hook phase                  what the skill phase-detector runs
  $ cairn hook phase ../other --json

Exit status: 0 if the phase is known, 1 outside of a git work tree, 2 on an error.`,
  run: async (context, flags, path) => {
    const { detectPhase, formatPhase } = await import('@cairn/knowledge');
    const root = resolve(context.cwd, path);
    const detected = await detectPhase(root, { env: context.env, signal: context.signal });
    const lines = formatPhase(detected, flags.language).split('\n');
    await writeAnswer(context, flags, {
      lines,
      document: { root, ...detected, text: lines.join('\n') },
      notices: () => [],
    });
    return detected.phase === 'unknown' ? ExitCode.None : ExitCode.Hit;
  },
});
