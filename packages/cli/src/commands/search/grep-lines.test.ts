import { describe, expect, test } from 'vitest';
import type { GrepMatch } from '@cairn/natives';
import { ContentPrinter, fileLines, type GrepForm } from './grep-lines.ts';
import { createPaint } from '../../terminal/output.ts';

const plain: GrepForm = {
  paint: createPaint(false),
  isTerminal: false,
  heading: false,
  path: true,
  lineNumber: true,
  column: false,
  onlyMatching: false,
  eachMatch: false,
  joinsLines: false,
  nul: false,
  hasContext: false,
};
const terminal: GrepForm = { ...plain, isTerminal: true, heading: true };
const asIs = (path: string): string => path;

function match(path: string, lineNumber: number, line: string, more: Partial<GrepMatch> = {}): GrepMatch {
  return { path, lineNumber, line, ...more };
}

function lineAt(lineNumber: number): { lineNumber: number; line: string } {
  return { lineNumber, line: `line ${lineNumber}` };
}

function shown(matches: readonly GrepMatch[], form: GrepForm): string {
  return [...new ContentPrinter(form).lines(matches, asIs)].join('\n');
}

describe('content', () => {
  test('no match prints nothing', () => {
    expect(shown([], plain)).toBe('');
    expect(shown([], terminal)).toBe('');
  });

  test('piped, each line has its path and number', () => {
    expect(shown([match('a', 1, 'x'), match('a', 9, 'y'), match('b', 2, 'z')], plain)).toBe('a:1:x\na:9:y\nb:2:z');
  });

  test('in a terminal, each file has one heading and an empty line before the next', () => {
    expect(shown([match('a', 1, 'x'), match('a', 9, 'y'), match('b', 2, 'z')], terminal)).toBe('a\n1:x\n9:y\n\nb\n2:z');
  });

  const context = { ...plain, hasContext: true };

  test('context lines have a dash, and a gap is shown', () => {
    const matches = [
      match('a', 2, 'x', { contextBefore: [lineAt(1)], contextAfter: [lineAt(3)] }),
      match('a', 7, 'y', { contextBefore: [lineAt(6)], contextAfter: [lineAt(8)] }),
    ];
    expect(shown(matches, context)).toBe('a-1-line 1\na:2:x\na-3-line 3\n--\na-6-line 6\na:7:y\na-8-line 8');
  });

  test('context between two matches that follow each other has no gap', () => {
    const matches = [
      match('a', 2, 'x', { contextAfter: [lineAt(3)] }),
      match('a', 4, 'y', { contextAfter: [lineAt(5)] }),
    ];
    expect(shown(matches, context)).toBe('a:2:x\na-3-line 3\na:4:y\na-5-line 5');
  });

  test('piped context is separated between files, headings need no separator', () => {
    const matches = [match('a', 1, 'x'), match('b', 2, 'y')];
    expect(shown(matches, context)).toBe('a:1:x\n--\nb:2:y');
    expect(shown(matches, { ...terminal, hasContext: true })).toBe('a\n1:x\n\nb\n2:y');
  });

  const colored = createPaint(true);
  const hit = (text: string): string => colored.hit(text);

  test('hits are highlighted', () => {
    const style = { ...plain, paint: { ...createPaint(false), isColored: true, hit } };
    expect(
      shown(
        [
          match('a', 1, 'one two one', {
            submatches: [
              { start: 0, end: 3 },
              { start: 8, end: 11 },
            ],
          }),
        ],
        style,
      ),
    ).toBe(`a:1:${hit('one')} two ${hit('one')}`);
  });

  test('a piped line is raw, a terminal gets it escaped and without the CR of its line end; the path is quoted', () => {
    const matches = [match('a\nb', 1, '\u001b[2J\r')];
    expect(shown(matches, plain)).toBe('"a\\nb":1:\u001b[2J\r');
    expect(shown(matches, terminal)).toBe('"a\\nb"\n1:\\u001b[2J');
  });

  test('a line over the columns is cut around its hit and counted, in a terminal only', () => {
    const long = match('a', 1, `${'x'.repeat(500)}hit${'y'.repeat(500)}`, { submatches: [{ start: 500, end: 503 }] });
    const printer = new ContentPrinter({ ...terminal, columns: 24 });
    expect([...printer.lines([long], asIs)]).toEqual(['a', '1:… xxxxhityyyyyyyyyyy …']);
    expect(printer.linesCut).toBe(1);
    expect(shown([long], plain)).toHaveLength(1007);
  });

  test('a line that was cut before is marked in a terminal', () => {
    expect(shown([match('a', 1, 'begin', { truncated: true })], terminal)).toBe('a\n1:begin …');
    expect(shown([match('a', 1, 'begin', { truncated: true })], plain)).toBe('a:1:begin');
  });
});

