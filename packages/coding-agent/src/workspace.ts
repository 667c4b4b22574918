import { checkArguments, type OptionNames } from '@cairn/tool/kernel';
import { ToolError, type FileNotes } from '@cairn/tool';
import { accountStateDirectories } from '@cairn/tool/internal';
import { isAbsolute, resolve } from 'node:path';
import { BufferPool } from './commit/buffer-pool.ts';
import { Changes, type ChangeListener, type ListenOptions } from './commit/changes.ts';
import { Locks } from './commit/locks.ts';
import { Recovery } from './commit/recovery.ts';
import type { CommitScope } from './commit/scope.ts';
import { StateDirectory } from './commit/state-directory.ts';
import { isWithin } from './files/confine.ts';
import { Ledger } from './files/ledger.ts';
import { nodeFileOperations } from './files/node-operations.ts';
import type { FileOperations } from './files/operations.ts';
import { Recency } from './files/recency.ts';
import { realPathOf, resolvePath } from './files/resolve.ts';

/** What the tools are allowed to do. */
export interface ToolPolicy {
  /**
   * Keep every path below the root and the allowed roots.
   * @default true
   */
  readonly confine?: boolean | undefined;
  /** Other directories that may be used, absolute. Default: none. */
  readonly allowedRoots?: readonly string[] | undefined;
  /**
   * `strict`: reject a change of a file that changed since it was read, and an overwrite of a file that was not shown in full. `off`:
   * reject neither.
   * @default 'strict'
   */
  readonly staleGuard?: 'strict' | 'off' | undefined;
}

export interface WorkspaceOptions {
  /** The directory that relative paths start from: absolute. */
  readonly root: string;
  readonly policy?: ToolPolicy | undefined;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: (() => number) | undefined;
  /** Default: this machine's file system. */
  readonly operations?: FileOperations | undefined;
  /**
   * The directory for the journals of running commits: on this machine, for this user alone, the same for all processes that work
   * on the tree. Default: `accountStateDirectories` of `@cairn/tool/paths`, which no variable changes. When it cannot
   * be used, files can be read but not changed.
   */
  readonly stateDirectory?: string | undefined;
  /** Notes about files, which the tools add to their answers. Default: none. */
  readonly fileNotes?: FileNotes | undefined;
  /** Let `grep` watch large trees: see `GrepOptions.watch` of `@cairn/natives`. Default: false. */
  readonly watch?: boolean | undefined;
}

/**
 * The state that the tools of one set share: the allowed paths, what was read, the locks. It keeps the directories that its roots lead
 * to at the first call. When a root is a link that leads elsewhere later, calls fail with `ROOT_MOVED`.
 */
export interface Workspace extends CommitScope {
  readonly clock: () => number;
  /** When each path was written, renamed or mentioned: it orders suggestions. */
  readonly recency: Recency;
  /** Notes about files that are read or changed. */
  readonly fileNotes?: FileNotes | undefined;
  readonly watch?: boolean | undefined;
  /** Allows the tools to read, and not to change, what is below a directory outside the roots. The path is canonical. */
  allowReading(directory: string): void;
  /**
   * Calls `listener` once for each commit that changed files, after the commit and before the tool's promise settles. A dry
   * run, a rejected call and a commit that was undone are not announced. It is also called for each file that this workspace
   * recovers after a process was killed. A listener runs synchronously, so a slow one delays the call; an error that it
   * throws goes to `onError` and changes nothing else.
   *
   * @returns a function that ends the subscription. A second call of it does nothing.
   */
  onChange(listener: ChangeListener, options?: ListenOptions): () => void;
}

const workspaceOptions: OptionNames<WorkspaceOptions> = {
  root: 'required',
  policy: 'optional',
  clock: 'optional',
  operations: 'optional',
  stateDirectory: 'optional',
  fileNotes: 'optional',
  watch: 'optional',
};

function checkPath(name: string, path: unknown): string {
  if (typeof path === 'string' && isAbsolute(path) && !path.includes('\0')) return resolve(path);
  const summary = `${name} must be an absolute path, not ${JSON.stringify(path)}`;
  throw new ToolError('INVALID_OPTION', [summary, 'Make it absolute with path.resolve.']);
}

/**
 * Makes a workspace. No file is read before the first call, which also recovers what a killed process left.
 *
 * @throws {ToolError} `INVALID_OPTION` when the root or an allowed root is not absolute.
 */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  checkArguments.options('createWorkspace', options, workspaceOptions);
  const policyOptions = { confine: 'optional', allowedRoots: 'optional', staleGuard: 'optional' } as const;
  checkArguments.options('createWorkspace policy', options.policy, policyOptions);
  const { policy = {}, clock = Date.now, operations = nodeFileOperations, stateDirectory, fileNotes, watch } = options;
  const root = checkPath('root', options.root);
  const roots = [root, ...(policy.allowedRoots ?? []).map((allowed) => checkPath('an allowed root', allowed))];
  const changes = new Changes();
  const own = stateDirectory === undefined ? undefined : [checkPath('stateDirectory', stateDirectory)];
  const state = new StateDirectory(operations, own ?? accountStateDirectories('commits'));
  const locks = new Locks(operations, state);
  const recovery = new Recovery({ operations, state, locks, changes });
  const recency = new Recency(clock);
  changes.onChange(({ written, renamed }) => {
    for (const path of [...written, ...renamed.map(({ to }) => to)]) recency.note(path);
  });
  const readable = new Set<string>();
  let opened: Promise<readonly string[]> | undefined;

  const open = async (): Promise<readonly string[]> => {
    const allowed = await Promise.all(roots.map((directory) => realPathOf(operations, directory)));
    await recovery.recoverAll((path) => allowed.some((directory) => isWithin(path, directory)));
    return allowed;
  };
  /** Runs once for all calls, and again after a failure. */
  const opening = (): Promise<readonly string[]> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    root,
    staleGuard: policy.staleGuard ?? 'strict',
    clock,
    operations,
    ledger: new Ledger(),
    recency,
    fileNotes,
    watch,
    changes,
    onChange: (listener, options) => changes.onChange(listener, options),
    state,
    locks,
    recovery,
    buffers: new BufferPool(),
    resolve: async (path, use) => {
      const real = await opening();
      const named = roots.map((directory, index) => ({ named: directory, real: real[index] ?? directory }));
      const reachable = use?.write === true ? real : [...real, ...readable];
      const allowed = policy.confine === false ? undefined : reachable;
      return resolvePath({ operations, root, roots: named, allowed }, path, use);
    },
    realRoots: opening,
    allowReading: (directory) => void readable.add(directory),
  };
}

/** The workspace of the tools: a new one, or one that mentions and other sets share. */
export type WorkspaceChoice = WorkspaceOptions | { readonly workspace: Workspace };

/**
 * Returns the workspace of a choice, whose options are among those of `call`; `names` are the other options.
 *
 * @throws {ToolError} `INVALID_OPTION`
 */
export function workspaceOf<Options extends WorkspaceChoice>(
  call: string,
  options: Options,
  names: Readonly<Record<string, 'optional'>> = {},
): Workspace {
  const isMade = typeof options === 'object' && options !== null && 'workspace' in options;
  const choice = isMade ? { workspace: 'required' as const } : workspaceOptions;
  checkArguments.options<object>(call, options, { ...choice, ...names });
  if (isMade) return (options as { readonly workspace: Workspace }).workspace;
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(workspaceOptions, name));
  return createWorkspace(Object.fromEntries(own) as unknown as WorkspaceOptions);
}
