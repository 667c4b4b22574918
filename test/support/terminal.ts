import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { cairnEntry, cleanEnv } from './cli.ts';
import { temporaryDirectory } from './tree.ts';

/** What a command left behind. */
interface TerminalEnd {
  readonly exitCode: number;
  /** What it wrote to standard output, which is not the terminal. */
  readonly stdout: string;
}

/** A command in a real terminal, and what is to be seen there. */
export interface TerminalRun {
  /** The rows, without whitespace at their ends. */
  rows(): string[];
  /** The texts in a row that are shown bold and red, as matches are. */
  hits(row: number): string;
  readonly cursor: { readonly row: number; readonly column: number };
  /** Whether the other screen is shown, which leaves the scrollback alone. */
  isOnOtherScreen(): boolean;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the screen is as wanted, which is checked after every write. */
  until(isWanted: (rows: string[]) => boolean, what: string): Promise<string[]>;
  readonly end: Promise<TerminalEnd>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell command that gets `$CAIRN` and the arguments as `"$@"`; standard output goes to `$OUT`. */
  readonly script?: string;
}

const defaultScript = 'exec "$NODE" "$CAIRN" "$@" > "$OUT"';

/** How long a screen may take to be as wanted before the test reports the screen as it is. */
const MAX_WAIT_MS = 100_000;
/** How long the last output of a process may take after its end. */
const LAST_OUTPUT_MS = 50;

/** Runs `cairn` in a pseudo-terminal of 80 columns and 24 rows. Its standard output goes to a file. */
export function runInTerminal(args: readonly string[], options: TerminalOptions): TerminalRun {
  const { cwd, columns = 80, rows = 24, script = defaultScript } = options;
  const directory = temporaryDirectory();
  const out = join(directory, 'stdout');
  const env = cleanEnv({
    TERM: 'xterm-256color',
    TMPDIR: directory,
    NODE: process.execPath,
    CAIRN: cairnEntry,
    OUT: out,
    ...options.env,
  });
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], { cols: columns, rows, cwd, env });
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  let watchers: (() => void)[] = [];
  let isRunning = true;
  let isComplete = false;
  child.onData((data) => screen.write(data, () => watchers.forEach((check) => check())));
  // The terminal's answers to questions go back to the command.
  screen.onData((data) => child.write(data));
  const end = new Promise<TerminalEnd>((resolve) => {
    child.onExit(({ exitCode }) => {
      isRunning = false;
      const finish = (): void => {
        isComplete = true;
        watchers.forEach((check) => check());
        resolve({ exitCode, stdout: existsSync(out) ? readFileSync(out, 'utf8') : '' });
      };
      // The end of the process can come before its last output, and the screen takes output in its own time.
      setTimeout(() => screen.write('', finish), LAST_OUTPUT_MS);
    });
  });
  onTestFinished(async () => {
    if (isRunning) child.kill('SIGKILL');
    await end;
    screen.dispose();
  });
  const lineAt = (row: number): ReturnType<typeof screen.buffer.active.getLine> =>
    screen.buffer.active.getLine(screen.buffer.active.viewportY + row);
  const shownRows = (): string[] =>
    Array.from({ length: screen.rows }, (_, row) => lineAt(row)?.translateToString(true).trimEnd() ?? '');
  return {
    rows: shownRows,
    hits: (row) => {
      const line = lineAt(row);
      let text = '';
      for (let column = 0; column < screen.cols; column++) {
        const cell = line?.getCell(column);
        if (cell && cell.isBold() !== 0 && cell.isFgPalette() && cell.getFgColor() === 1) text += cell.getChars();
      }
      return text;
    },
    get cursor() {
      return { row: screen.buffer.active.cursorY, column: screen.buffer.active.cursorX };
    },
    isOnOtherScreen: () => screen.buffer.active.type === 'alternate',
    type: (text) => child.write(text),
    resize: (newColumns, newRows) => {
      screen.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    kill: (signal) => child.kill(signal),
    until: (isWanted, what) =>
      new Promise((resolve, reject) => {
        const settle = (settled: () => void): void => {
          clearTimeout(timer);
          watchers = watchers.filter((other) => other !== check);
          settled();
        };
        const check = (): void => {
          const seen = shownRows();
          if (isWanted(seen)) settle(() => resolve(seen));
          else if (isComplete) settle(() => reject(new Error(`it ended before ${what}:\n${seen.join('\n')}`)));
        };
        const timer = setTimeout(() => {
          settle(() => reject(new Error(`not seen: ${what}\n${shownRows().join('\n')}`)));
        }, MAX_WAIT_MS);
        watchers.push(check);
        check();
      }),
    end,
  };
}
