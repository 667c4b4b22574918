import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import process from 'node:process';
import { Option, type Command } from 'commander';
import type { NamingProfile } from '@cairn/coding-agent';
import { hosts, scopes, type Host, type HostContext, type Scope } from '@cairn/hosts';
import { colorOption, once, oneOf } from '../../args.ts';
import { UsageError } from '../../errors.ts';
import type { ColorMode } from '../../output.ts';
import type { Session } from '../../session.ts';
import { namingProfiles } from './naming-profiles.ts';
import { chooseLaunch, givenLaunch, type Launch } from './launch.ts';
import type { InstallRequest } from './run-install.ts';

const examples = `
Examples:
  $ cairn mcp install claude-code                 for this project; shows the change and asks
  $ cairn mcp install codex --scope user --yes    for all projects, without a question
  $ cairn mcp install vscode --read-only --dry-run   only show what would be written
  $ cairn mcp install claude-code --undo          take it back

Hosts: ${hosts.map(({ id }) => id).join(', ')}.

What is in the file stays: comments, order, layout, other servers, and keys that were added to the entry. The tools keep
Cairn's own names, which no host has itself; hosts put the server's name before them. --naming is for hosts whose own tools
are switched off.

Exit status: 0 when it is installed or taken back, 1 when the answer was no, 2 when nothing could be done.`;

interface InstallFlags {
  readonly scope: Scope;
  readonly root: string;
  readonly name: string;
  readonly command?: string;
  readonly readOnly?: boolean;
  readonly naming: NamingProfile;
  readonly undo?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly color: ColorMode;
}

function hostNamed(id: string): Host {
  const host = hosts.find((one) => one.id === id);
  if (host) return host;
  const known = hosts.map((one) => one.id).join(', ');
  throw new UsageError(`unknown host "${id}"; use one of ${known}`);
}

function checkName(name: string, host: Host): string {
  const { pattern, words } = host.mcpServers.names;
  if (pattern.test(name)) return name;
  throw new UsageError(`invalid --name "${name}" for ${host.title}; use ${words}`);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Missing or unreadable: it is not this program either way.
    return undefined;
  }
}

function launchOf({ command }: InstallFlags, session: Session): Launch {
  if (command !== undefined) return givenLaunch(command);
  return chooseLaunch({
    main: realPath(process.argv[1] ?? '') ?? '',
    node: process.execPath,
    path: session.env['PATH'] ?? '',
    platform: process.platform,
    realPath,
  });
}

async function projectOf(root: string, session: Session): Promise<string> {
  const project = resolve(session.cwd, root);
  const stats = await stat(project);
  if (!stats.isDirectory())
    throw new UsageError(`--root is not a directory: "${project}"; use the project's directory`);
  return project;
}

async function runMcpInstall(id: string, flags: InstallFlags, session: Session): Promise<number> {
  const host = hostNamed(id);
  const { scope, json = false, dryRun = false, yes = false, color } = flags;
  const context: HostContext = {
    env: session.env,
    home: homedir(),
    project: await projectOf(flags.root, session),
    platform: process.platform,
  };
  const target = { host, kind: host.mcpServers, scope, context, name: checkName(flags.name, host) };
  const request: InstallRequest = { target, json, dryRun, yes, color };
  if (flags.undo === true) {
    if (flags.command !== undefined || flags.readOnly === true || flags.naming !== 'default') {
      throw new UsageError('--undo cannot be combined with --command, --read-only or --naming; leave them out');
    }
    const { runUndo } = await import('./run-install.ts');
    return runUndo(request, session);
  }
  const root = host.mcpServers.projectVariable?.[scope] ?? (scope === 'project' ? context.project : undefined);
  const options = [
    ...(root === undefined ? [] : ['--root', root]),
    ...(flags.readOnly === true ? ['--read-only'] : []),
    ...(flags.naming === 'default' ? [] : ['--naming', flags.naming]),
  ];
  const { runInstall } = await import('./run-install.ts');
  return runInstall({ ...request, launch: launchOf(flags, session), options }, session);
}

export function mcpInstallCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description(
      'Tell a host to start Cairn as an MCP server. The change is shown before it is made, and can be undone.',
    )
    .summary('tell a host to start Cairn as an MCP server')
    .argument('<host>', 'the program that is to use Cairn')
    .addHelpText('after', examples)
    .action(async (id: string, flags: InstallFlags) => done(await runMcpInstall(id, flags, session)))
    .addOption(
      new Option('--scope <scope>', 'for whom: project (this directory) or user (whatever is opened)')
        .argParser(oneOf('--scope', scopes))
        .default('project', 'project'),
    )
    .addOption(new Option('--root <dir>', 'the directory of the project').default('.', 'the current directory'))
    .addOption(new Option('--name <name>', 'what the host calls the server').default('cairn', 'cairn'))
    .addOption(
      new Option('--command <command>', 'what starts cairn, such as "npx -y @cairn/cli"; chosen by itself').argParser(
        once('--command', 'put all words in one, between quotes'),
      ),
    )
    .addOption(new Option('--read-only', 'only the tools that change nothing'))
    .addOption(
      new Option('--naming <profile>', `names and parameters of the tools: ${namingProfiles.join(', ')}`)
        .argParser(oneOf('--naming', namingProfiles))
        .default('default', 'default'),
    )
    .addOption(new Option('--undo', 'take back what was installed'))
    .addOption(new Option('--dry-run', 'show what would change, but change nothing'))
    .addOption(new Option('-y, --yes', 'do not ask'))
    .addOption(new Option('--json', 'print what happened as one JSON document'))
    .addOption(colorOption());
}
