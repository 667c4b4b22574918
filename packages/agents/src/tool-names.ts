import type { ToolName } from '@cairn/coding-agent';

/** In all naming profiles. Here again, so that reading definitions loads no tools. A test compares them with the profiles. */
const CODING_TOOLS: Readonly<Record<ToolName, readonly string[]>> = {
  read: ['Read', 'read_file', 'view_image', 'read_text_file', 'read_media_file'],
  write: ['Write', 'write_file'],
  edit: ['Edit', 'MultiEdit', 'replace', 'edit_file'],
  patch: ['apply_patch'],
  delete: [],
  rename: ['move_file'],
  glob: ['Glob', 'search_files', 'find'],
  grep: ['Grep', 'grep_files', 'grep_search'],
  ls: ['LS', 'list_dir', 'list_directory', 'directory_tree'],
};

/** The name of the tool that delegates to another agent. */
export const AGENT_TOOL = 'agent';

/** The names of the tools of Cairn that no naming profile renames. A test compares them with the tool sets. */
const OTHER_TOOLS: readonly string[] = [
  'workspace_tree',
  'cache_directory',
  'remember',
  'recall',
  'update_fact',
  'forget_fact',
  'notes',
  'create_entities',
  'create_relations',
  'add_observations',
  'delete_entities',
  'delete_observations',
  'delete_relations',
  'read_graph',
  'search_nodes',
  'open_nodes',
  'scan_index',
  'search_knowledge',
  'get_asset',
  'sink_asset',
  'report_asset',
  AGENT_TOOL,
];

/** The names of all tools of Cairn, under their own names. */
export const cairnTools: readonly string[] = [...Object.keys(CODING_TOOLS), ...OTHER_TOOLS];

/** Hosts name the tools of an MCP server so. */
const MCP_PREFIX = 'mcp__cairn__';

/**
 * Returns our name of a tool that a definition names in any naming profile: `Read` and `read_file` are `read`, `mcp__cairn__recall`
 * is `recall`. `undefined` for a name that neither Cairn nor `others` has.
 *
 * @param others the names of further tools
 */
export function toolNameOf(name: string, others: Iterable<string> = []): string | undefined {
  if (cairnTools.includes(name)) return name;
  for (const other of others) if (other === name) return name;
  if (name.startsWith(MCP_PREFIX)) return toolNameOf(name.slice(MCP_PREFIX.length), others);
  return Object.entries(CODING_TOOLS).find(([, names]) => names.includes(name))?.[0];
}
