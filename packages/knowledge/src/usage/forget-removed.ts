import type { LocalStore } from '../stores/local-store.ts';
import type { Usage } from './usage.ts';

/**
 * Removes the events of assets that this process removes or renames, in the background. A failure leaves them: they expire.
 *
 * @returns a function that ends it, and resolves when the events are removed.
 */
export function forgetRemoved(
  store: Pick<LocalStore, 'getMany' | 'onChange'>,
  usage: Pick<Usage, 'forget'>,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const forget = async (ids: readonly string[]): Promise<void> => {
    const assets = await store.getMany(ids);
    for (const [place, id] of ids.entries()) if (assets[place] === undefined) await usage.forget(id);
  };
  const stop = store.onChange((ids) => {
    running = running.then(() => forget(ids)).catch(() => undefined);
  });
  return () => {
    stop();
    return running;
  };
}
