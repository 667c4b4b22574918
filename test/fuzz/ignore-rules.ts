import fc from 'fast-check';

/** An ignore file by its lines, so that a counterexample can be made smaller. */
export interface RuleFile {
  readonly bom: boolean;
  readonly lines: readonly string[];
  readonly newline: '\n' | '\r\n';
  readonly isEnded: boolean;
}

/** Stands for a byte that is not valid UTF-8. */
const badByte = '\uE0FF';

export function toRuleBytes({ bom, lines, newline, isEnded }: RuleFile): Uint8Array {
  const text = `${bom ? '\uFEFF' : ''}${lines.join(newline)}${isEnded ? newline : ''}`;
  return Buffer.from(text.replaceAll(badByte, '\0')).map((byte) => (byte === 0 ? 0xff : byte));
}

/** Names that some rule is about or nearly about, below each directory that has rules. */
export const ruledNames: readonly string[] = [
  ['a', 'b', 'ab', 'ba', 'aab', 'a.b', 'a b', 'a-b', 'A', 'B', '1', '.a', 'é', 'aéb', 'ü', '漢', '!a', '#a', 'a#'],
  ['a ', 'a  ', ' a', 'a\t', 'a\r', '{a}', '{a,b}', '[a]', 'a[b', ']', '[', '-', '^', '\\', 'a\\b', 'a\\', '*', 'a*b'],
  ['?', '...', 'a]', 'x/a', 'x/b', 'x/ab', 'x/.a', 'x/é', 'x/y/a', 'x/y/b', 'x/y/z/a', 'x/y/z/ab', 'y/a', 'y/x/b'],
  ['ax/a', 'ax/y/a', 'xa/b', 'z/x/a', 'z/x/y/b', '.x/a', '.x/y/b', 'x y/a', 'éé/a', 'éé/b', 'bb/bb/a', 'bb/ab'],
].flat();

const names: readonly string[] = [
  'a',
  'b',
  'x',
  'y',
  'z',
  'ab',
  'ax',
  'bb',
  '.a',
  '.x',
  'A',
  '1',
  'é',
  '漢',
  'a b',
  'xa',
];

const namePiece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'x', 'y', '.', 'é') },
  { weight: 6, arbitrary: fc.constantFrom('*', '*', '*', '?', '**', '***') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        [
          '[ab]',
          '[!a]',
          '[^a]',
          '[a-c]',
          '[!a-c]',
          '[a-]',
          '[-a]',
          '[]a]',
          '[!]a]',
          '[^]',
          '[]',
          '[!]',
          '[a',
          '[',
          ']',
        ],
        ['[[:alpha:]]', '[[:upper:]a]', '[^[:lower:]]', '[[:digit:]-]', '[[:space:]]', '[[:nothing:]]', '[[:alpha:]'],
        [
          '[\\]]',
          '[a\\-c]',
          '[\\\\]',
          '[!-/]',
          '[+-9]',
          '[a/b]',
          '[/]',
          '[!/]',
          '[é]',
          '[à-ü]',
          '[b-a]',
          '[.-/]',
          '[^^]',
        ],
        [
          '[[:punct:]]',
          '[[a]',
          '[[:]',
          '[a-[:digit:]]',
          '[[.a.]]',
          '[[=a=]]',
          '[*?]',
          '[a-b-c]',
          '[--1]',
          '[z-]',
          '[,-.]',
          '[A]',
          '[!A]',
          '[A-Z]',
          '[Z-a]',
          '[b-A]',
          '[\\b-[:alpha:]]',
        ],
      ].flat(),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        [
          '\\a',
          '\\A',
          '\\*',
          '\\?',
          '\\[',
          '\\\\',
          '\\',
          '\\ ',
          '\\!',
          '\\#',
          '\\]',
          '{a}',
          '{a,b}',
          '{',
          '}',
          ',',
          '!',
          '#',
          '-',
        ],
        [' ', '  ', '\t', '\r', '^', '$', '+', '(', '|', badByte, '\u00A0', 'A', '1', '漢', '~', '%', '"'],
      ].flat(),
    ),
  },
);

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...names) },
  { weight: 5, arbitrary: fc.array(namePiece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')) },
  { weight: 2, arbitrary: fc.constantFrom('**', '*', '?') },
);

const path = fc
  .tuple(
    fc.constantFrom('', '', '', '/', '**/', './', '//'),
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(name) },
      { weight: 2, arbitrary: fc.array(name, { minLength: 2, maxLength: 4 }) },
    ),
    fc.constantFrom('', '', '', '', '/', '/', '/*', '/**', '//', '/.'),
  )
  .map(([start, components, end]) => start + components.join('/') + end);

const line = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '', '', '!', '!', '\\!', '!!'),
        path,
        fc.constantFrom('', '', '', '', ' ', '  ', '\\ ', '\t'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: path.map((rule) => `#${rule}`) },
  { weight: 1, arbitrary: path.map((rule) => ` ${rule}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '!', '/', '!/', '\\', '#', '*', '!*', '*/', '!*/', '**', '/*', '!/*'),
  },
);

export const ruleFile: fc.Arbitrary<RuleFile> = fc.record({
  bom: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  lines: fc.array(line, { minLength: 1, maxLength: 8, size: 'max' }),
  newline: fc.constantFrom('\n', '\n', '\n', '\r\n'),
  isEnded: fc.boolean(),
});

/** Rules on which ripgrep agrees with git: plain names, stars, question marks and classes. */
const plainLine = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.constantFrom('', '', '/'),
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...names.filter((text) => /^[\w. ]+$/u.test(text))) },
        { weight: 1, arbitrary: fc.constantFrom('*', '**', '?', 'a*', '*b', '[ab]', '[a-c]x', '.*', 'a?', '\\a') },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom('', '', '', '/'),
  )
  .map(([negation, anchor, components, end]) => `${negation}${anchor}${components.join('/')}${end}`);

export const plainRuleFile: fc.Arbitrary<RuleFile> = fc.record({
  bom: fc.constant(false),
  lines: fc.array(plainLine, { minLength: 1, maxLength: 4 }),
  newline: fc.constantFrom('\n', '\n', '\r\n'),
  isEnded: fc.boolean(),
});
