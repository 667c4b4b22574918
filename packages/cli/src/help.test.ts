import { expect, test } from 'vitest';
import { neededCommands } from './registry.ts';
import { run } from './run.ts';
import { displayWidth } from './terminal/text.ts';
import { recordedContext } from './testing/context.ts';

/** Returns the output of a command line to a terminal of this width, or to a pipe. */
async function textOf(args: readonly string[], width: number, isTerminal: boolean = true): Promise<string> {
  const terminals = { outIsTerminal: isTerminal, errIsTerminal: isTerminal };
  const { context, texts } = recordedContext({ ...terminals, width, env: { NO_COLOR: '1' } });
  await run(args, context);
  return texts.out + texts.err;
}

/** The words of a text, without the ends of broken commands. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/ \\$/gmu, '')
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** Returns the rows that are too wide although they could be broken between words or outside of quotes. */
function wideRows(text: string, width: number): string[] {
  return text.split('\n').filter((row) => {
    const units = row.match(/'[^']*'[^ ]*|"[^"]*"[^ ]*|[^ ]+/gu) ?? [];
    const isOneWord = units.filter((unit) => unit !== '$' && unit !== '\\').length <= 1;
    return displayWidth(row) > width && !isOneWord;
  });
}

const commandLines = ['', ...neededCommands([])];
const topics = ['ripgrep', 'fd', 'fzf'];
const widths = [20, 27, 33, 41, 60, 80, 97, 110];

test.each([...commandLines.map((line) => `${line} --help`), ...topics.map((topic) => `help ${topic}`)])(
  'no word of `cairn %s` is broken in a terminal of 20 to 110 columns',
  async (command) => {
    const args = command.split(' ').filter((word) => word !== '');
    for (const width of widths) {
      const shown = await textOf(args, width);
      const whole = await textOf(args, width, false);
      expect(wordsOf(shown), `${width} columns`).toEqual(wordsOf(whole));
      expect(wideRows(shown, width), `${width} columns`).toEqual([]);
    }
  },
);

test.each(['grep --zzz', 'grep', 'find x --limit many', 'grep -z x', 'gerp', 'pick', 'help nothing'])(
  'no word of the error of `cairn %s` is broken in a terminal of 20 to 110 columns',
  async (line) => {
    for (const width of widths) {
      const shown = await textOf(line.split(' '), width);
      expect(wordsOf(shown), `${width} columns`).toEqual(wordsOf(await textOf(line.split(' '), width, false)));
      expect(wideRows(shown, width), `${width} columns`).toEqual([]);
      // In a pipe, an error is one line.
      expect((await textOf(line.split(' '), width, false)).trimEnd()).not.toContain('\n');
    }
  },
);
