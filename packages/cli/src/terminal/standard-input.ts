import type { Readable } from 'node:stream';
import type { Input } from './input.ts';
import type { CommandContext } from './command-context.ts';

/** The path that stands for names or text on standard input. */
export const STANDARD_INPUT = '-';

/** Only a longer wait is reported. A socket without data by then has none to read. */
const WAIT_MS = 100;

/** What a command without paths works on. */
export interface InputChoice {
  /** Standard input; absent when the command searches files. */
  readonly input?: Readable;
  readonly notices: readonly string[];
}

type Arrival = 'data' | 'end' | 'nothing yet';

/** Waits for the first byte or the end. `onWait` is called when the wait is long; it can end it. */
async function arrivalOf(stream: Readable, onWait: (stop: () => void) => void): Promise<Arrival> {
  return new Promise((resolve, reject) => {
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // On a busy machine the data may have arrived, and is read next.
      immediate = setImmediate(() => onWait(() => resolve('nothing yet')));
    }, WAIT_MS);
    const stopWaiting = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
    stream.once('readable', () => {
      stopWaiting();
      resolve(stream.readableLength > 0 ? 'data' : 'end');
    });
    stream.once('error', (error) => {
      stopWaiting();
      reject(error);
    });
  });
}

/** Returns standard input when its first byte has arrived, or its end. A wait is reported; `instead` ends that sentence. */
export async function openStandardInput(
  context: CommandContext,
  instead: string,
): Promise<{ readonly input: Readable; readonly isEmpty: boolean }> {
  const input = context.input.stream();
  const arrival = await arrivalOf(input, () => {
    // The command goes on when its notes have no reader.
    context.err.write(`cairn: waiting for standard input; ${instead}\n`).catch(() => undefined);
  });
  return { input, isEmpty: arrival === 'end' };
}

/**
 * Decides whether a command without paths works on standard input. A pipe or a file is one that the user gave to the command. A
 * socket may be one that a program opened for each of its child processes, so it counts only if data arrives within 100 ms.
 *
 * @param instead how to search files instead, as the end of a sentence: "to search files, add a path, such as ."
 */
export async function chooseInput(context: CommandContext, instead: string): Promise<InputChoice> {
  const kinds: readonly Input['kind'][] = ['pipe', 'file'];
  if (kinds.includes(context.input.kind)) {
    const { input, isEmpty } = await openStandardInput(context, instead);
    return { input, notices: isEmpty ? [`standard input was empty; ${instead}`] : [] };
  }
  if (context.input.kind !== 'socket') return { notices: [] };
  const input = context.input.stream();
  const arrival = await arrivalOf(input, (stop) => stop());
  if (arrival === 'data') return { input, notices: [] };
  input.destroy();
  const isOpen = arrival === 'nothing yet';
  return { notices: isOpen ? ['standard input had no data within 100 ms, so files were searched; use - to wait'] : [] };
}
