import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CairnError, grep } from '@cairn/natives';
import type { GrepResult } from '@cairn/natives';
import fc from 'fast-check';
import { newDirectory, removeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

const queriesPerFile = 20;

interface Typed {
  readonly text: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
}

/** What people type into a search for code, most of it without a thought of expressions. */
const snippets: readonly string[] = [
  ['${y}', '$scope', '$scope.$apply(', 'function() {', 'if (a||b) {', 'map[string]interface{}', 'foo(a) {', 'foo(1)'],
  ['a)b(', '*.ts', '++j', 'C:\\path', 'C:\\2024', 'list[n-1]', 'a[i', 'x = {2,1}', '$(document).ready(', '}) => {'],
  [
    '(?<name>',
    '(?i',
    '(?!foo',
    '(?=bar',
    '(?<=a',
    '(?<!a',
    '(?:b',
    'foo(bar|',
    '(a|b',
    '(*',
    '(*p)',
    '(*SKIP',
    '(?P<n>',
  ],
  ['\\w+ {', '^foo(', 'foo($', 'def \\w+(self):', '(\\w+) {', '\\d|{', '(a)\\1(', '\\bif (', '.*(', '[^a]{', '(?i)a{'],
  ['@{', '#{', '{{a}}', '{%', '<a>', '"a{', "'b(", '//', '/*', '*/', '->', '=>', '::', '&&', '!==', '?.', '??'],
].flat();

const characters: readonly string[] = [
  ['(', ')', '[', ']', '{', '}', '(', '{', '$', '^', '|', '?', '*', '+', '.', '\\', '-', ',', ':', '=', '!', '<', '>'],
  ['a', 'b', 'foo', 'A', '1', ' ', '_', 'é', 'x', '#', '/', '&', '~', '"'],
  [
    '\\w',
    '\\d',
    '\\s',
    '\\b',
    '\\(',
    '\\{',
    '\\.',
    '\\1',
    '\\Q',
    '\\E',
    '\\K',
    '\\h',
    '\\p{L}',
    '[a-z]',
    '[^a]',
    '{2}',
    '(?=',
  ],
].flat();

const typedText = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...snippets) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom(...snippets, ...characters), { minLength: 2, maxLength: 4 })
      .map((parts) => parts.join('')),
  },
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
  },
);

const typed: fc.Arbitrary<Typed> = fc.record({
  text: typedText,
  ignoreCase: fc.boolean(),
  multiline: fc.boolean(),
});

/** Lines with the texts, with parts of them, and with nothing of them. */
function linesArbitrary(texts: readonly string[]): fc.Arbitrary<string[]> {
  const piece = fc.oneof(fc.constantFrom(...texts), fc.constantFrom(...characters), fc.constantFrom(...snippets));
  const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  const cut = fc
    .tuple(fc.constantFrom(...texts), fc.nat(12), fc.nat(12))
    .map(([text, start, end]) => [...text].slice(start, start + end).join(''));
  return fc.array(fc.oneof(line, cut, fc.constantFrom('', 'ü', '%%%', 'FOO(A) {')), { minLength: 10, maxLength: 40 });
}

/**
 * Repairs against a search for the text: a case is a text, as a person types it, over the lines of one file.
 *
 * If the text is not a valid expression, every line that contains it is found, and no line without any of its characters. If it
 * is one that finds nothing, the answer names the first line with the text.
 */
export const repairFuzzer: Fuzzer = createFuzzer({
  name: 'repair',
  casesPerBatch: queriesPerFile,
  batch: fc
    .array(typed, { minLength: 1, maxLength: queriesPerFile, size: 'max' })
    .chain((queries) =>
      fc.record({ queries: fc.constant(queries), lines: linesArbitrary(queries.map((one) => one.text)) }),
    ),
  compare: async ({ queries, lines }) => {
    const root = newDirectory();
    try {
      writeFileSync(join(root, 'f'), lines.map((line) => `${line}\n`).join(''));
      const differences: string[] = [];
      let hits = 0;
      for (const query of queries) {
        const compared = await compareQuery(root, lines, query);
        if (compared.hasLines) hits++;
        if (compared.differences.length > 0) differences.push(JSON.stringify(query), ...compared.differences);
      }
      return { cases: queries.length, hits, differences };
    } finally {
      removeTree(root);
    }
  },
});

