import { checkArguments, type OptionNames } from '@cairn/tool/kernel';
import { createWorkspace, nodeFileOperations, onAnyChange } from '@cairn/coding-agent';
import type { FileOperations, Workspace, WorkspaceChange } from '@cairn/coding-agent';
import { canonicalRoots, sessionWorkspace, toolNameIn } from '@cairn/coding-agent/internal';
import { ToolError } from '@cairn/tool';
import type {
  OpenToolSet,
  Resource,
  ResourceChanges,
  ResourceProvider,
  Tools,
  ToolSet,
  ToolSetContext,
} from '@cairn/tool';
import { escapeControls, quotePath } from '@cairn/tool/paths';
import { basename } from 'node:path';
import { cacheOptionNames, resolveCacheOptions, type WorkspaceCacheOptions } from '../cache-options.ts';
import { check } from '../checks.ts';
import { Lru } from '../content/lru.ts';
import { CacheScope } from '../content/scope.ts';
import type { DynamicListing } from '../data.ts';
import { createCacheDirectoryTool } from '../listings/cache-directory.ts';
import { dynamicListingsOf, type DynamicListings } from '../listings/dynamic-listings.ts';
import { createWorkspaceTreeTool, WORKSPACE_TREE, type TreeAt, type WorkspaceTreeToolOptions } from './tree-tool.ts';
import type { Trees } from '../tree/trees.ts';
import type { WorkspaceCache } from '../workspace-cache.ts';
import { IGNORE_FILES, isAffected, pathsOf } from '../listings/paths.ts';
import { requireTree, treeText } from './tree-text.ts';
import { treeToolTexts } from './tree-texts.ts';

const BASE = 'cairn://workspace/';

const LISTINGS_URI = `${BASE}listings`;

/** Returns the URI of the tree of a root. The first root has none of the numbers. */
function treeUri(index: number): string {
  return index === 0 ? `${BASE}tree` : `${BASE}tree/${index + 1}`;
}

interface WorkspaceResourcesOptions extends WorkspaceTreeToolOptions {
  /** The roots as the caller named them. */
  readonly roots: readonly string[];
  /** Absent in the mode `static`. */
  readonly listings: DynamicListings | undefined;
}

/** Returns the paths of a change after which a tree may be another one. */
function treePathsOf({ written, ...rest }: WorkspaceChange): string[] {
  const rules = written.filter((path) => IGNORE_FILES.includes(basename(path)));
  return [...rules, ...pathsOf({ ...rest, written: rest.created })];
}

function resourcesOf({ roots, listings, language, list }: WorkspaceResourcesOptions): Resource[] {
  const texts = treeToolTexts[language];
  const trees = roots.map((root, index): Resource => {
    const title = quotePath(basename(root) || root);
    return {
      uri: treeUri(index),
      name: `tree of ${title}`,
      title: `Tree of ${title}`,
      description: texts.treeResource,
      mimeType: 'text/plain',
    };
  });
  if (listings === undefined) return trees;
  const description = texts.listingsResource(list);
  const named = { name: 'cached listings', title: 'Cached listings' };
  return [...trees, { uri: LISTINGS_URI, ...named, description, mimeType: 'application/json' }];
}

async function readTree(
  { workspace, treeAt, language, list }: WorkspaceResourcesOptions,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  // A root may have become a link that leads elsewhere.
  const { real } = await workspace.resolve(root);
  const tree = await treeAt(real, { signal });
  requireTree(tree.metadata, root, 'Read the tree of another root, or tell the user.');
  return treeText(tree, { path: root, language, list });
}

