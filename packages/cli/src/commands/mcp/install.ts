import { resolve } from 'node:path';
import type { NamingProfile } from '@cairn/coding-agent';
import { hosts, type Host } from '@cairn/hosts';
import { filled, stateOption } from '../../terminal/options.ts';
import { UsageError } from '../../terminal/errors.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { commandOption, confirmOptions, hostContext, placeOptions, type EntryFlags } from './entry-options.ts';
import { launchOf } from './launch.ts';
import { namingOption } from './naming-profiles.ts';
import type { InstallRequest } from './run-install.ts';

const examples = `
Examples:
  $ cairn mcp install claude-code                 for this project; shows the change and asks first
  $ cairn mcp install codex --scope user --yes    for all projects, without asking
  $ cairn mcp install vscode --read-only --dry-run   show the change only
  $ cairn mcp install claude-code --undo          undo it

Hosts: ${hosts.map(({ id }) => id).join(', ')}.

Keeps everything else in the file: comments, order, layout, other servers, and keys that you added to the entry. The tools have
Cairn's own names, and hosts prefix them with the server's name. Use --naming only if the host's own tools are switched off.

Exit status: 0 if it is installed or undone, 1 if you answered no, 2 on an error.`;

interface InstallFlags extends EntryFlags {
  readonly name: string;
  readonly command?: string;
  readonly readOnly?: boolean;
  readonly naming: NamingProfile;
  readonly project?: string;
  readonly undo?: boolean;
}

function hostNamed(id: string): Host {
  const host = hosts.find((one) => one.id === id);
  if (host) return host;
  const known = hosts.map((one) => one.id).join(', ');
  throw new UsageError(`unknown host "${id}"`, `use one of ${known}`);
}

function checkName(name: string, host: Host): string {
  const { pattern, words } = host.mcpServers.names;
  if (pattern.test(name)) return name;
  throw new UsageError(`invalid --name "${name}" for ${host.title}`, `use ${words}`);
}

export const mcpInstallCommand: CommandFactory = defineCommand({
  description: 'Configure a host to start Cairn as an MCP server. Shows the change first; --undo reverts it.',
  summary: 'configure a host to start Cairn as an MCP server',
  args: [['<host>', 'the program that runs agents']],
  options: [
    ...placeOptions,
    ['--name <name>', 'name of the server in the host', undefined, { default: 'cairn' }],
    commandOption,
    ['--read-only', 'offer only tools that change nothing'],
    namingOption,
    [
      '--project <identity>',
      'project of the facts in memory (default: chosen by the server; required for a Redis)',
      filled,
    ],
    stateOption,
    ['--undo', 'undo the installation'],
    ...confirmOptions,
  ],
  examples,
  run: async (session, flags: InstallFlags, id: string) => {
    const host = hostNamed(id);
    const { scope } = flags;
    const context = await hostContext(flags.root, session);
    const target = { host, kind: host.mcpServers, scope, context, name: checkName(flags.name, host) };
    const stateDirectory = flags.stateDir === undefined ? undefined : resolve(session.cwd, flags.stateDir);
    const request: InstallRequest = { target, flags, stateDirectory };
    if (flags.undo === true) {
      const { command, readOnly, naming, project } = flags;
      if (command !== undefined || readOnly === true || naming !== 'default' || project !== undefined) {
        throw new UsageError('--undo excludes --command, --read-only, --naming and --project', 'leave them out');
      }
      const { runUndo } = await import('./run-install.ts');
      return runUndo(request, session);
    }
    const root = host.mcpServers.projectVariable?.[scope] ?? (scope === 'project' ? context.project : undefined);
    const options = [
      ...(root === undefined ? [] : ['--root', root]),
      ...(flags.readOnly === true ? ['--read-only'] : []),
      ...(flags.naming === 'default' ? [] : ['--naming', flags.naming]),
      ...(flags.project === undefined ? [] : ['--project', flags.project]),
      ...(stateDirectory === undefined ? [] : ['--state-dir', stateDirectory]),
    ];
    const { runInstall } = await import('./run-install.ts');
    return runInstall({ ...request, launch: launchOf(flags.command, session), options }, session);
  },
});
