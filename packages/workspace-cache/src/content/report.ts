/** Calls a listener. What it throws must not change the answer of a cache. */
export function report<Fact>(listener: ((fact: Fact) => void) | undefined, fact: Fact): void {
  try {
    // The type allows an asynchronous listener: no other user would see its rejection.
    const returned: unknown = listener?.(fact);
    if (returned instanceof Promise) returned.catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener of the workspace cache failed: ${what}`, 'CairnWarning');
}
