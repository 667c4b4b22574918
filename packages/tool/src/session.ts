import { randomUUID } from 'node:crypto';

/** Names a value of type `T` that the tool sets of one session share. Make it once, at the top of a module. */
export interface SessionKey<T> {
  readonly description: string;
  /** Never set: it only carries the type. */
  readonly type?: T;
}

/** Makes a key. Two keys are different, also when their descriptions are equal. */
export function createSessionKey<T>(description: string): SessionKey<T> {
  return { description };
}

/** One client of the tools: a process that speaks over stdio, an HTTP session, an agent run. */
export interface ToolSession {
  /** Unique among sessions. */
  readonly id: string;
  /**
   * Returns the session's value of a key; the first call creates it. So several tool sets share one workspace without
   * knowing one another.
   */
  share<T>(key: SessionKey<T>, create: () => T): T;
}

/** Makes a session. Default id: a random UUID. */
export function createToolSession(id: string = randomUUID()): ToolSession {
  const values = new Map<SessionKey<unknown>, unknown>();
  return {
    id,
    share: <T>(key: SessionKey<T>, create: () => T): T => {
      if (!values.has(key)) values.set(key, create());
      // Only `create` of this key's type writes under the key.
      return values.get(key) as T;
    },
  };
}
