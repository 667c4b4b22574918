import { Readable } from 'node:stream';
import type { Session } from '../terminal/session.ts';

export interface RecordedOptions extends Partial<Session> {
  /** Whether standard output, or standard error, is a terminal. @default false */
  readonly outIsTerminal?: boolean | undefined;
  readonly errIsTerminal?: boolean | undefined;
  /** Columns of both. @default 100 */
  readonly width?: number | undefined;
}

export interface RecordedSession {
  readonly session: Session;
  readonly texts: { out: string; err: string };
}

/** Makes a session in `/` with an empty environment. Standard input is a terminal without text. */
export function recordedSession({
  outIsTerminal = false,
  errIsTerminal = false,
  width = 100,
  ...more
}: RecordedOptions = {}): RecordedSession {
  const texts = { out: '', err: '' };
  const output = (name: 'out' | 'err', isTerminal: boolean): Session['out'] => ({
    isTerminal,
    width,
    write: async (text) => {
      texts[name] += text;
    },
  });
  const session: Session = {
    input: { kind: 'terminal', stream: () => Readable.from([]), read: async () => new Uint8Array() },
    openTerminal: () => undefined,
    out: output('out', outIsTerminal),
    err: output('err', errIsTerminal),
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
    onAbruptEnd: () => () => undefined,
    ...more,
  };
  return { session, texts };
}
