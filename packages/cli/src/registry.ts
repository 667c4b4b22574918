import type { CommandFactory } from './commands/command.ts';

type Load = () => Promise<CommandFactory>;

/**
 * The registry: a new command is one file and one line here. A name with blanks is a subcommand; its parent comes before it.
 * The order is that of the help. Modules are loaded only for the commands that an invocation needs: see `createProgram`.
 */
const commands: Readonly<Record<string, Load>> = {
  find: async () => (await import('./commands/search/find.ts')).findCommand,
  glob: async () => (await import('./commands/search/glob.ts')).globCommand,
  grep: async () => (await import('./commands/search/grep.ts')).grepCommand,
  pick: async () => (await import('./commands/pick.ts')).pickCommand,
  ls: async () => (await import('./commands/files/ls.ts')).lsCommand,
  tree: async () => (await import('./commands/files/tree.ts')).treeCommand,
  read: async () => (await import('./commands/files/read.ts')).readCommand,
  write: async () => (await import('./commands/files/write.ts')).writeCommand,
  edit: async () => (await import('./commands/files/edit.ts')).editCommand,
  patch: async () => (await import('./commands/files/patch.ts')).patchCommand,
  delete: async () => (await import('./commands/files/delete.ts')).deleteCommand,
  rename: async () => (await import('./commands/files/rename.ts')).renameCommand,
  memory: async () => (await import('./commands/memory/memory.ts')).memoryCommand,
  'memory remember': async () => (await import('./commands/memory/remember.ts')).memoryRememberCommand,
  'memory recall': async () => (await import('./commands/memory/recall.ts')).memoryRecallCommand,
  'memory list': async () => (await import('./commands/memory/list.ts')).memoryListCommand,
  'memory show': async () => (await import('./commands/memory/show.ts')).memoryShowCommand,
  'memory update': async () => (await import('./commands/memory/update.ts')).memoryUpdateCommand,
  'memory archive': async () => (await import('./commands/memory/archive.ts')).memoryArchiveCommand,
  'memory restore': async () => (await import('./commands/memory/archive.ts')).memoryRestoreCommand,
  'memory forget': async () => (await import('./commands/memory/forget.ts')).memoryForgetCommand,
  'memory edit': async () => (await import('./commands/memory/edit.ts')).memoryEditCommand,
  'memory start': async () => (await import('./commands/memory/start.ts')).memoryStartCommand,
  'memory groups': async () => (await import('./commands/memory/groups.ts')).memoryGroupsCommand,
  'memory messages': async () => (await import('./commands/memory/messages.ts')).memoryMessagesCommand,
  'memory export': async () => (await import('./commands/memory/export.ts')).memoryExportCommand,
  'memory import': async () => (await import('./commands/memory/import.ts')).memoryImportCommand,
  'memory backup': async () => (await import('./commands/memory/backup.ts')).memoryBackupCommand,
  'memory project': async () => (await import('./commands/memory/project.ts')).memoryProjectCommand,
  'memory project list': async () => (await import('./commands/memory/project.ts')).memoryProjectListCommand,
  'memory project move': async () => (await import('./commands/memory/project.ts')).memoryProjectMoveCommand,
  'memory stats': async () => (await import('./commands/memory/stats.ts')).memoryStatsCommand,
  knowledge: async () => (await import('./commands/knowledge/knowledge.ts')).knowledgeCommand,
  'knowledge add': async () => (await import('./commands/knowledge/add.ts')).knowledgeAddCommand,
  'knowledge list': async () => (await import('./commands/knowledge/list.ts')).knowledgeListCommand,
  'knowledge search': async () => (await import('./commands/knowledge/search.ts')).knowledgeSearchCommand,
  'knowledge show': async () => (await import('./commands/knowledge/show.ts')).knowledgeShowCommand,
  'knowledge edit': async () => (await import('./commands/knowledge/edit.ts')).knowledgeEditCommand,
  'knowledge convert': async () => (await import('./commands/knowledge/change.ts')).knowledgeConvertCommand,
  'knowledge rename': async () => (await import('./commands/knowledge/change.ts')).knowledgeRenameCommand,
  'knowledge verify': async () => (await import('./commands/knowledge/status.ts')).knowledgeVerifyCommand,
  'knowledge deprecate': async () => (await import('./commands/knowledge/status.ts')).knowledgeDeprecateCommand,
  'knowledge remove': async () => (await import('./commands/knowledge/change.ts')).knowledgeRemoveCommand,
  'knowledge report': async () => (await import('./commands/knowledge/change.ts')).knowledgeReportCommand,
  'knowledge import': async () => (await import('./commands/knowledge/import.ts')).knowledgeImportCommand,
  'knowledge index': async () => (await import('./commands/knowledge/index.ts')).knowledgeIndexCommand,
  'knowledge gaps': async () => (await import('./commands/knowledge/gaps.ts')).knowledgeGapsCommand,
  'knowledge stats': async () => (await import('./commands/knowledge/stats.ts')).knowledgeStatsCommand,
  'knowledge team': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamCommand,
  'knowledge team init': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamInitCommand,
  'knowledge team pull': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamPullCommand,
  'knowledge team push': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamPushCommand,
  'knowledge team sync': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamSyncCommand,
  'knowledge team status': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamStatusCommand,
  'knowledge team resolve': async () => (await import('./commands/knowledge/team.ts')).knowledgeTeamResolveCommand,
  hook: async () => (await import('./commands/hook/hook.ts')).hookCommand,
  'hook session-start': async () => (await import('./commands/hook/session-start-command.ts')).sessionStartCommand,
  'hook install': async () => (await import('./commands/hook/install.ts')).hookInstallCommand,
  'hook remove': async () => (await import('./commands/hook/remove.ts')).hookRemoveCommand,
  'hook phase': async () => (await import('./commands/hook/phase.ts')).hookPhaseCommand,
  notes: async () => (await import('./commands/notes/notes.ts')).notesCommand,
  'notes list': async () => (await import('./commands/notes/list.ts')).notesListCommand,
  'notes add': async () => (await import('./commands/notes/add.ts')).notesAddCommand,
  workflow: async () => (await import('./commands/workflow/workflow.ts')).workflowCommand,
  'workflow run': async () => (await import('./commands/workflow/run.ts')).workflowRunCommand,
  'workflow resume': async () => (await import('./commands/workflow/resume.ts')).workflowResumeCommand,
  'workflow edit': async () => (await import('./commands/workflow/edit.ts')).workflowEditCommand,
  'workflow cancel': async () => (await import('./commands/workflow/cancel.ts')).workflowCancelCommand,
  'workflow retry': async () => (await import('./commands/workflow/retry.ts')).workflowRetryCommand,
  'workflow list': async () => (await import('./commands/workflow/list.ts')).workflowListCommand,
  'workflow show': async () => (await import('./commands/workflow/show.ts')).workflowShowCommand,
  agents: async () => (await import('./commands/agents/agents.ts')).agentsCommand,
  'agents list': async () => (await import('./commands/agents/list.ts')).agentsListCommand,
  'agents show': async () => (await import('./commands/agents/show.ts')).agentsShowCommand,
  'agents new': async () => (await import('./commands/agents/new.ts')).agentsNewCommand,
  'agents context': async () => (await import('./commands/agents/context.ts')).agentsContextCommand,
  'agents run': async () => (await import('./commands/agents/run.ts')).agentsRunCommand,
  'agents sessions': async () => (await import('./commands/agents/sessions.ts')).agentsSessionsCommand,
  'agents clear': async () => (await import('./commands/agents/clear.ts')).agentsClearCommand,
  tour: async () => (await import('./commands/tour.ts')).tourCommand,
  mcp: async () => (await import('./commands/mcp/mcp.ts')).mcpCommand,
  'mcp install': async () => (await import('./commands/mcp/install.ts')).mcpInstallCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
};

/** A command that is loaded, with its name from the registry. */
export type LoadedCommand = readonly [name: string, create: CommandFactory];

/** Other names of commands. Their modules also tell commander, with `alias`. */
const aliases: Readonly<Record<string, string>> = {
  'memory add': 'memory remember',
  'memory search': 'memory recall',
};

/** Returns whether words name a command, such as `memory recall`. */
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

/** Loads what {@link neededCommands} names, in the order of the registry. */
export async function loadCommands(args: readonly string[]): Promise<readonly LoadedCommand[]> {
  const needed = neededCommands(args);
  const entries = Object.entries(commands).filter(([name]) => needed.includes(name));
  return Promise.all(entries.map(async ([name, load]): Promise<LoadedCommand> => [name, await load()]));
}
