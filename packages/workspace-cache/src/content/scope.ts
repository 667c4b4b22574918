import { nodeFileOperations, type FileOperations, type Workspace } from '@cairn/coding-agent';
import { realPathOf, resolvePath, type Ledger, type PathUse, type ResolvedPath } from '@cairn/coding-agent/internal';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Lifetime } from '../lifetime.ts';

const inners = new WeakMap<FileOperations, FileOperations>();

export function noteInner(cached: FileOperations, inner: FileOperations): void {
  inners.set(cached, inner);
}

/** Returns the operations that cached ones are made of; others are returned as they are. */
export function innerOf(operations: FileOperations): FileOperations {
  return inners.get(operations) ?? operations;
}

/** The files that a cache may read: the files of a workspace, or below a root. */
export class CacheScope {
  /** The root as the caller named it. */
  readonly root: string;
  readonly #lifetime: Lifetime | undefined;
  #workspace: Workspace | undefined;
  /** The directory that the root led to when it was first used. A root that does not exist yet may lead anywhere later. */
  #realRoot: string | undefined;

  /** @param lifetime after its end no path is allowed. Default: there is no end. */
  constructor(root: string, { workspace, lifetime }: { workspace?: Workspace | undefined; lifetime?: Lifetime }) {
    this.root = root;
    this.#workspace = workspace;
    this.#lifetime = lifetime;
  }

  /** Takes the policy and the ledger of a workspace, unless there is one already. */
  adopt(workspace: Workspace): void {
    this.#workspace ??= workspace;
  }

  get operations(): FileOperations {
    return this.#workspace?.operations ?? nodeFileOperations;
  }

  get disk(): FileOperations {
    return innerOf(this.operations);
  }

  /** What the tools have read; absent without a workspace. */
  get ledger(): Ledger | undefined {
    return this.#workspace?.ledger;
  }

  /** Returns the canonical root first, then the other allowed roots. */
  async realRoots(): Promise<readonly string[]> {
    const roots = (await this.#workspace?.realRoots()) ?? [];
    return [...new Set([await this.#findRoot(roots[0]), ...roots])];
  }

  /** Resolves a path from the root, by the policy of the workspace, or below the root. @throws {ToolError} when it is not allowed. */
  async resolve(path: string, use?: PathUse): Promise<ResolvedPath> {
    this.#lifetime?.check();
    // An empty path and one with NUL are rejected as they are.
    const absolute = path === '' || path.includes('\0') ? path : resolve(this.root, path);
    if (this.#workspace) return this.#workspace.resolve(absolute, use);
    const real = await this.#findRoot(undefined);
    const roots = [{ named: this.root, real }];
    return resolvePath({ operations: nodeFileOperations, root: this.root, roots, allowed: [real] }, absolute, use);
  }

  async #findRoot(ofWorkspace: string | undefined): Promise<string> {
    if (ofWorkspace !== undefined && this.#workspace?.root === this.root) return ofWorkspace;
    if (this.#realRoot !== undefined) return this.#realRoot;
    const real = await realPathOf(this.operations, this.root);
    if (await stat(real).catch(() => undefined)) this.#realRoot ??= real;
    return this.#realRoot ?? real;
  }
}
