import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeText } from './config-format.ts';
import { sectionFormat } from './section-format.ts';

const name = 'cairn-knowledge';
const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];

function set(text: string, value: string | undefined): string {
  return changeText(sectionFormat, text, [{ path: [name], value }]);
}

describe('a section', () => {
  const cases: readonly (readonly [why: string, before: string, after: string])[] = [
    ['in an empty file', '', `${start}\nnew\ntext\n${end}\n`],
    ['after a text', '# Rules\n', `# Rules\n\n${start}\nnew\ntext\n${end}\n`],
    ['after a text without a line end', '# Rules', `# Rules\n\n${start}\nnew\ntext\n${end}\n`],
    ['after spaces only', ' ', ` \n\n${start}\nnew\ntext\n${end}\n`],
    ['after an empty line', '# Rules\n\n', `# Rules\n\n${start}\nnew\ntext\n${end}\n`],
    ['with CRLF', '# Rules\r\n', `# Rules\r\n\r\n${start}\r\nnew\r\ntext\r\n${end}\r\n`],
    ['in place', `a\n${start}\nold\n${end}\nb`, `a\n${start}\nnew\ntext\n${end}\nb`],
    ['in place, empty', `a\n${start}\n${end}`, `a\n${start}\nnew\ntext\n${end}`],
    [
      'in place, with spaces after the marks and another section',
      `<!-- cairn-other:start -->\nx\n<!-- cairn-other:end -->\n${start} \t\r\nold\r\n${end}\r\nb`,
      `<!-- cairn-other:start -->\nx\n<!-- cairn-other:end -->\n${start} \t\r\nnew\ntext\n${end}\r\nb`,
    ],
  ];
  test.each(cases)('%s', (_, before, after) => {
    expect(set(before, 'new\ntext')).toBe(after);
    expect(sectionFormat.parse(after)).toMatchObject({ [name]: 'new\ntext' });
  });
});

test.each([
  ['at the end', `a\n\n${start}\nx\n${end}\n`, 'a\n'],
  ['at the start', `${start}\nx\n${end}\n\nb\n`, '\nb\n'],
  ['between two paragraphs', `a\n\n${start}\nx\n${end}\nb\n`, 'a\n\nb\n'],
  ['between empty lines', `a\r\n\r\n${start}\r\nx\r\n${end}\r\n\r\nb\r\n`, 'a\r\n\r\nb\r\n'],
  ['that is not there', 'a\n', 'a\n'],
])('removes a section %s', (_, before, after) => {
  expect(set(before, undefined)).toBe(after);
});

test.each([
  ['no end mark', `a\n${start}\nx\n`, 2],
  ['no start mark', `a\n\nx\n${end}\n`, 4],
  ['a second start mark', `${start}\n${start}\n${end}\n`, 1],
  ['a section that is there twice', `${start}\n${end}\n${start}\n${end}\n`, 3],
  ['the end mark of another section', `${start}\n<!-- cairn-x:end -->\n${end}\n`, 2],
])('rejects %s and names the line', (_, text, line) => {
  expect(() => set(text, 'new')).toThrow(
    expect.objectContaining({ code: 'CONFIG_SYNTAX', position: expect.objectContaining({ line }) }),
  );
});

test('marks of other programs, and marks inside a line, are text', () => {
  const text = `<!-- other:start -->\nsee ${start}\n`;
  expect(sectionFormat.parse(text)).toEqual({});
  expect(set(set(text, 'x'), undefined)).toBe(text);
});

test('rejects a section that has a mark of its own', () => {
  expect(() => set('a\n', `x\n${end}\ny`)).toThrow(expect.objectContaining({ code: 'CONFIG_UNSUPPORTED' }));
});

test('the text around a section stays, byte for byte, in any text', () => {
  const texts = fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\r\n', '\r', '', ' ', '# a', '```')), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, texts, texts, (before, after, any) => {
      // Such a text and an added line feed are one line end.
      fc.pre(!before.endsWith('\r'));
      const body = any.replaceAll(/\r\n?/gu, '\n');
      const around = [before === '' ? '' : `${before}\n`, after === '' ? '' : `\n${after}`] as const;
      const text = `${around[0]}${start}\nold\n${end}${around[1]}`;
      const changed = set(text, body);
      expect(changed.startsWith(`${around[0]}${start}\n`)).toBe(true);
      expect(changed.endsWith(`${end}${around[1]}`)).toBe(true);
      const appended = set(before, body);
      expect(appended.startsWith(before)).toBe(true);
      expect(set(appended, body)).toBe(appended);
      expect(set(set(appended, 'other'), body)).toBe(appended);
    }),
    { numRuns: 500 },
  );
});
