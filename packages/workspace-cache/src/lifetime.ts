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

/**
 * Returns an object with the same members, whose methods fail with `CLOSED` once the cache is closed.
 *
 * @param asynchronous the methods that return promises. They reject; all others throw.
 */
export function whileOpen<T extends object>(
  members: T,
  asynchronous: readonly (keyof T & string)[],
  lifetime: Lifetime,
): T {
  const guarded = Object.entries(members).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member] as const;
    const call = (...args: readonly unknown[]): unknown => {
      lifetime.check();
      return Reflect.apply(member, members, args);
    };
    const isAsynchronous = asynchronous.some((one) => one === name);
    return [name, isAsynchronous ? async (...args: readonly unknown[]) => call(...args) : call] as const;
  });
  // Every member is there, and each method takes and returns the same.
  return Object.fromEntries(guarded) as T;
}
