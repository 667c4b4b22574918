import fc from 'fast-check';

/** The question to both sides. */
export interface GrepQuery {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly smartCase: boolean;
  readonly wholeWord: boolean;
  readonly wholeLine: boolean;
  readonly invert: boolean;
  readonly multiline: boolean;
  readonly crlf: boolean;
  readonly contextBefore: number;
  readonly contextAfter: number;
  readonly maxCountPerFile: number | undefined;
}

/** What most texts have. */
const commonLiterals: readonly string[] = ['a', 'b', 'ab', 'x', 'foo', ' ', '1', 'A', 'é'];

const literals: readonly string[] = [
  ['a', 'b', 'ab', 'A', 'x', 'k', 's', '1', '20', 'foo', 'Foo', 'bar', ' ', '\\.', '\\-', '\\{', '\\[', '\\\\', '\\t'],
  ['é', 'É', 'ß', 'σ', '漢', '😀', '\\x{e9}', '\\u{1F600}', '\\x41', 'e\u0301', '\\x{FEFF}', '\\u2028', '_', '-', '"'],
].flat();

const classes: readonly string[] = [
  ['.', '\\s', '\\S', '\\w', '\\W', '\\d', '\\D', '[ab]', '[^a]', '[^ab]', '[^\\s]', '[\\s\\d]', '[a-f]', '[^a-z. ]'],
  ['[[:alpha:]]', '[[:^space:]]', '[[:punct:]]', '[a-z&&[^b]]', '[^\\x00-\\x7F]', '[é漢]', '[^é]', '[]a]', '[^\\r]'],
  ['\\pL', '\\PL', '\\p{Lu}', '\\p{Han}', '\\p{Greek}', '\\P{ASCII}', '\\r', '[\\r ]', '\\v', '\\f', '(?-u:[^a])'],
  ['(?s:.)', '(?i:b)', '(?-i:A)', '(?-u:\\w)', '\\pM', '[k-s]'],
].flat();

const places: readonly string[] = [
  ['^', '$', '^', '$', '\\b', '\\B', '\\b{start}', '\\b{end}', '\\b{start-half}', '\\b{end-half}', '\\<', '\\>'],
  ['(?:^)', '(?:$)', '(?-u:\\b)', '(?:)', '()'],
].flat();

const often = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0,2}', '{1,}', '{0}', '{2,3}?') },
);

interface Grammar {
  readonly pattern: string;
  readonly branch: string;
  readonly piece: string;
  readonly atom: string;
  readonly group: string;
}

/** What only PCRE2 takes. A reference goes back to the group before it, if there is one. */
const pcreAtoms: readonly string[] = ['\\h', '\\H', '\\R', '\\N', '\\X', '(a|b)\\g{-1}', '(.)\\g{-1}', '(\\w+)\\g{-1}'];
const pcreGroups: readonly string[] = ['(?=', '(?!', '(?<=', '(?<!', '(?>', '(?|', '(?s:', '(?xx: '];

const ownGroups: readonly string[] = ['(', '(?:', '(?P<n>', '(?i:', '(?x: ', '(?U:'];

