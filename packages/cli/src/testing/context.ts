import { Readable } from 'node:stream';
import type { CommandContext } from '../terminal/command-context.ts';

export interface RecordedOptions extends Partial<CommandContext> {
  /** Whether standard output, or standard error, is a terminal. @default false */
  readonly outIsTerminal?: boolean | undefined;
  readonly errIsTerminal?: boolean | undefined;
  /** Columns of both. @default 100 */
  readonly width?: number | undefined;
}

export interface RecordedContext {
  readonly context: CommandContext;
  readonly texts: { out: string; err: string };
}

/** Makes a context in `/` with an empty environment. Standard input is a terminal without text. */
export function recordedContext({
  outIsTerminal = false,
  errIsTerminal = false,
  width = 100,
  ...more
}: RecordedOptions = {}): RecordedContext {
  const texts = { out: '', err: '' };
  const output = (name: 'out' | 'err', isTerminal: boolean): CommandContext['out'] => ({
    isTerminal,
    width,
    write: async (text) => {
      texts[name] += text;
    },
  });
  const context: CommandContext = {
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
  return { context, texts };
}
