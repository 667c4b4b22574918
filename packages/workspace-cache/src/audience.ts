/** Listeners that are heard for as long as something else holds them. */
export interface Audience<Listener> {
  readonly add: (listener: Listener) => void;
  readonly forEach: (announce: (listener: Listener) => void) => void;
}

/** Makes an audience. A cache may outlive many runs, and must not hold what they have. */
export function createAudience<Listener extends object>(): Audience<Listener> {
  const listeners = new Set<WeakRef<Listener>>();
  const known = new WeakSet<Listener>();
  return {
    add: (listener) => {
      if (known.has(listener)) return;
      known.add(listener);
      listeners.add(new WeakRef(listener));
    },
    forEach: (announce) => {
      for (const reference of listeners) {
        const listener = reference.deref();
        if (listener === undefined) listeners.delete(reference);
        else announce(listener);
      }
    },
  };
}
