import { Interrupted } from './exit.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks a question. `y` and Enter is a yes; any other answer and the end of the terminal is a no.
 *
 * @throws {Interrupted} on Ctrl-C.
 */
export async function askYesNo(terminal: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  terminal.write(`${question} [y/N] `);
  let answer = '';
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      terminal.write('\r\n');
      settled();
    };
    const onAbort = (): void => settle(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    terminal.onEnd(() => settle(() => resolve(false)));
    terminal.onInput((text) => {
      // Keys may arrive one by one or several at once. The terminal does not echo them.
      for (const key of text) {
        if (key === '\u0003') settle(() => reject(new Interrupted('SIGINT')));
        else if (key === '\u0004') settle(() => resolve(false));
        else if (key === '\r' || key === '\n') settle(() => resolve(/^\s*y(?:es)?\s*$/iu.test(answer)));
        else if (key === '\u007f' || key === '\b') erase();
        else if (key >= ' ') type(key);
        if ('\u0003\u0004\r\n'.includes(key)) return;
      }
    });
    const type = (key: string): void => {
      answer += key;
      terminal.write(key);
    };
    const erase = (): void => {
      if (answer === '') return;
      answer = [...answer].slice(0, -1).join('');
      terminal.write('\b \b');
    };
  });
}
