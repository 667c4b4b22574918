import { ContextError } from '../errors.ts';

export type ContextMode = 'isolated' | 'shared' | 'fork' | 'handback' | 'selective' | 'summarized';

/**
 * What each mode reads and writes.
 *
 * - `isolated`: its own history. The default.
 * - `shared`: the history of the main session, and no other.
 * - `fork`: reads a snapshot of the main session; writes its own history.
 * - `handback`: like `isolated`; the final result is also added to the main session.
 * - `selective`: the sentences of the main session that match its patterns, and its own history.
 * - `summarized`: a summary of the main session, and its own history.
 */
export const MODES: Readonly<
  Record<ContextMode, { readonly reads: 'own' | 'main' | 'both'; readonly writes: 'own' | 'main' }>
> = {
  isolated: { reads: 'own', writes: 'own' },
  shared: { reads: 'main', writes: 'main' },
  fork: { reads: 'main', writes: 'own' },
  handback: { reads: 'own', writes: 'own' },
  selective: { reads: 'both', writes: 'own' },
  summarized: { reads: 'both', writes: 'own' },
};

export const DEFAULT_MODE: ContextMode = 'isolated';

export function isContextMode(value: unknown): value is ContextMode {
  return typeof value === 'string' && Object.hasOwn(MODES, value);
}

/** @throws {ContextError} `INVALID_MODE`. */
export function checkMode(value: unknown): ContextMode {
  if (isContextMode(value)) return value;
  const summary = `There is no context mode ${JSON.stringify(value) ?? String(value)}`;
  throw new ContextError('INVALID_MODE', [summary, `Use ${Object.keys(MODES).join(', ')}.`]);
}

/**
 * Returns the mode of a run: the argument of the run, else the definition's mode, else {@link DEFAULT_MODE}.
 *
 * @throws {ContextError} `INVALID_MODE`.
 */
export function modeOf(
  argument: ContextMode | undefined,
  definition?: { readonly contextMode?: ContextMode },
): ContextMode {
  return checkMode(argument ?? definition?.contextMode ?? DEFAULT_MODE);
}