/** Announces the trees of roots in which a commit of any workspace of this process changed something, and changes of the listings. */
function changesOf({ workspace, roots, listings }: WorkspaceResourcesOptions): ResourceChanges['onChange'] {
  const basesOf = canonicalRoots(workspace.operations, roots);
  return (listener) => {
    const update = (uri: string): void => listener({ kind: 'resource-update', uri });
    const announce = async (paths: readonly string[]): Promise<void> => {
      for (const [index, base] of (await basesOf()).entries()) {
        if (isAffected(base, paths)) update(treeUri(index));
      }
    };
    const stops = [
      onAnyChange((change) => {
        const paths = treePathsOf(change);
        if (paths.length > 0) void announce(paths);
      }),
      listings?.onChange(() => update(LISTINGS_URI)),
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  };
}

function workspaceResources(options: WorkspaceResourcesOptions): ResourceProvider {
  const { roots, listings } = options;
  const resources = resourcesOf(options);
  return {
    list: async () => ({ resources }),
    read: async (uri, { signal }) => {
      if (!uri.startsWith(BASE)) return undefined;
      if (uri === LISTINGS_URI && listings !== undefined) {
        // Another program may have changed a directory.
        await listings.check();
        const text = escapeControls(JSON.stringify(listings.record, undefined, 2), '\n');
        return [{ uri, mimeType: 'application/json', text }];
      }
      const root = roots.find((_, index) => treeUri(index) === uri);
      if (root !== undefined) return [{ uri, mimeType: 'text/plain', text: await readTree(options, root, signal) }];
      const known = resources.map((resource) => resource.uri).join(', ');
      const what = `The resource ${escapeControls(JSON.stringify(uri))} does not exist`;
      throw new ToolError('NOT_FOUND', [what, `Read ${known}.`]);
    },
    changes: {
      announces: (uri) => resources.some((resource) => resource.uri === uri),
      onChange: changesOf(options),
    },
  };
}

export interface WorkspaceCacheToolSetOptions extends Omit<WorkspaceCacheOptions, 'root' | 'workspace'> {
  /**
   * Let the tools of the session read files and list directories from memory, after a check that they are unchanged. The set must
   * then come before the set of coding tools.
   * @default false
   */
  readonly cacheFiles?: boolean | undefined;
  /** The directory for the journals of running changes: see `WorkspaceOptions.stateDirectory` of `@cairn/coding-agent`. */
  readonly journalDirectory?: string | undefined;
}

/** The session has a root and a workspace. */
const { root: _root, workspace: _workspace, ...ownCacheOptions } = cacheOptionNames;

const toolSetOptions: OptionNames<WorkspaceCacheToolSetOptions> = {
  ...ownCacheOptions,
  cacheFiles: 'optional',
  journalDirectory: 'optional',
};

const MAX_DIRECTORIES = 32;

/** Returns file operations that read and list through a cache. The first of them makes it. */
function lazyOperations(cacheOf: () => Promise<WorkspaceCache>): FileOperations {
  const cached = async (): Promise<FileOperations> => (await cacheOf()).operations();
  return {
    ...nodeFileOperations,
    openCached: async (path, named) =>
      (await cached()).openCached?.(path, named) ?? nodeFileOperations.open(path, 'read'),
    listCached: async (path) => (await cached()).listCached?.(path) ?? nodeFileOperations.list(path),
  };
}

/** Returns a function that shows the tree of a directory of the workspace. */
function treesOf(workspace: Workspace, options: Omit<WorkspaceCacheOptions, 'root'>): TreeAt {
  const kept = new Lru<Promise<Trees>>({ maxSize: MAX_DIRECTORIES });
  // At the first call: a server starts without it, and many sessions never ask for a tree.
  const make = async (root: string): Promise<Trees> => {
    const { Trees: Made } = await import('../tree/trees.ts');
    return new Made({ ...resolveCacheOptions({ ...options, root }), scope: new CacheScope(root, { workspace }) });
  };
  return async (directory, call) => {
    const trees = kept.get(directory) ?? make(directory);
    kept.set(directory, trees, 0);
    return (await trees).show(options, call);
  };
}

/** Returns the session's workspace. With `cacheFiles` this set makes it. */
function workspaceFor(
  context: ToolSetContext,
  { cacheFiles = false, journalDirectory }: WorkspaceCacheToolSetOptions,
  cacheOf: () => Promise<WorkspaceCache>,
): Workspace {
  if (!cacheFiles) return sessionWorkspace(context, { stateDirectory: journalDirectory });
  let isOwn = false;
  const workspace = sessionWorkspace(context, {
    stateDirectory: journalDirectory,
    create: (options) => {
      isOwn = true;
      return createWorkspace({ ...options, operations: lazyOperations(cacheOf) });
    },
  });
  if (isOwn) return workspace;
  const summary = 'cacheFiles needs a workspace that no other tool set has made';
  throw new ToolError('INVALID_OPTION', [summary, 'Put this tool set before the one of the coding tools.']);
}

/**
 * Makes the tool set of this package: `workspace_tree` and `cache_directory`, and as resources the tree of each root
 * (`cairn://workspace/tree`, then `cairn://workspace/tree/2`) and the kept listings (`cairn://workspace/listings`). Subscribers
 * hear of each commit, of any workspace of the process, that changes a tree. It shares the session's workspace with the coding
 * tools.
 *
 * `open` throws a `ToolError` with `INVALID_OPTION` for an invalid value of an option.
 *
 * @throws {ToolError} `INVALID_OPTION` for an unknown option.
 */
export function createWorkspaceCacheToolSet(options: WorkspaceCacheToolSetOptions = {}): ToolSet {
  checkArguments.options('createWorkspaceCacheToolSet', options, toolSetOptions);
  const { cacheFiles } = options;
  check('cacheFiles', cacheFiles, typeof cacheFiles === 'boolean', 'true or false');
  const ends = new Set<Promise<void>>();
  const open = (context: ToolSetContext): OpenToolSet => {
    const { cacheFiles: _cacheFiles, journalDirectory: _journalDirectory, ...given } = options;
    const { roots } = context;
    // The answers state what a warning would.
    const cacheOptions = { onWarning: () => undefined, ...given };
    // An invalid option fails now, not at the first call.
    resolveCacheOptions({ ...cacheOptions, root: roots[0] });
    const { language = 'en', mode = 'full', clock = Date.now } = options;
    const list = options.toolNames?.list ?? toolNameIn(context.naming, 'ls');
    let files: Promise<WorkspaceCache> | undefined;
    const makeFiles = async (): Promise<WorkspaceCache> =>
      (await import('../workspace-cache.ts')).createWorkspaceCache({ ...cacheOptions, root: roots[0], workspace });
    const workspace = workspaceFor(context, options, () => (files ??= makeFiles()));
    const treeAt = treesOf(workspace, cacheOptions);
    const record = Object.create(null) as Record<string, DynamicListing>;
    const listings = mode === 'static' ? undefined : dynamicListingsOf(record, clock);
    const stop = onAnyChange((change) => listings?.drop(change));
    const end = (): void => {
      stop();
      const ended = Promise.resolve(files?.then((cache) => cache.close())).finally(() => void ends.delete(ended));
      ends.add(ended);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });

    const shared = { workspace, treeAt, language, list };
    if (context.hidden?.has('tree') === true) return { tools: {} };
    const tools: Record<string, Tools[string]> = { [WORKSPACE_TREE]: createWorkspaceTreeTool(shared) as Tools[string] };
    if (listings !== undefined) {
      const scope = new CacheScope(workspace.root, { workspace });
      const toolNames = { ...options.toolNames, list };
      const tool = createCacheDirectoryTool({ scope, dynamic: listings, language, toolNames });
      tools[tool.name] = tool as Tools[string];
    }
    return { tools, resources: workspaceResources({ ...shared, roots, listings }) };
  };
  return {
    name: 'workspace-cache',
    open,
    close: async () => {
      await Promise.all(ends);
    },
  };
}