/** Clear syntax with an impossible meaning, which is rejected: a range backwards, a property, look-behind, a reference. */
const impossible = /\[.*-|\\[pP]\{|\(\?<[=!]|\\\d|\(\*[A-Z]/u;

async function compareQuery(
  root: string,
  lines: readonly string[],
  { text, ignoreCase, multiline }: Typed,
): Promise<{ hasLines: boolean; differences: string[] }> {
  const search = (pattern: string, literal = false): Promise<GrepResult | CairnError> =>
    grep({ pattern, literal, ignoreCase, multiline, path: root, timeoutMs: 60_000 }).catch((error: unknown) => {
      if (CairnError.isInstance(error) && error.code === 'INVALID_REGEX') return error as CairnError;
      throw error;
    });
  const result = await search(text);
  if (result instanceof CairnError)
    return { hasLines: false, differences: impossible.test(text) ? [] : [`  ${String(result)}`] };
  const fold = (given: string): string => (ignoreCase ? given.toLowerCase() : given);
  const withText = lines.flatMap((line, index) => (fold(line).includes(fold(text)) ? [index + 1] : []));
  const found = result.matches.map(({ lineNumber }) => lineNumber);
  const differences: string[] = [];
  const { engine, searchedPattern, asTyped } = result;
  if (engine === 'literal' || searchedPattern !== undefined) {
    const wanted = new Set(fold(text));
    const missing = withText.filter((line) => !found.includes(line));
    const hasAny = (line: number): boolean => [...fold(lines[line - 1] ?? '')].some((one) => wanted.has(one));
    // A match over several lines has them in one of these.
    const isBeside = (line: number): boolean => multiline && matched.has(line) && (hasAny(line) || isBeside(line + 1));
    const matched = new Set(found);
    const without = found.filter((line) => !hasAny(line) && !isBeside(line));
    if (missing.length > 0) differences.push(`  lines with the text are missing: ${missing.join(' ')}`);
    if (without.length > 0) differences.push(`  lines without any of its characters: ${without.join(' ')}`);
    if (engine === 'literal' && found.length > withText.length)
      differences.push('  a literal search finds other lines');
    const again = await search(searchedPattern ?? text, engine === 'literal');
    // A pattern with a group that was closed is named without the text, which is found as well.
    const isClosed = /^\)+$/u.test(searchedPattern?.slice(text.length) ?? '') && searchedPattern?.startsWith(text);
    const linesAgain = again instanceof CairnError ? [] : again.matches.map(({ lineNumber }) => lineNumber);
    const both = isClosed ? [...new Set([...linesAgain, ...withText])].toSorted((a, b) => a - b) : linesAgain;
    const isSame =
      !(again instanceof CairnError) && again.searchedPattern === undefined && both.join(' ') === found.join(' ');
    if (!isSame) differences.push('  the pattern that the answer names finds something else');
  } else if (found.length === 0 && withText.length > 0) {
    if (asTyped?.text !== text || asTyped.lineNumber !== withText[0] || asTyped.path !== 'f')
      differences.push(
        `  nothing is found, but the text is in line ${withText[0]}; reported: ${JSON.stringify(asTyped)}`,
      );
  } else if (asTyped !== undefined) {
    differences.push(`  reported as typed: ${JSON.stringify(asTyped)}`);
  }
  if (differences.length > 0) differences.unshift(`  searched ${searchedPattern ?? text} with ${engine}`);
  return { hasLines: withText.length > 0, differences };
}
