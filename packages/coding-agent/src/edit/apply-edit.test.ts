import { ToolError } from '@cairn/tool';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from './apply-edit.ts';
import type { TextDocument } from './document.ts';
import type { TextEdit } from './found.ts';
import { diffOfSplices, diffOfTexts } from './diff.ts';
import { encodingFor } from './encoding.ts';
import type { Tier } from './find-text.ts';

function document(content: string | Uint8Array): { bytes: Buffer; encoding: ReturnType<typeof encodingFor> } {
  const bytes = Buffer.from(content as Uint8Array);
  return { bytes, encoding: encodingFor(bytes) };
}

function edited(content: string, ...edits: TextEdit[]): string {
  return Buffer.concat(applyEdits(document(content), edits, 'file').parts).toString();
}

function failure(content: string, ...edits: TextEdit[]): ToolError {
  try {
    applyEdits(document(content), edits, 'file');
  } catch (error) {
    if (ToolError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('the edit was applied');
}

type Row = readonly [reason: string, content: string, oldText: string, newText: string, expected: string, tier: Tier];

const rows: readonly Row[] = [
  ['a word', 'one two three', 'two', '2', 'one 2 three', 'exact'],
  ['$ in a replacement is literal', 'price: 5', '5', "$& $1 $' $$", "price: $& $1 $' $$", 'exact'],
  ['CRLF is kept and taken by new lines', 'a\r\nb\r\nc\r\n', 'b', 'b\nx', 'a\r\nb\r\nx\r\nc\r\n', 'exact'],
  ['LF in the text finds CRLF in the file', 'a\r\nb\r\nc', 'a\nb', 'a\nB', 'a\r\nB\r\nc', 'exact'],
  ['CRLF in the text finds LF in the file', 'a\nb\nc', 'a\r\nb', 'A\r\nb', 'A\nb\nc', 'exact'],
  ['the longest line is not the first', 'a\r\nbcd\r\ne', 'a\nbcd', 'a\nB', 'a\r\nB\r\ne', 'exact'],
  ['mixed line ends stay where they are', 'a\r\nb\nc\r\nd\n', 'a\nb\nc', 'a\nB\nc', 'a\r\nB\nc\r\nd\n', 'exact'],
  ['a line put among mixed ends takes its neighbour', 'a\r\nb\nc\n', 'b\nc', 'b\nx\nc', 'a\r\nb\nx\nc\n', 'exact'],
  [
    'a line that stays keeps its line end',
    'a\r\nb\nc\r\nd',
    'a\nb\nc\nd',
    'x\na\nb\ny\nd',
    'x\r\na\r\nb\ny\r\nd',
    'exact',
  ],
  ['a last line without an end keeps none', 'a\nlast', 'last', 'end', 'a\nend', 'exact'],
  [
    'a line after a last one takes the line end before it',
    'a\r\nlast',
    'last',
    'last\nmore',
    'a\r\nlast\r\nmore',
    'exact',
  ],
  ['a byte order mark stays', '\ufeffone', 'one', 'two', '\ufefftwo', 'exact'],
  ['a text of line endings alone', 'a\n\n\nb', '\n\n\n', '\n', 'a\nb', 'exact'],
  ['a line is removed with its end', 'a\nb\nc\n', 'b\n', '', 'a\nc\n', 'exact'],
  ['trailing whitespace elsewhere stay', 'a  \nb\nc\t\n', 'b', 'B', 'a  \nB\nc\t\n', 'exact'],
  ['trailing whitespace of the file', 'a  \nb\t\nc', 'a\nb\nc', 'a\nB\nc', 'a  \nB\nc', 'trailing-blanks'],
  ['trailing whitespace further down', 'x\na  \nb\t\nc\n', 'a\nb\nc', 'a\nb\nC', 'x\na  \nb\t\nC\n', 'trailing-blanks'],
  ['lines before and after a last one', '  a  ', 'a\n', '\na\nb\n', '\n  a  \n  b', 'indentation'],
  ['trailing whitespace of the text', 'a\nb\nc', 'a  \nb ', 'a\nB', 'a\nB\nc', 'trailing-blanks'],
  ['a final line end that the file lacks', 'a\nlast', 'last\n', 'end\n', 'a\nend', 'trailing-blanks'],
  [
    'spaces of a line before are not put before the rest of a line',
    'x  \na \ny\n',
    '\na\n',
    'b\n',
    'xb\ny\n',
    'trailing-blanks',
  ],
  ['curly quotes', 'say \u201chi\u201d\nend', 'say "hi"', 'say "ho"', 'say "ho"\nend', 'unicode'],
  [
    'curly quotes in a line that is kept',
    'x \u2018y\u2019\nz',
    "x 'y'\nz",
    "x 'y'\nZ",
    'x \u2018y\u2019\nZ',
    'unicode',
  ],
  ['dashes and spaces', 'a\u2014b\u00a0c', 'a-b c', 'd', 'd', 'unicode'],
  ['a decomposed accent in the file', 'cafe\u0301 au lait', 'caf\u00e9', 'tea', 'tea au lait', 'unicode'],
  ['a decomposed accent at the end of a line', 'a cafe\u0301\nb', 'caf\u00e9', 'tea', 'a tea\nb', 'unicode'],
  ['a composed accent in the file', 'caf\u00e9 au lait', 'cafe\u0301 au', 'tea au', 'tea au lait', 'unicode'],
  ['indentation that was left out', '    a\n      b\n', 'a\n  b\n', 'a\n  c\n', '    a\n      c\n', 'indentation'],
  [
    'deeper in the file',
    'x\n    a {\n      b\n',
    '  a {\n    b\n',
    '  a {\n    c\n      d\n',
    'x\n    a {\n      c\n        d\n',
    'indentation',
  ],
  [
    'shallower in the file',
    'a {\n  b\n',
    '    a {\n      b\n',
    '    a {\n      B\n    }\n',
    'a {\n  B\n}\n',
    'indentation',
  ],
  [
    'tabs in the file',
    '\tif x:\n\t\tgo()\n',
    '    if x:\n        go()\n',
    '    if x:\n        stop()\n            y\n',
    '\tif x:\n\t\tstop()\n\t\t\ty\n',
    'indentation',
  ],
  [
    'tabs in the text',
    '  if x:\n    go()\n',
    '\tif x:\n\t\tgo()\n',
    '\tif y:\n\t\tgo()\n',
    '  if y:\n    go()\n',
    'indentation',
  ],
  [
    'a tab is one step of the indentation of the file',
    'if a:\n  if b:\n    go()\n    end()\n',
    '\tgo()\n\tend()\n',
    '\tgo()\n\t\tmore()\n\tend()\n',
    'if a:\n  if b:\n    go()\n      more()\n    end()\n',
    'indentation',
  ],
  [
    'a tab is four spaces where most steps of the file are',
    'if a:\n    x\nif b:\n    y\n        z(1,\n          2)\n',
    '\ty\n',
    '\ty\n\t\tw\n',
    'if a:\n    x\nif b:\n    y\n        w\n        z(1,\n          2)\n',
    'indentation',
  ],
  [
    'a new line at the margin of a file with tabs',
    '\ta\n\t\tb\n',
    '      a\n          b\n',
    '  x\n      a\n          c\n',
    'x\n\ta\n\t\tc\n',
    'indentation',
  ],
  [
    'a tab is as wide as most steps of the file, whichever comes first',
    'z(1,\n      2)\nif a:\n    x\nif b:\n    y\n',
    '\ty\n',
    '\ty\n\t\tw\n',
    'z(1,\n      2)\nif a:\n    x\nif b:\n    y\n        w\n',
    'indentation',
  ],
  [
    'new lines as deep as the old ones need no width',
    '\t\tgo()\n',
    '      go()\n',
    '      stop()\n      end()\n',
    '\t\tstop()\n\t\tend()\n',
    'indentation',
  ],
  [
    'two depths show the width of a tab',
    'x\n\tgo()\ny\n',
    'x\n    go()\n',
    'x\n    go()\n        more()\n',
    'x\n\tgo()\n\t\tmore()\ny\n',
    'indentation',
  ],
  [
    'blank lines have no indentation',
    '    a\n\n    b\n',
    '  a\n\n  b',
    '  a\n\n  c',
    '    a\n\n    c\n',
    'indentation',
  ],
];

test.each(rows)('%s', (_reason, content, old_text, new_text, expected, tier) => {
  const applied = applyEdits(document(content), [{ old_text, new_text }], 'file');
  expect(Buffer.concat(applied.parts).toString()).toBe(expected);
  expect(applied.edits.map((edit) => edit.tier)).toEqual([tier]);
});

describe('refusals', () => {
  const refused: readonly (readonly [
    reason: string,
    content: string,
    edits: TextEdit[],
    code: string,
    says: RegExp,
  ])[] = [
    ['an empty text', 'a', [{ old_text: '', new_text: 'b' }], 'INVALID_INPUT', /is empty/u],
    ['two places', 'a\nb\na\n', [{ old_text: 'a', new_text: 'c' }], 'AMBIGUOUS', /2 times in file, at lines 1, 3/u],
    ['overlapping places are two', 'aaa', [{ old_text: 'aa', new_text: 'b' }], 'AMBIGUOUS', /2 times/u],
    ['two places after folding', 'a \nb\na  \nb\n', [{ old_text: 'a\nb', new_text: 'c' }], 'AMBIGUOUS', /lines 1, 3/u],
    ['nothing changes', 'a\nb', [{ old_text: 'a', new_text: 'a' }], 'NO_CHANGE', /^The edit changes nothing in file/u],
    [
      'one of two edits changes nothing',
      'a\nb',
      [
        { old_text: 'a', new_text: 'c' },
        { old_text: 'b', new_text: 'b' },
      ],
      'NO_CHANGE',
      /^edits\[1\] changes nothing in file/u,
    ],
    ['a last line that the file lacks', 'x\na', [{ old_text: 'a\nb', new_text: 'c' }], 'NO_MATCH', /not found/u],
    [
      'an indentation of a new line that has not what is removed',
      ' x\n',
      [{ old_text: '  x\n', new_text: '  x\n\t y\n' }],
      'NO_MATCH',
      /line 1/u,
    ],
    ['only line ends differ', 'a\r\nb', [{ old_text: 'a\nb', new_text: 'a\r\nb' }], 'NO_CHANGE', /changes nothing/u],
    [
      'edits that overlap',
      'abc',
      [
        { old_text: 'ab', new_text: 'x' },
        { old_text: 'bc', new_text: 'y' },
      ],
      'OVERLAP',
      /line 1/u,
    ],
    ['no place', 'alpha\nbeta\n', [{ old_text: 'gamma', new_text: 'x' }], 'NO_MATCH', /not found/u],
    [
      'a place that is only like it',
      'alpha beta\n',
      [{ old_text: 'alpha bet!', new_text: 'x' }],
      'NO_MATCH',
      /closest place is line 1/u,
    ],
    [
      'an indentation that is not uniform',
      '  a\n   b\n',
      [{ old_text: 'a\nb\n', new_text: 'c' }],
      'NO_MATCH',
      /line 1/u,
    ],
    [
      'a new line left of the margin of a file with tabs',
      '\ta\n\t\tb\n',
      [{ old_text: '      a\n          b\n', new_text: ' x\n      a\n          b\n' }],
      'NO_MATCH',
      /line 1/u,
    ],
    [
      'tabs in the file whose width nothing shows',
      '\tgo()\n',
      [{ old_text: '    go()\n', new_text: '    go()\n        more()\n' }],
      'AMBIGUOUS',
      /has tabs at line 1 where the text has spaces, and nothing shows how many spaces are a tab\. Indent the text with tabs/u,
    ],
    [
      'tabs in the text whose width nothing shows',
      'x\n    go()\ny\n  z\n',
      [{ old_text: '\tgo()\n', new_text: '\tgo()\n\t\tmore()\n' }],
      'AMBIGUOUS',
      /has spaces at line 2 where the text has tabs/u,
    ],
    [
      'the same at every place',
      '\tgo()\nx\n\tgo()\n',
      [{ old_text: '    go()\n', new_text: '    go()\n        more()\n', replace_all: true }],
      'AMBIGUOUS',
      /has tabs at line 1/u,
    ],
    ['half a pair of surrogates', 'a', [{ old_text: 'a', new_text: '\ud800' }], 'ENCODING', /cannot store/u],
  ];

  test.each(refused)('%s', (_reason, content, edits, code, says) => {
    const error = failure(content, ...edits);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(says);
  });

  test('no match shows the first line that differs', () => {
    const error = failure('one\ntwo\nthree\nfour\n', { old_text: 'two\nthree!\nfour', new_text: 'x' });
    expect(error.summary).toContain('closest place is line 2 (2 of 3 lines are equal)');
    expect(error.context).toBe('First difference, at line 3:\nfile:     three\nold_text: three!');
  });

  test('a final line ending is not a line that may be equal', () => {
    const error = failure('one\ntwo\n\nx\n', { old_text: 'one\ntwo!\n', new_text: 'x' });
    expect(error.summary).toMatch(/line 1 \(1 of/u);
  });

  test('of lines that are equally similar the first is shown', () => {
    const error = failure('x\nalpha beta 1\nalpha beta 2\n', { old_text: 'alpha beta!', new_text: 'x' });
    expect(error.context).toBe('First difference, at line 2:\nfile:     alpha beta 1\nold_text: alpha beta!');
  });

  test('the closest place is the one with the most equal text, not with the most lines', () => {
    const file = '}\n}\nconst alpha = 1;\nend\n';
    const error = failure(file, { old_text: '}\n}\nconst alpha = 1;\nend!', new_text: 'x' });
    expect(error.summary).toContain('closest place is line 1 (3 of 4 lines are equal)');
    const other = failure(`}\nx\n${file}`, { old_text: '}\ny\nconst alpha = 1;\nend', new_text: 'x' });
    expect(other.summary).toContain('closest place is line 3 (3 of 4 lines are equal)');
  });

  test('several places are shown with the lines around them', () => {
    expect(failure('a\nx\nb\nx\n', { old_text: 'x', new_text: 'y' }).context).toBe(
      '1: a\n2: x\n3: b\n--\n3: b\n4: x\n5: ',
    );
    expect(failure('x\na\nx', { old_text: 'x', new_text: 'y' }).context).toBe('1: x\n2: a\n--\n2: a\n3: x');
  });

  test('a looser tier is not tried when a stricter one finds too many', () => {
    expect(failure('"a"\n"a"\n\u201ca\u201d', { old_text: '"a"', new_text: 'b' }).code).toBe('AMBIGUOUS');
  });
});

test('all edits match the original, not the result of another', () => {
  expect(edited('a b', { old_text: 'a', new_text: 'b' }, { old_text: 'b', new_text: 'a' })).toBe('b a');
});

test('replace_all replaces every place that does not overlap the one before', () => {
  expect(edited('aaaa a', { old_text: 'aa', new_text: 'b', replace_all: true })).toBe('bb a');
});

test('UTF-16 is searched by code units and written back as it was', () => {
  for (const bigEndian of [false, true]) {
    const encode = (text: string): Buffer => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return bigEndian ? bytes.swap16() : bytes;
    };
    // U+0A00 has the byte of a line feed.
    const applied = applyEdits(
      document(encode('a\u0a00\r\nb\u000a\u0a0a')),
      [{ old_text: 'b', new_text: 'x\ny' }],
      'file',
    );
    expect(Buffer.concat(applied.parts)).toEqual(encode('a\u0a00\r\nx\ny\u000a\u0a0a'));
    expect(applied.edits[0]?.lineNumbers).toEqual([2]);
  }
});

describe.each(['utf-16le', 'utf-16be'])('%s', (label) => {
  const wide = (text: string): TextDocument => {
    const encoding = encodingFor(new Uint8Array(), label);
    return { bytes: encoding.encode(text) ?? Buffer.alloc(0), encoding };
  };
  const marked = (text: string): TextDocument => {
    const { bytes } = wide(`\ufeff${text}`);
    return { bytes, encoding: encodingFor(bytes) };
  };

  test('the mark is known, whether the encoding is named or not', () => {
    const { bytes } = marked('a');
    expect(encodingFor(bytes, label).mark).toHaveLength(2);
    expect(encodingFor(bytes)).toMatchObject({ label, mark: encodingFor(bytes, label).mark });
    expect(encodingFor(bytes, 'utf-8').mark).toHaveLength(0);
  });

  test('CRLF is a line ending of the exact text', () => {
    const applied = applyEdits(wide('a\r\nb\r\nc\r\n'), [{ old_text: 'a\nb', new_text: 'a\nx' }], 'file');
    expect(applied.edits.map(({ tier }) => tier)).toEqual(['exact']);
    expect(Buffer.concat(applied.parts)).toEqual(wide('a\r\nx\r\nc\r\n').bytes);
  });

  test('a line is added to a file without a mark or a line ending', () => {
    const applied = applyEdits(wide('a'), [{ old_text: 'a', new_text: 'a\nb' }], 'file');
    expect(Buffer.concat(applied.parts)).toEqual(wide('a\nb').bytes);
  });

  test('the difference of an edit is the one of the text, without the mark', () => {
    const text = 'one two\nthree\nfour\nfive\nsix\nseven\n';
    for (const edit of [
      { old_text: 'two', new_text: '2' },
      { old_text: 'six', new_text: '6' },
    ]) {
      const { splices } = applyEdits(marked(text), [edit], 'file');
      const after = text.replace(edit.old_text, edit.new_text);
      expect(diffOfSplices(marked(text), splices)).toEqual(diffOfTexts(text, after));
    }
  });
});

test('bytes that are not valid UTF-8 stay, and so does the rest of their line', () => {
  const bytes = Buffer.from([0x61, 0xe9, 0xff, 0x0d, 0x0a, 0x62, 0x0a, 0xc3, 0x28]);
  const applied = applyEdits(document(bytes), [{ old_text: 'b', new_text: 'c' }], 'file');
  expect(Buffer.concat(applied.parts)).toEqual(Buffer.from([0x61, 0xe9, 0xff, 0x0d, 0x0a, 0x63, 0x0a, 0xc3, 0x28]));
});

test('an empty line of the text does not match a part of a line that is not text', () => {
  const bytes = Buffer.from([0x09, 0x09, 0xff, 0x0a, 0x61, 0x20, 0x0a, 0x62, 0x0a]);
  const edit = { old_text: '  \na\n', new_text: 'c\n' };
  expect(() => applyEdits(document(bytes), [edit], 'file')).toThrow(/was not found/u);
});

test('a replacement character does not stand for broken bytes', () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62, 0x0a]);
  expect(() => applyEdits(document(bytes), [{ old_text: 'a\ufffdb', new_text: 'c' }], 'file')).toThrow(/U\+FFFD/u);
});

