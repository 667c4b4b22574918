import { UsageError } from './errors.ts';
import { Interrupted } from './exit.ts';
import type { CommandContext } from './command-context.ts';
import type { Terminal } from './terminal.ts';
import { displayWidth } from './text.ts';

export interface Prompter {
  /** Returns the line that is typed; `undefined` at the end of the terminal, or on Ctrl-D. @throws {Interrupted} on Ctrl-C. */
  ask(question: string): Promise<string | undefined>;
  /** Drops what was typed so far: an answer to a question that could not have been read yet. */
  discardTyped(): Promise<void>;
}

/** Keys that move the cursor and the like. */
// eslint-disable-next-line no-control-regex -- control characters are what this finds
const ESCAPE_SEQUENCE = /\u001b(?:\[[\d;?]*[ -/]*[@-~]|O.|.)?/gu;

/** Creates a {@link Prompter}. A line that is typed before its question answers it. */
function createPrompter(terminal: Terminal, signal: AbortSignal): Prompter {
  const pending: string[] = [];
  let isEnded = false;
  let onChange = (): void => undefined;
  terminal.onInput((text) => {
    pending.push(...text.replaceAll('\r\n', '\n').replaceAll(ESCAPE_SEQUENCE, ''));
    onChange();
  });
  terminal.onEnd(() => {
    isEnded = true;
    onChange();
  });
  signal.addEventListener('abort', () => onChange(), { once: true });

  const ask: Prompter['ask'] = (question) => {
    terminal.write(question);
    let line = '';
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void): void => {
        onChange = () => undefined;
        terminal.write('\r\n');
        settled();
      };
      const take = (key: string): boolean => {
        if (key === '\u0003') settle(() => reject(new Interrupted('SIGINT')));
        else if (key === '\u0004') settle(() => resolve(undefined));
        else if (key === '\r' || key === '\n') settle(() => resolve(line));
        else if (key === '\u007f' || key === '\b') erase();
        else if (key >= ' ') type(key);
        return '\u0003\u0004\r\n'.includes(key);
      };
      // The terminal does not echo the keys.
      const type = (key: string): void => {
        line += key;
        terminal.write(key);
      };
      const erase = (): void => {
        const last = [...line].at(-1);
        if (last === undefined) return;
        line = line.slice(0, -last.length);
        terminal.write('\b \b'.repeat(displayWidth(last)));
      };
      onChange = (): void => {
        if (signal.aborted) return settle(() => reject(signal.reason));
        for (let key = pending.shift(); key !== undefined; key = pending.shift()) if (take(key)) return;
        if (isEnded) settle(() => resolve(undefined));
      };
      onChange();
    });
  };
  const discardTyped = async (): Promise<void> => {
    // Input that waits in the terminal arrives within a few turns of the event loop.
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    const isInterrupted = pending.includes('\u0003');
    pending.length = 0;
    if (isInterrupted) pending.push('\u0003');
  };
  return { ask, discardTyped };
}

/** Asks a question. `y` and Enter is a yes, any other answer a no. Returns `undefined` at the end of the terminal, or on Ctrl-D. */
export async function askYesNo(prompter: Prompter, question: string): Promise<boolean | undefined> {
  const answer = await prompter.ask(`${question} [y/N] `);
  return answer === undefined ? undefined : /^\s*y(?:es)?\s*$/iu.test(answer);
}

/** Asks until an answer can be read. @throws {UsageError} at the end of the terminal. */
export async function askUntil<T>(
  prompter: Prompter,
  question: string,
  read: (answer: string) => T | undefined,
): Promise<T> {
  for (;;) {
    const answer = await prompter.ask(question);
    if (answer === undefined) throw new UsageError('the questions were not answered', 'run the command again');
    const value = read(answer.trim());
    if (value !== undefined) return value;
  }
}

/** Asks the person at the terminal. Returns `undefined` without calling `use` when no person can answer. */
export async function askPerson<T>(
  context: CommandContext,
  use: (prompter: Prompter, terminal: Terminal) => Promise<T>,
): Promise<T | undefined> {
  const terminal = context.input.kind === 'terminal' && context.err.isTerminal ? context.openTerminal() : undefined;
  if (!terminal) return undefined;
  const forget = context.onAbruptEnd(() => terminal.close(''));
  try {
    return await use(createPrompter(terminal, context.signal), terminal);
  } finally {
    forget();
    terminal.close('');
  }
}
