import { observeCall, type ObservedCall } from '@cairn/tool/kernel';

/** A result, with its list unless that was passed on in parts. */
type Counted =
  | { readonly matches: readonly unknown[] }
  | { readonly entries: readonly unknown[] }
  | { readonly totalMatches: number };

function outcomeOf(result: Counted): { readonly results?: number } {
  if ('matches' in result) return { results: result.matches.length };
  return 'entries' in result ? { results: result.entries.length } : {};
}

/** Shows a call to the subscribers of `observeCalls`. With subscribers, `run` receives the message and may add facts. */
export function observe<Result extends Counted>(
  name: string,
  input: unknown,
  run: (observed?: ObservedCall) => Promise<Result>,
): Promise<Result> {
  return observeCall({ source: 'natives', name, input, outcomeOf }, run);
}
