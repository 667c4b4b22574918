interface NotifyOptions {
  /** What the listener hears of: the name in a warning. */
  readonly of: string;
  /** Receives what the listener throws or rejects with. Default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Calls a listener. Neither its failure nor a failure of `onError` reaches the caller. */
export function notify<Fact>(
  listener: ((fact: Fact) => void) | undefined,
  fact: Fact,
  { of, onError }: NotifyOptions,
): void {
  const warn = (error: unknown): void => {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`A listener of ${of} failed: ${what}`, 'CairnWarning');
  };
  const report = (error: unknown): void => {
    try {
      (onError ?? warn)(error);
    } catch (second) {
      warn(second);
    }
  };
  try {
    // The type allows an asynchronous listener, whose rejection would have no handler.
    const returned: unknown = listener?.(fact);
    if (returned instanceof Promise) returned.catch(report);
  } catch (error) {
    report(error);
  }
}
