import type { CommandFactory } from './commands/command.ts';

type Load = () => Promise<CommandFactory>;

/**
 * The registry: a new command is one file and one line here. A name with a blank is a subcommand; its parent comes before it.
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
  'memory add': async () => (await import('./commands/memory/add.ts')).memoryAddCommand,
  'memory search': async () => (await import('./commands/memory/search.ts')).memorySearchCommand,
  'memory show': async () => (await import('./commands/memory/show.ts')).memoryShowCommand,
  'memory list': async () => (await import('./commands/memory/list.ts')).memoryListCommand,
  'memory forget': async () => (await import('./commands/memory/forget.ts')).memoryForgetCommand,
  'memory export': async () => (await import('./commands/memory/export.ts')).memoryExportCommand,
  'memory import': async () => (await import('./commands/memory/import.ts')).memoryImportCommand,
  'memory stats': async () => (await import('./commands/memory/stats.ts')).memoryStatsCommand,
  notes: async () => (await import('./commands/notes/notes.ts')).notesCommand,
  'notes list': async () => (await import('./commands/notes/list.ts')).notesListCommand,
  'notes add': async () => (await import('./commands/notes/add.ts')).notesAddCommand,
  workflow: async () => (await import('./commands/workflow/workflow.ts')).workflowCommand,
  'workflow list': async () => (await import('./commands/workflow/list.ts')).workflowListCommand,
  'workflow show': async () => (await import('./commands/workflow/show.ts')).workflowShowCommand,
  tour: async () => (await import('./commands/tour.ts')).tourCommand,
  mcp: async () => (await import('./commands/mcp/mcp.ts')).mcpCommand,
  'mcp install': async () => (await import('./commands/mcp/install.ts')).mcpInstallCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
};

/** A command that is loaded, with its name from the registry. */
export type LoadedCommand = readonly [name: string, create: CommandFactory];

/** Returns the registered names that an invocation needs to be parsed and to report its mistakes. */
export function neededCommands(args: readonly string[]): readonly string[] {
  const all = Object.keys(commands);
  const [first = '', second = ''] = args;
  if (first === '-V' || first === '--version') return [];
  const both = `${first} ${second}`;
  if (all.includes(both)) return [first, both];
  const family = all.filter((name) => name === first || name.startsWith(`${first} `));
  return family.length > 0 ? family : all;
}

/** Loads what {@link neededCommands} names, in the order of the registry. */
export async function loadCommands(args: readonly string[]): Promise<readonly LoadedCommand[]> {
  const needed = neededCommands(args);
  const entries = Object.entries(commands).filter(([name]) => needed.includes(name));
  return Promise.all(entries.map(async ([name, load]): Promise<LoadedCommand> => [name, await load()]));
}
