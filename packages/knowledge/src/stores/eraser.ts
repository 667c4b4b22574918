import type { LocalStore } from './local-store.ts';

/** The changes within this time are erased together, because each erasure writes the whole file again. */
const ERASE_AFTER_MS = 60_000;

/**
 * Erases the texts that changes replaced, in the background.
 *
 * @returns a function that ends it. May be called twice.
 */
export function eraseInBackground(
  store: Pick<LocalStore, 'eraseReplaced' | 'onChange'>,
): (options: { readonly erases: boolean }) => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const erase = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running = running.then(async () => {
      try {
        await store.eraseReplaced();
      } catch {
        // The changes themselves are stored, and the erasure after a later one includes these.
      }
    });
    return running;
  };
  const stop = store.onChange(() => {
    timer ??= setTimeout(() => void erase(), ERASE_AFTER_MS).unref();
  });
  return async ({ erases }) => {
    stop();
    clearTimeout(timer);
    await (erases ? erase() : running);
  };
}
