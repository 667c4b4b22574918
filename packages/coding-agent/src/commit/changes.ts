import { checkArguments } from '@cairn/tool/kernel';
import { notify } from '@cairn/tool/internal';
import { invalidateFsScanCache } from '@cairn/natives';

interface RenamedPath {
  readonly from: string;
  readonly to: string;
}

/**
 * What one commit or one shell command changed. Paths are absolute and canonical. A path in `deleted` and in another list still
 * exists, at least in part: it could not be removed.
 */
export interface WorkspaceChange {
  /** Files that were created or got another content. */
  readonly written: readonly string[];
  /** The files of `written` that did not exist before, as far as it is known. */
  readonly created: readonly string[];
  /** Directories that were created on the way to a file, each before those inside it. */
  readonly createdDirectories: readonly string[];
  /** Files, links and directories. A directory stands for everything that was in it. */
  readonly deleted: readonly string[];
  /** Files, links and directories. A directory stands for everything that was in it. */
  readonly renamed: readonly RenamedPath[];
  /** Directories in which anything may have changed, such as the roots after a shell command. */
  readonly unknownBelow: readonly string[];
}

export type ChangeListener = (change: WorkspaceChange) => void;

export interface ListenOptions {
  /**
   * Called with an error that the listener threw, or that the promise it returned rejected with. The commit stands.
   * @default `process.emitWarning`
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export type PathChange =
  | {
      readonly kind: 'write';
      readonly path: string;
      /** Whether the file did not exist before. Default: true, because a listener may then do too much, but never too little. */
      readonly isNew?: boolean | undefined;
    }
  | { readonly kind: 'create-directory' | 'delete' | 'unknown-below'; readonly path: string }
  | ({ readonly kind: 'rename' } & RenamedPath);

/**
 * Invalidates cached scans after a write: a file was created or changed, or a directory was created.
 *
 * Every commit calls these functions before its promise settles, so that the next cached search sees the change. They never
 * throw.
 */
export function invalidateFsScanAfterWrite(path: string): void {
  invalidateFsScanCache(path);
}

/** Invalidates cached scans after a file or a directory was removed. */
export function invalidateFsScanAfterDelete(path: string): void {
  invalidateFsScanCache(path);
}

/** Invalidates cached scans after a rename: of both paths, of the second only when it is different. */
export function invalidateFsScanAfterRename(oldPath: string, newPath: string): void {
  invalidateFsScanCache(oldPath);
  if (newPath !== oldPath) invalidateFsScanCache(newPath);
}

function gather(changes: readonly PathChange[]): WorkspaceChange {
  const pathsOf = (kind: PathChange['kind']): string[] =>
    changes.flatMap((change) => (change.kind !== 'rename' && change.kind === kind ? [change.path] : []));
  return {
    written: pathsOf('write'),
    created: changes.flatMap((change) => (change.kind === 'write' && change.isNew !== false ? [change.path] : [])),
    createdDirectories: pathsOf('create-directory'),
    deleted: pathsOf('delete'),
    renamed: changes.flatMap((change) => (change.kind === 'rename' ? [{ from: change.from, to: change.to }] : [])),
    unknownBelow: pathsOf('unknown-below'),
  };
}

type Subscriptions = Set<ListenOptions & { readonly listener: ChangeListener }>;

function subscribe(to: Subscriptions, listener: ChangeListener, options: ListenOptions = {}): () => void {
  checkArguments.options('onChange', options, { onError: 'optional' });
  const subscription = { listener, onError: options.onError };
  to.add(subscription);
  return () => void to.delete(subscription);
}

/** For the commits of all workspaces. */
const everywhere: Subscriptions = new Set();

/**
 * Calls `listener` after each commit of any workspace in this process, like `Workspace.onChange`. Each session has its own
 * workspace, and this tells one session about the commits of the others.
 *
 * @returns a function that ends the subscription. A second call of it does nothing.
 */
export function onAnyChange(listener: ChangeListener, options?: ListenOptions): () => void {
  return subscribe(everywhere, listener, options);
}

/** The one place that announces changes: to the scan cache, and to the listeners of a workspace. */
export class Changes {
  readonly #own: Subscriptions = new Set();

  /**
   * Invalidates cached scans of the paths, then calls the listeners, once for all paths. Every commit calls it before its
   * promise settles. A program that changes files in another way may call it too.
   */
  announce(changes: readonly PathChange[]): void {
    if (changes.length === 0) return;
    this.invalidate(changes);
    const change = gather(changes);
    for (const { listener, onError } of [...this.#own, ...everywhere]) {
      notify(listener, change, { of: 'workspace changes', onError });
    }
  }

  /** Invalidates cached scans alone: for paths that are again what they were, after a scan may have seen them change. */
  invalidate(changes: readonly PathChange[]): void {
    for (const change of changes) {
      if (change.kind === 'rename') invalidateFsScanAfterRename(change.from, change.to);
      else if (change.kind === 'delete') invalidateFsScanAfterDelete(change.path);
      else invalidateFsScanAfterWrite(change.path);
    }
  }

  /** Calls `listener` after each change. Returns a function that ends the subscription. */
  onChange(listener: ChangeListener, options?: ListenOptions): () => void {
    return subscribe(this.#own, listener, options);
  }
}
