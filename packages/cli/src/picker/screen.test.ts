import { expect, test } from 'vitest';
import type { Terminal } from '../terminal/terminal.ts';
import { Screen } from './screen.ts';

test('a row that fills the terminal keeps its last column: terminals erase it after the row is written', () => {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  const screen = new Screen({ write } as Terminal);
  written = '';
  screen.draw({ rows: ['12345678'], cursor: { row: 0, column: 0 } });
  const [, afterRow = ''] = written.split('12345678');
  expect(afterRow).not.toContain('\u001b[K');
  expect(written).toContain('\u001b[K12345678');
});
