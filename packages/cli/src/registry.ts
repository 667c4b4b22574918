import type { CommandFactory } from './commands/command.ts';
import type { Effect } from './terminal/lost-output.ts';

type Load = () => Promise<CommandFactory>;

interface Registered {
  readonly load: Load;
  readonly effect: Effect;
}

const reads = (load: Load): Registered => ({ load, effect: 'reads' });
const writes = (load: Load): Registered => ({ load, effect: 'writes' });
const exports = (load: Load): Registered => ({ load, effect: 'exports' });

/**
 * The registry: a new command is one file and one line here. A name with spaces is a subcommand; its parent comes before it.
 * The order is the order of the help. `reads`, `writes` and `exports` decide what a lost output does: see `Effect`.
 * Modules are loaded only for the commands that an invocation needs: see `createProgram`.
 */
const commands: Readonly<Record<string, Registered>> = {
  find: reads(async () => (await import('./commands/search/find.ts')).findCommand),
  glob: reads(async () => (await import('./commands/search/glob.ts')).globCommand),
  grep: reads(async () => (await import('./commands/search/grep.ts')).grepCommand),
  pick: reads(async () => (await import('./commands/pick/pick.ts')).pickCommand),
  ls: reads(async () => (await import('./commands/files/read.ts')).lsCommand),
  tree: reads(async () => (await import('./commands/files/tree.ts')).treeCommand),
  read: reads(async () => (await import('./commands/files/read.ts')).readCommand),
  write: writes(async () => (await import('./commands/files/change.ts')).writeCommand),
  edit: writes(async () => (await import('./commands/files/change.ts')).editCommand),
  patch: writes(async () => (await import('./commands/files/change.ts')).patchCommand),
  delete: writes(async () => (await import('./commands/files/change.ts')).deleteCommand),
  rename: writes(async () => (await import('./commands/files/change.ts')).renameCommand),
  recall: reads(async () => (await import('./commands/recall/recall.ts')).recallCommand),
  memory: reads(async () => (await import('./commands/memory/memory.ts')).memoryGroup),
  'memory remember': writes(async () => (await import('./commands/memory/remember.ts')).memoryRememberCommand),
  'memory recall': reads(async () => (await import('./commands/memory/search.ts')).memoryRecallCommand),
  'memory list': reads(async () => (await import('./commands/memory/search.ts')).memoryListCommand),
  'memory show': reads(async () => (await import('./commands/memory/show.ts')).memoryShowCommand),
  'memory update': writes(async () => (await import('./commands/memory/change.ts')).memoryUpdateCommand),
  'memory archive': writes(async () => (await import('./commands/memory/change.ts')).memoryArchiveCommand),
  'memory restore': writes(async () => (await import('./commands/memory/restore.ts')).memoryRestoreCommand),
  'memory forget': writes(async () => (await import('./commands/memory/forget.ts')).memoryForgetCommand),
  'memory embed': writes(async () => (await import('./commands/memory/embed.ts')).memoryEmbedCommand),
  'memory edit': writes(async () => (await import('./commands/memory/edit.ts')).memoryEditCommand),
  'memory start': reads(async () => (await import('./commands/memory/start.ts')).memoryStartCommand),
  'memory groups': reads(async () => (await import('./commands/memory/messages.ts')).memoryGroupsCommand),
  'memory messages': reads(async () => (await import('./commands/memory/messages.ts')).memoryMessagesCommand),
  'memory export': exports(async () => (await import('./commands/memory/transfer.ts')).memoryExportCommand),
  'memory import': writes(async () => (await import('./commands/memory/transfer.ts')).memoryImportCommand),
  'memory backup': writes(async () => (await import('./commands/memory/transfer.ts')).memoryBackupCommand),
  'memory project': reads(async () => (await import('./commands/memory/project.ts')).memoryProjectCommand),
  'memory project list': reads(async () => (await import('./commands/memory/project.ts')).memoryProjectListCommand),
  'memory project move': writes(async () => (await import('./commands/memory/project.ts')).memoryProjectMoveCommand),
  'memory stats': reads(async () => (await import('./commands/memory/stats.ts')).memoryStatsCommand),
  knowledge: reads(async () => (await import('./commands/knowledge/knowledge.ts')).knowledgeGroup),
  'knowledge add': writes(async () => (await import('./commands/knowledge/add.ts')).knowledgeAddCommand),
  'knowledge share': writes(async () => (await import('./commands/knowledge/share.ts')).knowledgeShareCommand),
  'knowledge list': reads(async () => (await import('./commands/knowledge/search.ts')).knowledgeListCommand),
  'knowledge search': writes(async () => (await import('./commands/knowledge/search.ts')).knowledgeSearchCommand),
  'knowledge show': reads(async () => (await import('./commands/knowledge/show.ts')).knowledgeShowCommand),
  'knowledge edit': writes(async () => (await import('./commands/knowledge/edit.ts')).knowledgeEditCommand),
  'knowledge convert': writes(async () => (await import('./commands/knowledge/change.ts')).knowledgeConvertCommand),
  'knowledge rename': writes(async () => (await import('./commands/knowledge/change.ts')).knowledgeRenameCommand),
  'knowledge verify': writes(async () => (await import('./commands/knowledge/change.ts')).knowledgeVerifyCommand),
  'knowledge deprecate': writes(async () => (await import('./commands/knowledge/change.ts')).knowledgeDeprecateCommand),
  'knowledge remove': writes(async () => (await import('./commands/knowledge/change.ts')).knowledgeRemoveCommand),
  'knowledge report': writes(async () => (await import('./commands/knowledge/change.ts')).knowledgeReportCommand),
  'knowledge import': writes(async () => (await import('./commands/knowledge/import.ts')).knowledgeImportCommand),
  'knowledge index': writes(async () => (await import('./commands/knowledge/stats.ts')).knowledgeIndexCommand),
  'knowledge gaps': writes(async () => (await import('./commands/knowledge/gaps.ts')).knowledgeGapsCommand),
  'knowledge stats': reads(async () => (await import('./commands/knowledge/stats.ts')).knowledgeStatsCommand),
  'knowledge team': reads(async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamCommand),
  'knowledge team init': writes(async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamInitCommand),
  'knowledge team pull': writes(async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamPullCommand),
  'knowledge team push': writes(async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamPushCommand),
  'knowledge team sync': writes(async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamSyncCommand),
  'knowledge team status': writes(async () => (await import('./commands/knowledge/team.ts')).teamStatusCommand),
  'knowledge team resolve': writes(async () => (await import('./commands/knowledge/team.ts')).teamResolveCommand),
  hook: reads(async () => (await import('./commands/hook/hook.ts')).hookCommand),
  'hook session-start': reads(
    async () => (await import('./commands/hook/session-start-command.ts')).sessionStartCommand,
  ),
  'hook install': writes(async () => (await import('./commands/hook/hook.ts')).hookInstallCommand),
  'hook remove': writes(async () => (await import('./commands/hook/hook.ts')).hookRemoveCommand),
  'hook phase': reads(async () => (await import('./commands/hook/hook.ts')).hookPhaseCommand),
  notes: reads(async () => (await import('./commands/notes/notes.ts')).notesCommand),
  'notes list': reads(async () => (await import('./commands/notes/notes.ts')).notesListCommand),
  'notes add': writes(async () => (await import('./commands/notes/notes.ts')).notesAddCommand),
  workflow: reads(async () => (await import('./commands/workflow/workflow.ts')).workflowCommand),
  'workflow run': writes(async () => (await import('./commands/workflow/run.ts')).workflowRunCommand),
  'workflow resume': writes(async () => (await import('./commands/workflow/resume.ts')).workflowResumeCommand),
  'workflow edit': writes(async () => (await import('./commands/workflow/edit.ts')).workflowEditCommand),
  'workflow cancel': writes(async () => (await import('./commands/workflow/records.ts')).workflowCancelCommand),
  'workflow retry': writes(async () => (await import('./commands/workflow/resume.ts')).workflowRetryCommand),
  'workflow list': reads(async () => (await import('./commands/workflow/records.ts')).workflowListCommand),
  'workflow show': reads(async () => (await import('./commands/workflow/records.ts')).workflowShowCommand),
  agents: reads(async () => (await import('./commands/agents/agents.ts')).agentsCommand),
  'agents list': reads(async () => (await import('./commands/agents/definitions.ts')).agentsListCommand),
  'agents show': reads(async () => (await import('./commands/agents/definitions.ts')).agentsShowCommand),
  'agents new': writes(async () => (await import('./commands/agents/new.ts')).agentsNewCommand),
  'agents context': reads(async () => (await import('./commands/agents/context.ts')).agentsContextCommand),
  'agents run': writes(async () => (await import('./commands/agents/run.ts')).agentsRunCommand),
  'agents sessions': reads(async () => (await import('./commands/agents/sessions.ts')).agentsSessionsCommand),
  'agents clear': writes(async () => (await import('./commands/agents/sessions.ts')).agentsClearCommand),
  tour: reads(async () => (await import('./commands/tour.ts')).tourCommand),
  mcp: writes(async () => (await import('./commands/mcp/mcp.ts')).mcpCommand),
  'mcp install': writes(async () => (await import('./commands/mcp/install.ts')).mcpInstallCommand),
  doctor: reads(async () => (await import('./commands/doctor.ts')).doctorCommand),
};

