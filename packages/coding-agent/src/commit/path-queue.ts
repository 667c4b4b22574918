interface QueueTurn {
  /** Settles when all earlier calls for the same paths are done. */
  readonly turn: Promise<unknown>;
  /** Lets later calls go on. A call that leaves before its turn lets no call overtake the calls before it. */
  readonly leave: () => void;
}

/** Lets one call of this process at a time use a path, in the order in which the calls came. */
export class PathQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Queues after the earlier calls for any of the paths. */
  enter(paths: readonly string[]): QueueTurn {
    const turn = Promise.all(paths.map((path) => this.#last.get(path) ?? Promise.resolve()));
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const finished = Promise.all([turn, left]).then(() => {
      for (const path of paths) if (this.#last.get(path) === finished) this.#last.delete(path);
    });
    for (const path of paths) this.#last.set(path, finished);
    return { turn, leave };
  }
}
