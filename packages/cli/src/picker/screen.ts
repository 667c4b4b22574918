import type { Terminal } from '../terminal/terminal.ts';

// The alternate screen, no line wrap, and marks around pasted text.
const enter = '\u001b[?1049h\u001b[?7l\u001b[?2004h\u001b[2J';
export const farewell = '\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';
const [hold, release] = ['\u001b[?2026h\u001b[?25l', '\u001b[?25h\u001b[?2026l'];

/** One text per row, and the position of the cursor, from 0. */
export interface Frame {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** Draws frames. Writes only the rows that differ from the last frame. */
export class Screen {
  readonly #terminal: Terminal;
  #shown: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.write(enter);
  }

  draw({ rows, cursor }: Frame): void {
    let text = hold;
    for (const [index, row] of rows.entries()) {
      // Erasing comes first: after a row that fills the last column it would erase that.
      if (this.#shown[index] !== row) text += `\u001b[${index + 1};1H\u001b[K${row}\u001b[0m`;
    }
    this.#shown = rows;
    this.#terminal.write(`${text}\u001b[${cursor.row + 1};${cursor.column + 1}H${release}`);
  }

  /** Makes the next frame write every row. */
  forget(): void {
    this.#shown = [];
    this.#terminal.write('\u001b[2J');
  }

  close(): void {
    this.#terminal.close(farewell);
  }
}