test('files are printed with their count when they have one', () => {
  expect([...fileLines([match('a', 0, '', { matchCount: 3 }), match('b', 0, '')], plain, asIs)]).toEqual(['a:3', 'b']);
});

describe('forms', () => {
  const hits = [
    { start: 2, end: 5 },
    { start: 6, end: 9 },
  ];
  const twice = match('a', 1, 'é foo foo', { submatches: hits });

  test('a column is that of the first match, in bytes', () => {
    expect(shown([twice], { ...plain, column: true })).toBe('a:1:4:é foo foo');
    expect(shown([match('a', 1, 'inverted', { submatches: [] })], { ...plain, column: true })).toBe('a:1:inverted');
  });

  test('each match has its own line, whole or alone', () => {
    expect(shown([twice], { ...plain, column: true, eachMatch: true })).toBe('a:1:4:é foo foo\na:1:8:é foo foo');
    expect(shown([twice], { ...plain, onlyMatching: true })).toBe('a:1:foo\na:1:foo');
  });

  test('replacements take the place of the matches, and columns are those of the new line', () => {
    const replaced = { ...twice, submatches: hits.map((hit) => ({ ...hit, replacement: 'üü' })) };
    expect(shown([replaced], plain)).toBe('a:1:é üü üü');
    expect(shown([replaced], { ...plain, onlyMatching: true, column: true })).toBe('a:1:4:üü\na:1:9:üü');
  });

  test('a binary file has no line', () => {
    const binary = match('a', 0, '', { binary: true });
    expect(shown([binary], plain)).toBe('a: binary file matches');
    expect(shown([binary], terminal)).toBe('a\nbinary file matches');
  });

  test('a NUL after a path takes the place of its separator, and the path is as it is in a pipe', () => {
    const odd = match('a\nb', 1, 'x');
    expect(shown([odd], { ...plain, nul: true })).toBe('a\nb\x001:x');
    expect(shown([odd], { ...plain, nul: true, heading: true })).toBe('a\nb\x001:x');
    expect(shown([odd], { ...plain, nul: true, isTerminal: true })).toBe('"a\\nb"\x001:x');
  });

  test.each([plain, terminal, { ...plain, hasContext: true }, { ...terminal, hasContext: true }])(
    'parts of a result give the lines of the whole (%#)',
    (form) => {
      const matches = [
        match('a', 2, 'x', { contextBefore: [lineAt(1)], contextAfter: [lineAt(3)] }),
        match('a', 4, 'x'),
        match('a', 9, 'x', { contextBefore: [lineAt(8)] }),
        match('b', 1, 'x', { contextAfter: [lineAt(2)] }),
        match('c', 1, 'x'),
      ];
      const whole = shown(matches, form);
      for (let cut = 0; cut <= matches.length; cut += 1) {
        const printer = new ContentPrinter(form);
        const parts = [matches.slice(0, cut), matches.slice(cut)];
        expect(parts.flatMap((part) => [...printer.lines(part, asIs)]).join('\n')).toBe(whole);
      }
    },
  );

  test('a file that is searched twice has its heading twice', () => {
    const printer = new ContentPrinter(terminal);
    const root = (path: string): string => `r/${path}`;
    const lines = [...printer.lines([match('a', 1, 'x')], asIs), ...printer.lines([match('a', 1, 'x')], root)];
    expect(lines).toEqual(['a', '1:x', '', 'r/a', '1:x']);
  });
});
