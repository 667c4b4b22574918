import { ToolError } from '@cairn/tool';

/** Whether a cache is open. */
export class Lifetime {
  readonly #root: string;
  #isClosed = false;

  constructor(root: string) {
    this.#root = root;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @throws {ToolError} `CLOSED` */
  check(): void {
    if (!this.#isClosed) return;
    const summary = `the workspace cache of ${this.#root} is closed`;
    throw new ToolError('CLOSED', [summary, 'Make another one with createWorkspaceCache.']);
  }
}
