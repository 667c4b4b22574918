import fc from 'fast-check';

/** Part of a name, and parts that match it and others like it. */
function pieceOf(text: string): fc.Arbitrary<string> {
  const characters = [...text];
  const escaped = characters.map(escapeCharacter);
  const cut = fc.nat({ max: characters.length });
  const around = (between: (at: number) => string, dropped: number): fc.Arbitrary<string> =>
    cut.map((at) => [...escaped.slice(0, at), between(at), ...escaped.slice(at + dropped)].join(''));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(escaped.join('')) },
    { weight: 2, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: cut.map((at) => `${escaped.slice(0, at).join('')}*`) },
    { weight: 1, arbitrary: cut.map((at) => `*${escaped.slice(at).join('')}`) },
    { weight: 2, arbitrary: around(() => '?', 1) },
    { weight: 2, arbitrary: around((at) => classOf(characters[at]), 1) },
    { weight: 1, arbitrary: around(() => '**', 1) },
    { weight: 1, arbitrary: cut.map((at) => `${escaped.slice(0, at).join('')}{${escaped.slice(at).join('')},b,}`) },
    { weight: 1, arbitrary: cut.map((at) => `{x,{a,${escaped.slice(0, at).join('')}}}${escaped.slice(at).join('')}`) },
  );
}

function escapeCharacter(character: string): string {
  return /[*?[\]{},\\!^-]/u.test(character) ? `\\${character}` : character;
}

function classOf(character: string | undefined): string {
  return character === undefined || /[^a-z0-9 _.]/u.test(character) ? '[!a]' : `[a-c${character}x]`;
}

const freeComponents: readonly string[] = [
  '*',
  '**',
  '**',
  '?',
  '??',
  '[a-c]*',
  '[!a-c]*',
  '*.*',
  '.*',
  'a',
  '{a,b}',
  '{a*,*b}',
];

/** Patterns made from paths, so that many of them match something. */
export function patternArbitrary(paths: readonly string[]): fc.Arbitrary<string> {
  const component = (name: string): fc.Arbitrary<string> =>
    fc.oneof({ weight: 5, arbitrary: pieceOf(name) }, { weight: 2, arbitrary: fc.constantFrom(...freeComponents) });
  const fromPath = fc.constantFrom(...paths).chain((path) => {
    const names = path.split('/');
    return fc
      .tuple(fc.nat({ max: names.length - 1 }), fc.boolean())
      .chain(([from, isWhole]) => fc.tuple(...names.slice(isWhole ? 0 : from).map(component)))
      .map((components) => components.join('/'));
  });
  const twoInBraces = fc.tuple(fromPath, fromPath).map(([one, other]) => `{${one},${other}}`);
  const free = fc
    .array(fc.constantFrom(...freeComponents), { minLength: 1, maxLength: 3 })
    .map((components) => components.join('/'));
  return fc.oneof(
    { weight: 8, arbitrary: fromPath },
    { weight: 1, arbitrary: twoInBraces },
    { weight: 2, arbitrary: free },
  );
}

/** Syntax without much sense, most of it well-formed. */
export const globSoup: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...[
        [
          'a',
          'b',
          'ab',
          'x',
          '.',
          'é',
          '漢',
          '/',
          '/',
          '*',
          '*',
          '**',
          '***',
          '?',
          '[ab]',
          '[!a]',
          '[^a]',
          '[]a]',
          '[a-c]',
        ],
        [
          '{a,b}',
          '{a,{b,x}}',
          '{',
          '}',
          ',',
          '{,a}',
          '{*,**}',
          '{a/,}',
          '{**/,}',
          '\\*',
          '\\/',
          '\\a',
          '[/]',
          '[!/]',
          '-',
          '!',
        ],
        ['[+-9]', '[a-]', '[\\]]', '[é]', '[à-ü]', '..', './', '[a', '[b-a]', '\\', ' ', '\\\\', '**/', '/**', '/**/'],
      ].flat(),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''));

const otherForms: readonly string[] = [
  [
    '!(a)',
    '@(a|b)',
    '+(a)',
    '?(a|b)',
    '*(a)',
    '*(a|b)',
    '{1..3}',
    '{a..c}',
    '{a..}',
    '~/',
    '~',
    '.',
    './.',
    '(a)',
    '|',
  ],
  [
    '[[:alpha:]]',
    '[[:digit:]_]',
    '[![:space:]]',
    '[[:upper:]a-c]',
    '[[:word:]]',
    '[:alpha:]',
    '[[.a.]]',
    '[[:]',
    '[[:alpha:]',
  ],
  [
    'a**',
    '**a',
    'a**/b',
    '**.ts',
    '*,*',
    '*.ts,*',
    '!*.ts',
    '!a',
    '!lib/',
    '*,!a*',
    '!*,!a',
    'a,b',
    ' *, *',
    '!**',
    '!',
  ],
].flat();

/** Forms of other dialects, of lists and of exclusions, also next to other syntax. */
export const otherGlobs: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', 'a', '*', 'lib/', '\\', '['),
    fc.constantFrom(...otherForms),
    fc.constantFrom('', '', 'a', '*', '/*', '.ts'),
  )
  .map((parts) => parts.join(''));

/** A pattern with what may stand before and after it. */
export function decorated(pattern: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const weighted = (...parts: readonly string[]): fc.Arbitrary<string> =>
    fc.oneof({ weight: 8, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...parts) });
  return fc
    .tuple(weighted('./', './/', '././', '**/', '**'), pattern, weighted('/', '//', '/**', '/*', '}', '{', '**'))
    .map((parts) => parts.join(''));
}