export type LoadedCommand = readonly [name: string, create: CommandFactory, effect: Effect];

/** Other names of commands. Their modules also tell commander, with `alias`. */
const aliases: Readonly<Record<string, string>> = {
  'memory add': 'memory remember',
  'memory search': 'memory recall',
};

export function isCommand(words: string): boolean {
  return Object.hasOwn(commands, aliases[words] ?? words);
}

/** Returns the registered names that an invocation needs to be parsed and to report its mistakes. */
export function neededCommands(args: readonly string[]): readonly string[] {
  const all = Object.keys(commands);
  if (args[0] === '-V' || args[0] === '--version') return [];
  const prefixes = args.slice(0, 3).map((_, index) => args.slice(0, index + 1).join(' '));
  const named = prefixes.map((name) => aliases[name] ?? name).findLast((name) => all.includes(name));
  if (named === undefined) return all;
  return all.filter((name) => name === named || name.startsWith(`${named} `) || named.startsWith(`${name} `));
}

export async function loadCommands(args: readonly string[]): Promise<readonly LoadedCommand[]> {
  const needed = neededCommands(args);
  const entries = Object.entries(commands).filter(([name]) => needed.includes(name));
  return Promise.all(
    entries.map(async ([name, { load, effect }]): Promise<LoadedCommand> => [name, await load(), effect]),
  );
}
