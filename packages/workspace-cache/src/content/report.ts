import { notify } from '@cairn/tool/internal';

/** Calls a listener. What it throws must not change the answer of a cache. */
export function report<Fact>(listener: ((fact: Fact) => void) | undefined, fact: Fact): void {
  notify(listener, fact, { of: 'the workspace cache' });
}
