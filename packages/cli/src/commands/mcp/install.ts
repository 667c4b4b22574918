import type { FlagsOf } from '../../terminal/parsed.ts';
import { hosts, type EntryEditor, type EntryTarget, type Host, type ServerCommand } from '@cairn/hosts';
import { filled, stateOption } from '../../terminal/options.ts';
import { UsageError } from '../../terminal/errors.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { PreviewedFile } from './config-file.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { commandOption, confirmOptions, hostContext, placeOptions, withAbsoluteStateDir } from './entry-options.ts';
import { launchOf } from './launch.ts';
import { namingOption } from './mcp-flags.ts';
import type { PlannedChange, Step } from './show-change.ts';

const options = [
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
] as const;

type InstallFlags = FlagsOf<typeof options>;

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

type Target = EntryTarget<ServerCommand> & { readonly host: Host };
type Editor = EntryEditor<PreviewedFile>;

interface Plan {
  readonly change: PlannedChange;
  readonly notices: readonly string[];
  /** The notice when nothing changes. */
  readonly unchanged: string;
  /** Further fields of the JSON document. */
  readonly more?: object;
}

function undoHint({ host, scope, name }: Target): string {
  const options = [scope === 'user' ? ' --scope user' : '', name === 'cairn' ? '' : ` --name ${name}`];
  return `to undo: cairn mcp install ${host.id}${options.join('')} --undo`;
}

async function planInstall(
  editor: Editor,
  target: Target,
  { flags, context: session }: { readonly flags: InstallFlags; readonly context: CommandContext },
): Promise<Plan> {
  const { host, scope, context, name } = target;
  const root = host.mcpServers.projectVariable?.[scope] ?? (scope === 'project' ? context.project : undefined);
  const options = [
    ...(root === undefined ? [] : ['--root', root]),
    ...(flags.readOnly === true ? ['--read-only'] : []),
    ...(flags.naming === 'default' ? [] : ['--naming', flags.naming]),
    ...(flags.project === undefined ? [] : ['--project', flags.project]),
    ...(flags.stateDir === undefined ? [] : ['--state-dir', flags.stateDir]),
  ];
  const { command, args, why, isLocal } = launchOf(flags.command, session);
  const server = { command, args: [...args, 'mcp', ...options] };
  const change = await editor.planInstall(target, server);
  const next = target.kind.nextStep(scope);
  const words = [command, ...server.args].map(shellQuote).join(' ');
  const isUnshared = scope === 'project' && (isLocal || options.includes(context.project));
  const notices = [
    `the host starts it with ${words} (${why})`,
    ...(isUnshared ? ['the entry contains paths of this machine; do not share the file'] : []),
    `next: ${next}`,
    ...(flags.dryRun === true ? [] : [undoHint(target)]),
  ];
  const unchanged = `${name} is already installed in ${change.file.path} (${host.title})`;
  return { change, notices, unchanged, more: { launch: { ...server, why }, next } };
}

async function planUndo(editor: Editor, target: Target, flags: InstallFlags): Promise<Plan> {
  const { command, readOnly, naming, project } = flags;
  if (command !== undefined || readOnly === true || naming !== 'default' || project !== undefined) {
    throw new UsageError('--undo excludes --command, --read-only, --naming and --project', 'leave them out');
  }
  const change = await editor.planUndo(target);
  return { change, notices: [], unchanged: `${target.name} is not in ${change.file.path}` };
}

async function install(session: CommandContext, given: InstallFlags, id: string): Promise<number> {
  const flags = withAbsoluteStateDir(given, session);
  const host = hostNamed(id);
  const { scope, dryRun = false } = flags;
  const context = await hostContext(flags.root, session);
  const name = checkName(flags.name, host);
  const target: Target = { host, kind: host.mcpServers, scope, context, name };
  const { carryOut, editorOf } = await import('./show-change.ts');
  const editor = editorOf(context, flags, session);
  const { change, notices, unchanged, more } =
    flags.undo === true
      ? await planUndo(editor, target, flags)
      : await planInstall(editor, target, { flags, context: session });
  const { action, to: entry, file } = change;
  const step: Step = { change, name, subject: name, remark: host.title };
  return carryOut([step], {
    flags,
    context: session,
    notices,
    unchanged: { notices: [`${unchanged}; nothing was changed`] },
    document: ({ changed, diffs }) => {
      const outcome = { action, changed, dryRun, entry, diff: diffs.get(step) };
      return { host: host.id, scope, path: file.path, name, ...outcome, ...more };
    },
  });
}

export const mcpInstallCommand: CommandFactory = defineCommand({
  description: 'Configure a host to start Cairn as an MCP server. Shows the change first; --undo reverts it.',
  summary: 'configure a host to start Cairn as an MCP server',
  args: [['<host>', 'the program that runs agents']],
  options,
  examples: `
Examples:
  $ cairn mcp install claude-code                 for this project; shows the change and asks first
  $ cairn mcp install codex --scope user --yes    for all projects, without asking
  $ cairn mcp install vscode --read-only --dry-run   show the change only
  $ cairn mcp install claude-code --undo          undo it

Hosts: ${hosts.map(({ id }) => id).join(', ')}.

Keeps everything else in the file: comments, order, layout, other servers, and keys that you added to the entry. The tools have
Cairn's own names, and hosts prefix them with the server's name. Use --naming only if the host's own tools are switched off.

Exit status: 0 if it is installed or undone, 1 if you answered no, 2 on an error.`,
  run: install,
});