describe('properties', () => {
  const line = fc.stringMatching(/^[ \t]{0,3}[ab\u201c"\u00e9{}]{0,4}[ \t]{0,2}$/u);
  const ending = fc.constantFrom('\n', '\r\n');
  const content = fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 8 });

  test('random edits of random texts change only the splices, or are rejected', () => {
    fc.assert(
      fc.property(
        content,
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.array(line, { maxLength: 3 }),
        fc.boolean(),
        (lines, oldLines, newLines, replaceAll) => {
          const text = lines.map(([one, end]) => one + end).join('');
          const original = document(text);
          const edit = { old_text: oldLines.join('\n'), new_text: newLines.join('\n'), replace_all: replaceAll };
          try {
            const { parts, splices } = applyEdits(original, [edit], 'file');
            const result = Buffer.concat(parts);
            let [from, to] = [0, 0];
            for (const splice of splices) {
              const kept = original.bytes.subarray(from, splice.start);
              expect(result.subarray(to, to + kept.length)).toEqual(kept);
              to += kept.length + splice.bytes.length;
              from = splice.end;
            }
            return result.subarray(to).equals(original.bytes.subarray(from));
          } catch (error) {
            if (!ToolError.isInstance(error)) throw error;
            return ['AMBIGUOUS', 'INVALID_INPUT', 'NO_CHANGE', 'NO_MATCH'].includes(error.code);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('the time grows linearly', () => {
  const many = 20_000;
  const refused: readonly (readonly [reason: string, content: string, oldText: string, code: string])[] = [
    ['a run of whitespace', `${' '.repeat(10 * many)}x`, 'no', 'NO_MATCH'],
    ['a text of lines that repeat', 'x\n'.repeat(many), 'x\n'.repeat(2000), 'AMBIGUOUS'],
    ['lines with spaces for tabs', 'x\n    a\ny\n  z\n'.repeat(many), '\ta\n', 'AMBIGUOUS'],
    ['lines that repeat, and are not it', '}\n'.repeat(many), `${'}\n'.repeat(2000)}z`, 'NO_MATCH'],
  ];
  test.for(refused)('%s', ([, content, old_text, code]) => {
    expect(failure(content, { old_text, new_text: '\t\tb\n' }).code).toBe(code);
  });

  const replaced: readonly (readonly [reason: string, content: string, expected: string])[] = [
    ['one line with very many places', 'a=\u201c1\u201d;'.repeat(many), 'b'.repeat(many)],
    ['very many places', 'a="1";\n'.repeat(5 * many), 'b\n'.repeat(5 * many)],
  ];
  test.for(replaced)('%s', ([, content, expected]) => {
    const edit = { old_text: 'a="1";', new_text: 'b', replace_all: true };
    const { parts, splices } = applyEdits(document(content), [edit], 'file');
    expect(Buffer.concat(parts).toString()).toBe(expected);
    expect(parts.length).toBeLessThan(splices.length / 100);
    expect(diffOfSplices(document(content), splices).hunks.length).toBeLessThan(100);
  });
});

test('edits far from one another have the line numbers of a difference of the whole file', () => {
  const numbered = Array.from({ length: 400 }, (_, index) => `line ${index}\n`).join('');
  const edits = [
    { old_text: 'line 50\n', new_text: 'a\nb\nc\n' },
    { old_text: 'line 150\nline 151\n', new_text: '' },
    { old_text: 'line 250\n', new_text: 'd\ne\n' },
    { old_text: 'ne 300', new_text: 'ne' },
    { old_text: 'line 350\n', new_text: 'f\n' },
  ];
  const { parts, splices } = applyEdits(document(numbered), edits, 'file');
  const whole = diffOfTexts(numbered, Buffer.concat(parts).toString());
  expect(diffOfSplices(document(numbered), splices)).toEqual(whole);
});

test('text that is inserted at the start of a line is shown with the lines around it', () => {
  const text = Array.from({ length: 9 }, (_, index) => `line ${index}\n`).join('');
  const at = text.indexOf('line 4');
  const splice = { start: at, end: at, bytes: Buffer.from('a ') };
  expect(diffOfSplices(document(text), [splice])).toEqual(diffOfTexts(text, text.replace('line 4', 'a line 4')));
});

test('a small edit does not copy a large file', () => {
  const large = document(`${'x'.repeat(1_000_000)}\na\n${'y'.repeat(1_000_000)}`);
  const { parts } = applyEdits(large, [{ old_text: 'a', new_text: 'b' }], 'file');
  const copied = parts.filter(({ buffer }) => buffer !== large.bytes.buffer);
  expect(Buffer.concat(copied).toString()).toBe('b');
});
