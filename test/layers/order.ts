/** Packages from the bottom to the top. A package depends only on packages above it in this list. */
export const packageOrder: readonly string[] = [
  'natives',
  'tool',
  'retrieval',
  'hosts',
  'coding-agent',
  'workspace-cache',
  'memory',
  'context',
  'knowledge',
  'agents',
  'mcp-server',
  'dashboard',
  'cli',
];

/** Packages that work where no native addon can be loaded. They depend only on each other. */
export const withoutAddon: readonly string[] = ['tool', 'retrieval', 'hosts', 'memory', 'context', 'mcp-server'];

/**
 * The rooms of a package, from the bottom to the top: one line per package. A room is a directory of `src`, or a file of
 * `src` that rooms import. A room imports only itself and rooms before it. Files of `src` that are not listed come last
 * and import every room; every directory is listed.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  'coding-agent': [
    'files',
    'edit',
    'commit',
    'patch',
    'workspace.ts',
    'tools',
    'naming',
    'hosted',
    'mentions',
    'resources',
  ],
  'workspace-cache': [
    'data.ts',
    'content',
    'listings',
    'tree',
    'statistics',
    'section',
    'run-counter.ts',
    'run.ts',
    'shared-state.ts',
    'cache-options.ts',
    'run-extras.ts',
    'audience.ts',
    'workspace-cache.ts',
    'tools',
  ],
  memory: [
    'errors.ts',
    'defaults.ts',
    'store-path.ts',
    'records',
    'backends',
    'terms',
    'workflows',
    'conversations',
    'facts',
    'graph',
    'maintenance',
    'memory.ts',
    'testing',
    'tools',
  ],
  context: ['errors.ts', 'messages', 'modes', 'definitions', 'instructions', 'histories', 'context-manager.ts'],
  agents: ['errors.ts', 'model', 'tools', 'prompt', 'run', 'delegation', 'workflow', 'tool-set'],
  hosts: ['errors.ts', 'formats', 'host.ts', 'hosts'],
  'mcp-server': [
    'errors.ts',
    'resource-notices.ts',
    'service.ts',
    'transport.ts',
    'answer',
    'toolbox',
    'protocol',
    'stdio',
    'http',
  ],
  cli: ['terminal', 'memory', 'doctor', 'picker', 'tour', 'commands'],
};