function grammar(extra: readonly string[], groups: readonly string[] = ownGroups): fc.Arbitrary<string> {
  const { pattern } = fc.letrec<Grammar>((tie) => ({
    pattern: fc
      .oneof(
        { weight: 5, arbitrary: fc.array(tie('branch'), { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(tie('branch'), { minLength: 2, maxLength: 3 }) },
      )
      .map((branches) => branches.join('|')),
    branch: fc
      .oneof(
        { weight: 4, arbitrary: fc.array(tie('piece'), { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: fc.array(tie('piece'), { minLength: 3, maxLength: 4 }) },
      )
      .map((pieces) => pieces.join('')),
    piece: fc.tuple(tie('atom'), often).map(([atom, times]) => atom + times),
    atom: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'group' },
      { weight: 8, arbitrary: fc.constantFrom(...commonLiterals, ...extra) },
      { weight: 3, arbitrary: fc.constantFrom(...literals) },
      { weight: 6, arbitrary: fc.constantFrom(...classes) },
      { weight: 2, arbitrary: fc.constantFrom(...places) },
      { weight: groups === ownGroups ? 1 : 4, arbitrary: tie('group').map((opened) => opened + ')') },
    ),
    group: fc.tuple(fc.constantFrom(...groups), tie('pattern')).map(([start, inner]) => start + inner),
  }));
  return pattern;
}

const lineGrammar = grammar([]);

const linePattern = fc.oneof(
  { weight: 10, arbitrary: lineGrammar },
  { weight: 2, arbitrary: fc.constantFrom(...commonLiterals, ...literals, 'foo|bar', 'a|b|x', 'foo bar', 'Foo bar') },
  { weight: 1, arbitrary: lineGrammar.map((pattern) => `^(?:${pattern})$`) },
  { weight: 1, arbitrary: lineGrammar.map((pattern) => `\\b(?:${pattern})\\b`) },
  { weight: 1, arbitrary: fc.constantFrom('', '^', '$', '^$', '\\b', '\\B', '.*', 'x*', '()', 'a|', '|', '$^') },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('(?i)', '(?-m)', '(?s)', '(?x)', '(?R)', '(?U)', '(?-u)', '\\A'), lineGrammar)
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: lineGrammar.map((pattern) => `(?:${pattern})\\z`) },
);

const multilinePattern = fc.oneof(
  { weight: 4, arbitrary: grammar(['\\n', '\\n', '\\r\\n', '\\r?\\n', '\\s+', '(?s:.)', '[^x]{1,9}', '$\\n^']) },
  { weight: 1, arbitrary: linePattern },
);

/** What people and models type when they do not think of regular expressions, or of another engine's. */
const soup = fc
  .array(
    fc.constantFrom(
      ...[
        ['a', 'b', 'foo', ' ', '1', '(', ')', '[', ']', '{', '}', '*', '+', '?', '|', '^', '$', '\\', '.', ',', '-'],
        ['{1}', '{,2}', '${a}', 'foo(', '\\d', '\\{', '[^', '(?', '(?:', '(?=a)', '(?!b)', '(?<=a)', '(a)\\1', '\\K'],
      ].flat(),
    ),
    { minLength: 1, maxLength: 7 },
  )
  .map((parts) => parts.join(''));

const pcreGrammar = grammar(pcreAtoms, [...ownGroups.slice(0, 2), ...pcreGroups]);
/** With a part that Rust's engine does not know, so that most of them come to PCRE2. */
const pcrePattern = fc.oneof(
  { weight: 2, arbitrary: pcreGrammar },
  { weight: 1, arbitrary: pcreGrammar.map((pattern) => `(?:${pattern})(?!x)`) },
  { weight: 1, arbitrary: pcreGrammar.map((pattern) => `(?=.)${pattern}`) },
);

const context = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) });

const sometimes = fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true));

const rest = {
  crlf: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  ignoreCase: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  contextBefore: context,
  contextAfter: context,
  maxCountPerFile: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 4 })),
  smartCase: sometimes,
  wholeWord: sometimes,
  wholeLine: sometimes,
  invert: sometimes,
};

const no = fc.constant(false);
const yes = fc.constant(true);

export const grepQuery: fc.Arbitrary<GrepQuery> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ pattern: linePattern, literal: no, multiline: no, ...rest }) },
  { weight: 4, arbitrary: fc.record({ pattern: multilinePattern, literal: no, multiline: yes, ...rest }) },
  { weight: 3, arbitrary: fc.record({ pattern: pcrePattern, literal: no, multiline: fc.boolean(), ...rest }) },
  { weight: 2, arbitrary: fc.record({ pattern: soup, literal: no, multiline: no, ...rest }) },
  {
    weight: 1,
    arbitrary: fc.record({
      pattern: fc.oneof(soup, fc.constantFrom(...commonLiterals)),
      literal: yes,
      multiline: no,
      ...rest,
    }),
  },
);
