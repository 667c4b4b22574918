import { nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations, OpenFile } from '@cairn/coding-agent';
import type { FileLock } from '@cairn/coding-agent/internal';

/** File operations that end like a killed process: at one of them everything stops, and the system drops locks and open files. */
export interface MortalOperations {
  readonly operations: FileOperations;
  /** Settles when they stop. */
  readonly died: Promise<'died'>;
}

type Run = (...values: unknown[]) => Promise<unknown>;

/**
 * Makes operations that stop before the one with the number `moment`, beginning with 0, or in the middle of it when it writes.
 * After that no operation ever settles.
 */
export function createMortalOperations(moment: number): MortalOperations {
  const held = new Set<FileLock>();
  const opened = new Set<OpenFile>();
  let count = 0;
  let isDead = false;
  let report: (how: 'died') => void = () => undefined;
  const died = new Promise<'died'>((resolve) => (report = resolve));
  const never = new Promise<never>(() => undefined);
  const running = new Set<Promise<unknown>>();
  const track = async <T>(started: Promise<T>): Promise<T> => {
    running.add(started);
    try {
      return await started;
    } finally {
      running.delete(started);
    }
  };
  const die = async (last?: Promise<unknown>): Promise<never> => {
    isDead = true;
    await last;
    // What the system has begun, it ends.
    await Promise.allSettled(running);
    for (const file of opened) await file.close();
    for (const lock of held) await lock.release();
    report('died');
    return never;
  };
  const mortal =
    (run: Run): Run =>
    async (...values) => {
      if (isDead) return never;
      if (count++ === moment) return die();
      const result = await track(run(...values));
      return isDead ? never : result;
    };
  const mortalAll = (object: object): Record<string, Run> =>
    Object.fromEntries(Object.entries(object).map(([name, run]) => [name, mortal(run as Run)]));
  const mortalFile = (file: OpenFile): OpenFile => {
    opened.add(file);
    const write = async (bytes: Uint8Array, position: number): Promise<void> => {
      if (isDead) return never;
      if (count++ === moment) return die(file.write(bytes.subarray(0, bytes.length / 2), position));
      await track(file.write(bytes, position));
    };
    const close = async (): Promise<void> => {
      // A close has no effect that others see.
      if (isDead) return never;
      opened.delete(file);
      await file.close();
    };
    return { ...(mortalAll(file) as unknown as OpenFile), write, close };
  };
  const open: FileOperations['open'] = async (path, mode, permissions) => {
    if (isDead) return never;
    if (count++ === moment) return die();
    const file = await track(nodeFileOperations.open(path, mode, permissions));
    return mortalFile(file);
  };
  const lock: FileOperations['lock'] = async (path, options) => {
    if (isDead) return never;
    if (count++ === moment) return die();
    const taken = await track(nodeFileOperations.lock(path, options));
    if (taken === undefined) return undefined;
    held.add(taken);
    const release = async (): Promise<void> => {
      if (isDead) return never;
      held.delete(taken);
      await taken.release();
    };
    return { release };
  };
  return { operations: { ...(mortalAll(nodeFileOperations) as unknown as FileOperations), open, lock }, died };
}
