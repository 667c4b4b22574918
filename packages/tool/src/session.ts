import { randomUUID } from 'node:crypto';

/** The key of a value of type `T` that the tool sets of one session share. Make it once, at the top of a module. */
export interface SessionKey<T> {
  readonly description: string;
  /** Never set; it only carries the type. */
  readonly type?: T;
}

/** Makes a key. Each key is unique, even among keys with equal descriptions. */
export function createSessionKey<T>(description: string): SessionKey<T> {
  return { description };
}

/** One client of the tools: a connection over stdio, an HTTP session, or an agent run. */
export interface ToolSession {
  /** Unique among sessions. */
  readonly id: string;
  /**
   * Returns the session's value of a key; the first call creates it. Tool sets share a workspace this way without knowing one
   * another. When `create` throws, the next call tries again.
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
