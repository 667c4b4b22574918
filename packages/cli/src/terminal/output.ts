import { OutputError } from './errors.ts';
import { BrokenPipe } from './exit.ts';

export type ColorMode = 'auto' | 'always' | 'never';
export const colorModes: readonly ColorMode[] = ['auto', 'always', 'never'];

export type Environment = Readonly<Record<string, string | undefined>>;

export interface TextStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string, done: (error?: Error | null) => void): unknown;
}

export interface Output {
  /** Whether it is a terminal: names are escaped, results get headings and fit the width. */
  readonly isTerminal: boolean;
  /** Columns of the terminal, now; 80 when there is none. */
  readonly width: number;
  /** Why the output was lost. Set only for a command that goes on without it. */
  readonly failure?: Error | undefined;
  /** Resolves when the text is written. @throws BrokenPipe when the reader closed the pipe */
  write(text: string): Promise<void>;
}

const defaultWidth = 80;

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}

export function createOutput(stream: TextStream): Output {
  return {
    isTerminal: stream.isTTY === true,
    get width(): number {
      return stream.columns !== undefined && stream.columns > 0 ? stream.columns : defaultWidth;
    },
    write(text: string): Promise<void> {
      if (text === '') return Promise.resolve();
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          // Node writes to pipes and terminals without returning to its event loop; a Ctrl-C is seen only there.
          if (!error) setImmediate(resolve);
          else if (isBrokenPipe(error)) reject(new BrokenPipe('the reader closed the pipe', { cause: error }));
          else reject(new OutputError(`cannot write the output: ${error.message}`, { cause: error }));
        });
      });
    },
  };
}

/** Characters gathered before they are handed on: large enough that 100,000 lines are few writes. */
const chunkLength = 1 << 16;

export type LineEnd = '\n' | '\0';

/** Writes lines, each with its end, in large chunks. Stops between two chunks when `signal` is aborted. */
export async function writeLines(
  output: Output,
  lines: Iterable<string>,
  signal: AbortSignal,
  end: LineEnd = '\n',
): Promise<void> {
  let chunk = '';
  for (const line of lines) {
    chunk += line + end;
    if (chunk.length < chunkLength) continue;
    signal.throwIfAborted();
    await output.write(chunk);
    chunk = '';
  }
  signal.throwIfAborted();
  await output.write(chunk);
}

const colorCodes = {
  title: '1',
  path: '35',
  directory: '34',
  link: '36',
  lineNumber: '32',
  hit: '1;31',
  dim: '2',
  number: '1;33',
  added: '32',
  removed: '31',
} as const;

/** Colours by meaning. Without colour every function returns its text unchanged. */
export type Paint = Readonly<Record<keyof typeof colorCodes, (text: string) => string>> & {
  readonly isColored: boolean;
};

const reset = '\u001b[0m';

function painter(isColored: boolean, codes: string): (text: string) => string {
  return isColored ? (text) => (text === '' ? text : `\u001b[${codes}m${text}${reset}`) : (text) => text;
}

/** Whether to use colour: the option first, then FORCE_COLOR (`0` and `false` turn it off), NO_COLOR, and the terminal. */
export function usesColor(mode: ColorMode, isTerminal: boolean, env: Environment): boolean {
  if (mode !== 'auto') return mode === 'always';
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
}

export function createPaint(isColored: boolean): Paint {
  const painters = Object.entries(colorCodes).map(([name, codes]) => [name, painter(isColored, codes)] as const);
  return { ...(Object.fromEntries(painters) as Omit<Paint, 'isColored'>), isColored };
}
