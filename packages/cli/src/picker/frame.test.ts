import { describe, expect, test } from 'vitest';
import { createPaint } from '../terminal/output.ts';
import { displayWidth } from '../terminal/text.ts';
import { frameOf, type PickView } from './frame.ts';
import type { PickItem, PickMode } from './source.ts';

const paint = createPaint(false);

function view(changes: Partial<PickView> = {}): PickView {
  return {
    mode: 'find',
    query: '',
    canSwitch: true,
    items: [],
    selected: 0,
    top: 0,
    summary: '7 paths',
    preview: undefined,
    ...changes,
  };
}

/** The rows of a frame without preview: the prompt, the list and the keys. */
function rowsOf(shown: PickView, columns: number): readonly string[] {
  return frameOf(shown, { columns, rows: 4, paint }).rows;
}

const line: PickItem = {
  path: 'packages/natives/src/fuzzy-find.ts',
  shownPath: 'packages/natives/src/fuzzy-find.ts',
  isDirectory: false,
  lineNumber: 120,
  text: `${'x'.repeat(300)}needle${'y'.repeat(300)}`,
  ranges: [{ start: 300, end: 306 }],
};

describe('the last row', () => {
  const modes: readonly PickMode[] = ['find', 'grep'];

  test.each(modes)('has the most words about the keys that fit, in the mode %s', (mode) => {
    const seen = new Set<string>();
    for (let columns = 1; columns <= 120; columns++) {
      const row = rowsOf(view({ mode }), columns).at(-1) ?? '';
      expect(displayWidth(row), `${columns} columns`).toBeLessThanOrEqual(columns);
      expect(row.endsWith('Esc leave'), `${columns} columns`).toBe(columns >= 18);
      seen.add(row.slice('7 paths'.length).trim());
    }
    const [switchText, short] = mode === 'find' ? ['search in files', 'lines'] : ['search for paths', 'paths'];
    expect([...seen].filter((keys) => keys.endsWith('leave'))).toEqual([
      'Esc leave',
      `Tab ${short}  Esc leave`,
      `Enter choose  Tab ${short}  Esc leave`,
      `Enter choose  Tab ${switchText}  Esc leave`,
    ]);
  });

  test('has no key for files when the names come from a list', () => {
    expect(rowsOf(view({ canSwitch: false }), 80).at(-1)).toMatch(/^7 paths +Enter choose {2}Esc leave$/u);
  });

  test('keeps the summary before the keys', () => {
    const summary = '500 of 100,101 paths, 3 unreadable';
    expect(rowsOf(view({ summary }), 50).at(-1)).toBe(`${summary}${' '.repeat(7)}Esc leave`);
    expect(rowsOf(view({ summary }), 20).at(-1)).toBe('500 of 100,101 path…');
  });
});

describe('a row of a line', () => {
  test('shows the path, the number and the match of a long line at every width', () => {
    for (let columns = 60; columns <= 200; columns++) {
      const row = rowsOf(view({ mode: 'grep', items: [line] }), columns)[1] ?? '';
      expect(displayWidth(row), `${columns} columns`).toBeLessThanOrEqual(columns);
      expect(row, `${columns} columns`).toMatch(/fuzzy-find\.ts:120: … x+needle.* …$/u);
    }
    expect(rowsOf(view({ mode: 'grep', items: [line] }), 100)[1]).toContain(`> ${line.shownPath}:120: … x`);
  });

  test('cuts a long path at its start, down to the path alone', () => {
    const items = [{ ...line, text: 'needle', ranges: [{ start: 0, end: 6 }] }];
    expect(rowsOf(view({ items }), 80)[1]).toBe(`> ${line.shownPath}:120: needle`);
    expect(rowsOf(view({ items }), 30)[1]).toBe('> …c/fuzzy-find.ts:120: needle');
    expect(rowsOf(view({ items: [line] }), 16)[1]).toBe('> …find.ts:120: ');
    for (let columns = 3; columns < 60; columns++) {
      for (const item of [line, ...items]) {
        const row = rowsOf(view({ items: [item] }), columns)[1] ?? '';
        expect(displayWidth(row), `${columns} columns`).toBeLessThanOrEqual(columns);
      }
    }
  });

  test('marks the match also after a path with control characters', () => {
    const colored = createPaint(true);
    const items = [{ ...line, shownPath: 'a\nb', text: 'a needle', ranges: [{ start: 2, end: 8 }] }];
    const row = frameOf(view({ items, selected: 1 }), { columns: 80, rows: 4, paint: colored }).rows[1];
    expect(row).toBe(`  ${String.raw`a\nb`}:120: a ${colored.hit('needle')}`);
  });
});
